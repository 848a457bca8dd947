"""The command `darshan`."""
