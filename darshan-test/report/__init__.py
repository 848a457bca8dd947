"""Tests of the Python package darshan_report: of its reading of logs, and of darshan-job-summary,
which is also `darshan report`."""
