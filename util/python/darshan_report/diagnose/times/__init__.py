"""The time of a log: its ledger, rates, waits, and gaps between calls."""
