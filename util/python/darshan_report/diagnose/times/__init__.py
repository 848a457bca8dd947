"""The time of a log: the ledger (a table of what the processes did in each second), rates, waits,
and the time between calls."""
