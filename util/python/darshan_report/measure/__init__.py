"""Numbers computed from the records of a log, which the report and the diagnoses share."""
