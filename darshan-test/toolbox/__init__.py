"""Tests of the small tools for logs (darshan-convert, darshan-diff and others), with generated logs
and with files that are not logs."""
