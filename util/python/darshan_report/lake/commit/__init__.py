"""Which files belong to a lake: what is committed, and what replaces it."""
