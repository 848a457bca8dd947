"""Shows a lake in a browser: pages that are generated for each request."""
