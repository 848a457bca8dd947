"""A library that the user preloads is loaded into the program, but not into other processes that
`darshan run` and `darshan stat` start."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from lab.compile import SHARED, compile_c
from lab.environment import preload

# Appends the name of each process that loads it to the file SEEN.
LIBRARY = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void seen(void) {
  char line[256];
  int fd = open(getenv("SEEN"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  int n = snprintf(line, sizeof(line), "%s\n", program_invocation_short_name);
  if (write(fd, line, n) != n) abort();
  close(fd);
}
"""


@pytest.mark.parametrize("front", ["run", "stat"])
def test_it_is_in_the_program(build: Path, tmp_path: Path, front: str) -> None:
    """A library in LD_PRELOAD is loaded into the program and its children, and into `darshan`
    itself, which the user started. It is not loaded into the report that `darshan stat` starts."""
    library = compile_c(tmp_path, LIBRARY, *SHARED, "-w", name="seen.so")
    done = subprocess.run(
        [build / "darshan", front, "--", "sh", "-c", "cat seen.so.c >copy; true"],
        cwd=tmp_path,
        env=os.environ | preload(library) | {"SEEN": f"{tmp_path}/seen"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "findings" not in done.stderr, "the report was there"
    assert sorted((tmp_path / "seen").read_text().split()) == ["cat", "darshan", "sh"]
