"""Tests of the command `darshan`."""
