"""The rows of the result of a query: exact, in batches, and as text or bytes."""
