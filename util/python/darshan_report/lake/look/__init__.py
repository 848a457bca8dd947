"""Summaries of a lake: the numbers of a week, and the digest as text."""
