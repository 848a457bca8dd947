"""Traces in the form that viewers of other programs read."""
