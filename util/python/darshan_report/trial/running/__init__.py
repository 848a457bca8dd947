"""The runs of a trial, and their private view of the system."""
