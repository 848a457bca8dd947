"""Figures computed from the records of a log, shared by the report and the diagnoses."""
