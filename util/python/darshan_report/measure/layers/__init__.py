"""Numbers of the layers of I/O: calls, their sizes and order, and rates."""
