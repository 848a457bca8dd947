"""Writes columns in memory to Parquet files that no reader of the lake sees yet."""
