"""The small tools: what they make of generated logs, and of what is no log."""
