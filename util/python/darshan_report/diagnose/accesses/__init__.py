"""Kinds of accesses that several diagnoses look for, and their costs."""
