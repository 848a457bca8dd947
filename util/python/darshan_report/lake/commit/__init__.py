"""Commits of a lake, and rewriting and removing its files."""
