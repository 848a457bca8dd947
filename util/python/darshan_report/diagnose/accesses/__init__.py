"""Kinds of accesses that several diagnoses look for, and what they cost."""
