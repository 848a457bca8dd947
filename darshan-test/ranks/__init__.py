"""Tests of one log for many ranks: exactness, limits and failures."""
