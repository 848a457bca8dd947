"""One log from many ranks: exactness, bounds, failures."""
