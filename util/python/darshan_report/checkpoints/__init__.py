"""Checkpoints: files to which a program saves its state, and files from which it loads it."""
