"""Compares runs: effects, outputs, and whether a remedy helped."""
