"""The report of a log in all formats, and the command darshan-job-summary."""
