"""Commits of a lake, and the rewriting and removal of its files."""
