"""Rules about transfers and their order in a file."""
