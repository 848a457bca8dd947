"""Diagnoses: pure functions of a log that say what is slow, why, and what to change."""
