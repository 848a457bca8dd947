"""The runs of a trial: the folder in which they work, and their private view of the system."""
