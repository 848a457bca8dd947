"""Tests of the small tools, with generated logs and with files that are not logs."""
