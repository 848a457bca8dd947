"""Numbers of files: their records joined, and files that belong together."""
