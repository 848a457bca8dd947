"""Numbers over time, from traces and heat maps."""
