"""Tests of the runtime in jobs of MPI programs: their start, their end and their logs."""
