"""The ready queries of `darshan ask` by subject, and SQL that several of them share."""
