"""Sections of the report, one file each. The function blocks() of a section makes its blocks
(paragraphs, tables, plots) from numbers of the log."""
