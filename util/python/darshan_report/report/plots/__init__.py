"""Plots of the report: one file per plot, each draws into given axes."""
