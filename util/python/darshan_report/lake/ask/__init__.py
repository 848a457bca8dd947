"""Queries of a lake (SQL, or ready queries by name), and their results."""
