"""Diagnoses: pure functions of a log that name what is slow, the reason, and a remedy."""
