"""From columns in memory to files of Parquet that nobody sees yet."""
