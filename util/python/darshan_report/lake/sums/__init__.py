"""Sums of each file of a table, by day, user, program and file system."""
