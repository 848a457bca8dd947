"""Sections of the report, a file each: from figures to blocks."""
