"""Rules about processes and ranks that share work, files or a machine."""
