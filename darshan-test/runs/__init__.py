"""Runs that are process trees: one log from the parts of their processes."""
