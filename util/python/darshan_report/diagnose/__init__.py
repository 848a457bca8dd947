"""Diagnoses: functions of a log that find known I/O problems, with the reason and a remedy."""
