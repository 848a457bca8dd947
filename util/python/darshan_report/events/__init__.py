"""Traces in the format that other viewers read."""
