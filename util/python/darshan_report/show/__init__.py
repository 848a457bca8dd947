"""Text, blocks of reports, and files: what all commands print and write. This package does not
depend on logs."""
