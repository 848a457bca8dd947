"""Tests with existing programs: the runtime does not change them, and the logs agree with the
kernel's view."""
