"""Checkpoints: files to which a program saves its state."""
