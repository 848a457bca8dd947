"""Tests with existing programs: the runtime does not change what they do, and the logs agree with
the system calls that strace sees."""
