"""Plots of the report. Each file has one plot, which draws into axes of matplotlib."""
