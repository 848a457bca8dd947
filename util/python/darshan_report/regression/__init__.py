"""The command darshan compare: two logs, and conditions on which it fails, for continuous
integration."""
