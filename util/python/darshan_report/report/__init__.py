"""The report of a log in all its forms, and the command darshan-job-summary."""
