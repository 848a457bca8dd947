"""The rows of a query's result: with exact numbers, in batches, and as text or bytes."""
