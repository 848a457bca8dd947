"""Numbers of files: records joined by file, and files that belong together."""
