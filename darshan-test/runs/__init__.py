"""Runs that are trees of processes: one log of what their processes left."""
