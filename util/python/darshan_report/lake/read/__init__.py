"""From logs to columns in memory."""
