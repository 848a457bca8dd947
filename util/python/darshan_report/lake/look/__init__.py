"""Summaries of a lake: the numbers of a week, and the weekly digest as text."""
