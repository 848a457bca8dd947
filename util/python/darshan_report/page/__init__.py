"""The report as one HTML file to explore: no server, no network."""
