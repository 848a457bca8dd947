"""Diagnoses: rules that find known I/O problems in a log. Each finding has the evidence, the time
or bytes that could be saved, and a remedy."""
