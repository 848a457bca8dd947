"""Figures over time, from traces and heat maps."""
