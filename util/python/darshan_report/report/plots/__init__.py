"""Plots of the report. Each file has one plot, a function that returns a Plot, which draws into
axes of matplotlib."""
