"""Tests of jobs of MPI programs: their start, their end and their logs."""
