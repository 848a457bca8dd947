"""Tests of programs that are linked with the runtime instead of being started with it."""
