"""The programs of a log: which they are, what they are for, and what they read."""
