"""Numbers of the I/O layers: calls, their sizes and order, and rates."""
