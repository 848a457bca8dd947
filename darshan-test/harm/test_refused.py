"""Calls that libc refuses because of one argument: the wrapper does not read the memory of the
other arguments, which are invalid pointers."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import compile_c

PROGRAM = r"""
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
int main(void) {
  int fd = open("file", O_CREAT | O_RDWR, 0600);
  const struct sigaction *nowhere = (const struct sigaction *)(fd + 5L);
  int result = (CALL);
  printf("%d %d\n", result, errno);
  return 0;
}
"""

CALLS = {
    "closedir": "closedir(NULL)",
    "sigaction": "sigaction(9999, nowhere, NULL)",
    "sigaction-negative": "sigaction(-1, nowhere, NULL)",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_refused_call(build: Path, tmp_path: Path, name: str) -> None:
    """A call that the kernel refuses with EINVAL fails in the same way with the runtime. name: of
    the call."""
    source = PROGRAM.replace("CALL", CALLS[name])
    bare, recorded = both(build, tmp_path, [compile_c(tmp_path, source, "-w")])
    assert bare.stdout == b"-1 22\n"
    assert same_end(bare, recorded)
