"""Runs programs with call sites recorded, and reads their lines by `darshan where`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.command import finished
from lab.compile import compile_c

from .stacks import Program

SECONDS = 60
Found = dict[str, Any]

# Makes 82 calls from known lines; the function `put` is inlined.
C_SOURCE = """
#include <fcntl.h>
#include <unistd.h>
static inline __attribute__((always_inline)) void put(int file, int size) {
  char bytes[1000] = {0};
  if (write(file, bytes, size) < 0) _exit(1); /* put */
}
__attribute__((noinline)) int work(const char *name) {
  int file = open(name, O_RDWR | O_CREAT, 0600); /* open */
  char bytes[100];
  for (int i = 0; i < 50; i++)
    put(file, 1000);
  for (int i = 0; i < 30; i++)
    if (pread(file, bytes, sizeof(bytes), 0) < 0) return 1; /* get */
  return close(file); /* close */
}
int main(int argc, char **argv) { return argc > 1 ? work(argv[1]) : 2; }
"""


def line_of(source: str, mark: str) -> int:
    """Returns the number of the only line of a source that contains the text `mark`."""
    (number,) = (n for n, line in enumerate(source.splitlines(), 1) if mark in line)
    return number


def at(found: Found, file: Path | str, line: int) -> Found:
    """Returns the entry of a source line in the JSON of `darshan where`; fails if there is none."""
    (row,) = (
        row
        for row in found["lines"]
        if row["place"] and (row["place"]["file"], row["place"]["line"]) == (str(file), line)
    )
    return dict(row)


@dataclass
class Where:
    """Runs `darshan where` on logs of programs. program: starts these programs."""

    program: Program

    @property
    def folder(self) -> Path:
        """Returns the folder of the test."""
        return self.program.folder

    @property
    def log(self) -> Path:
        """Returns the path of the only log."""
        (log,) = self.program.logs()
        return log

    def compile(self, *flags: str, source: str = C_SOURCE, name: str = "program") -> Path:
        """Compiles a C program with debug information; returns its path. flags: for gcc; name: of
        the program's file."""
        # A call at the end of a function would leave no frame of it.
        first = ("gcc", "-g", "-O2", "-fno-optimize-sibling-calls", "-D_GNU_SOURCE")
        return compile_c(self.folder, source, *flags, name=name, first=first)

    def ask(
        self, *arguments: str | Path, log: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs `darshan where` on a log, by default the only one of the program. Returns its status
        and output. variables: to add to the environment."""
        plain = {k: v for k, v in os.environ.items() if not k.startswith("DARSHAN_")}
        return finished(
            [self.program.build / "darshan", "where", *arguments, log or self.log],
            env=plain | variables,
            timeout=SECONDS,
        )

    def found(self, *arguments: str, log: Path | None = None, **variables: str) -> Found:
        """Returns the JSON of `darshan where --json --top 100`; fails if the command prints a
        message."""
        done = self.ask("--json", "--top", "100", *arguments, log=log, **variables)
        assert (done.returncode, done.stderr) == (0, "")
        return dict(json.loads(done.stdout))

    def run(self, *command: str | Path) -> Found:
        """Runs a program, and returns the JSON of `darshan where` for its log."""
        self.program.start(*command)
        return self.found()


def tools(folder: Path, names: Sequence[str]) -> str:
    """Makes a folder with links to the programs `names` and to those that `darshan where` itself
    needs; returns it as a PATH that has no other programs."""
    folder.mkdir()
    for name in ("dirname", "readlink", "python3", *names):
        found = subprocess.run(["which", name], capture_output=True, text=True, check=True)
        (folder / name).symlink_to(found.stdout.strip())
    return str(folder)
