"""Compares runs of a trial: effects on I/O, outputs, and whether a remedy made the program
faster."""
