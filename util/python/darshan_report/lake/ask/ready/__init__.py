"""The ready queries by subject, and SQL that several of them share."""
