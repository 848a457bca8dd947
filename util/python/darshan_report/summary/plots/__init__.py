"""Figures of the report: a file per figure, all drawing into axes they are given."""
