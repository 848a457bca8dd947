"""Tests of runs, which are trees of processes with one common log."""
