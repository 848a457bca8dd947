"""Queries of a lake, and their results."""
