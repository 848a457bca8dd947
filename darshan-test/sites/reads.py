"""Reads a file and writes another one from known lines of code. Argument: the file that it
reads."""

import os
import sys

import pieces  # noqa: F401 - a package of the test, imported for its calls


def load(name: str, count: int) -> None:
    """Reads `count` pieces of the file without a buffer."""
    with open(name, "rb", buffering=0) as file:
        for _ in range(count):
            file.read(100)


class Table:
    """A table that writes one row at a time."""

    def __init__(self, name: str) -> None:
        self.file = os.open(name, os.O_WRONLY | os.O_CREAT, 0o600)

    def append(self, depth: int) -> None:
        """Writes at the end of a recursion of this depth."""
        if depth:
            self.append(depth - 1)
        else:
            os.write(self.file, b"x" * 100)


def main(name: str) -> None:
    """Calls the same functions from several lines."""
    table = Table(name)
    for row in range(500):
        table.append(row % 7)
    load(name, 10)
    load(name, 20)
    for _ in range(50):
        os.stat(name)


main(sys.argv[1])
