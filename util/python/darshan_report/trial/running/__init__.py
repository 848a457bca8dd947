"""Runs of the program, and the view of the system that they have."""
