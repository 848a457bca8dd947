"""Tests of programs that are linked with the runtime."""
