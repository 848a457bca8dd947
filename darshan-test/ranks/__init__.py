"""Tests of one log for many ranks: its exactness, its limits, and failures while it is written."""
