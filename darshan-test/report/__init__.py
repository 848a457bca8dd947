"""Tests of the Python binding and of darshan-job-summary."""
