"""Figures of files: their records joined, and those that belong together."""
