"""Tests of one log from many ranks: exactness, limits, failures."""
