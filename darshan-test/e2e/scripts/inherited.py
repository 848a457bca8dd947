"""Forked children write through a descriptor that their parent opened, and end by _exit."""

import os

fd = os.open("log", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
for _ in range(4):
    if os.fork() == 0:
        for _ in range(10):
            os.write(fd, b"x" * 10)
        os._exit(0)
    os.wait()
os.close(fd)
