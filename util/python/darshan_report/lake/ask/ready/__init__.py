"""The ready queries by subject, and SQL that they share."""
