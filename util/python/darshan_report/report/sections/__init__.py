"""Sections of the report, one file each: from figures to blocks."""
