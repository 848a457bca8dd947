"""The Python binding and darshan-job-summary."""
