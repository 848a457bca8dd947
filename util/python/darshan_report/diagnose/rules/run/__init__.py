"""Rules about the run as a whole."""
