"""Reads logs into columns in memory."""
