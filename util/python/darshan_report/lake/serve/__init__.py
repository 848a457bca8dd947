"""A lake in a browser: pages that are made when they are asked for."""
