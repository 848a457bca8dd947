"""The report of a log in all formats, and the command darshan report (darshan-job-summary)."""
