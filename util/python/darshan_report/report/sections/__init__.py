"""Sections of the report, one file each. They make blocks from numbers."""
