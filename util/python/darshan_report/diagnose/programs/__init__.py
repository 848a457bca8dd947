"""The programs of a log: their names, what they do, and what they read."""
