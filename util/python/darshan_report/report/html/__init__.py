"""The report as one interactive HTML file that needs no server and no network."""
