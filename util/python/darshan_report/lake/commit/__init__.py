"""Commits of a lake, which make new files visible, and the rewriting and removing of its files."""
