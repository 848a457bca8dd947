"""The time of a log: the ledger (what processes did), rates, waits, and gaps between calls."""
