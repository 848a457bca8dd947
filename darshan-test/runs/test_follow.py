"""How the tests of runs follow descriptors through strace's output, checked with a hand-written
trace of inherited descriptors."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from e2e.descriptors import Tally
from e2e.handlers import count
from lab.compile import compile_c
from lab.log import Log
from lab.strace import read_trace
from place import needs

from .compare import differences
from .row import Row
from .watched import watched_in

TRACE = r"""
10 execve("/usr/bin/sh", ["sh"], 0x1 /* 2 vars */) = 0
10 openat(AT_FDCWD</w>, "out", O_WRONLY|O_CREAT, 0600) = 3</w/out>
10 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 11
11 dup2(3</w/out>, 1) = 1</w/out>
11 execve("/usr/bin/cat", ["cat"], 0x1 /* 2 vars */) = 0
11 read(0</w/in>, "x"..., 100) = 100
11 read(0</w/in>, ""..., 100) = 0
11 write(1</w/out>, "x"..., 100) = 100
11 write(2</dev/null<char 1:3>>, "x"..., 9) = 9
11 write(5<pipe:[77]>, "x"..., 9) = 9
10 vfork( <unfinished ...>
12 openat(AT_FDCWD</w>, "by libc", O_RDONLY) = 4</w/by libc>
12 execve("/w/static", ["static"], 0x1 /* 2 vars */) = 0
10 <... vfork resumed>) = 12
12 write(1</w/out>, "x"..., 3) = 3
12 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 13
13 write(1</w/out>, "x"..., 3) = 3
13 execve("/usr/bin/cat", ["cat"], 0x1 /* 2 vars */) = 0
13 read(4</w/by libc>, "x"..., 7) = 7
13 memfd_create("m", 0) = 6</memfd:m>(deleted)
13 write(6</memfd:m>(deleted), "x"..., 7) = 7
13 write(1</w/gone>(deleted), "x"..., 8) = 8
"""


def totals(tmp_path: Path) -> dict[str, Tally]:
    """Returns the counts of the trace TRACE by file; the program /w/static is not recorded."""
    path = tmp_path / "trace"
    path.write_text(TRACE)
    return count(read_trace(path), "/w", lambda program: program != "/w/static")


def test_inherited(tmp_path: Path) -> None:
    """The trace of strace gives each file the calls on inherited descriptors."""
    assert totals(tmp_path) == {
        "/w/out": Tally(opens=2, writes=1, bytes_written=100),
        "/w/in": Tally(reads=2, bytes_read=100),
        "/w/by libc": Tally(reads=1, bytes_read=7),
        "/w/gone": Tally(writes=1, bytes_written=8),
    }


def record(**counters: int) -> dict[str, float]:
    """Returns a record of POSIX with these counters."""
    return {f"POSIX_{name}": float(value) for name, value in counters.items()}


@pytest.mark.parametrize(("written", "found"), [(100, 0), (99, 1), (101, 1)])
def test_differences(tmp_path: Path, written: int, found: int) -> None:
    """A log that differs from the trace is reported. written: bytes in the log. found: expected
    number of differences."""
    rows = {
        "/w/out": record(OPENS=2, WRITES=1, BYTES_WRITTEN=written),
        "/w/in": record(READS=2, BYTES_READ=100),
        "/w/by libc": record(READS=1, BYTES_READ=7),
        "/w/gone": record(WRITES=1, BYTES_WRITTEN=8),
    }
    log = Log(records={("POSIX", name): row for name, row in rows.items()})
    assert len(differences(Row("name", []), totals(tmp_path), log, "/w")) == found


def test_streams() -> None:
    """The writes of a stream are compared exactly, its reads as an upper bound."""
    seen = {"/w/a": Tally(opens=1, reads=2, writes=3, bytes_read=8192, bytes_written=50)}
    stream = {"STDIO_OPENS": 1.0, "STDIO_BYTES_READ": 10.0, "STDIO_BYTES_WRITTEN": 50.0}
    log = Log(records={("STDIO", "/w/a"): stream})
    assert differences(Row("name", []), seen, log, "/w") == []
    stream["STDIO_BYTES_WRITTEN"] = 49.0
    assert len(differences(Row("name", []), seen, log, "/w")) == 1


def test_static_programs_are_told(tmp_path: Path, build: Path) -> None:
    """Programs that cannot be instrumented are recognized: static ones, those of another C library,
    and their scripts."""
    needs("program:musl-gcc")
    first = {"static": ["gcc", "-static"], "dynamic": ["gcc"], "musl": ["musl-gcc"]}
    for name, command in first.items():
        compile_c(tmp_path, "int main(void) { return 0; }\n", name=name, first=command)
    (tmp_path / "script").write_text(f"#! {tmp_path}/static -x\n")
    (tmp_path / "other").write_text("#!/bin/sh\n")
    watched = watched_in(build)
    names = ("static", "dynamic", "musl", "script", "other", "missing")
    told = {name: watched(str(tmp_path / name)) for name in names}
    assert told == {name: name in ("dynamic", "other", "missing") for name in names}
    assert not watched(str(build / "darshan"))
    assert watched(shutil.which("sh") or "")
