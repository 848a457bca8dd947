"""Sections of the report, one file each. A section makes blocks (paragraphs, tables, plots) from
numbers of the log."""
