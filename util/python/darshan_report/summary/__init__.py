"""darshan-job-summary: the report of a log as a PDF file."""
