"""Sums of each file of a table, by day, user, program and, depending on the table, file system,
line of code or rule."""
