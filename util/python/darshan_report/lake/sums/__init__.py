"""Sums by day, user, program and file system, of each file of a table."""
