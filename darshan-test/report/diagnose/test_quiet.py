"""Real runs of ordinary programs (cp, tar, sqlite3, gcc, sort) have no findings that are
problems."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.finding import PROBLEM
from darshan_report.diagnose.run import diagnose
from place import needs

_LINES = 20_000
_ROWS = 5_000


def copy(folder: Path) -> list[str]:
    """Makes a file. Returns the command that copies it."""
    (folder / "a").write_bytes(os.urandom(8 << 20))
    return ["cp", "a", "b"]


def pack(folder: Path) -> list[str]:
    """Makes many small files. Returns the command that packs them."""
    (folder / "tree").mkdir()
    for number in range(200):
        (folder / "tree" / f"{number}.txt").write_text(f"{number}\n" * 500)
    return ["tar", "cf", "tree.tar", "tree"]


def database(folder: Path) -> list[str]:
    """Writes the commands that fill a database in one transaction. Returns the command that runs
    them."""
    values = ", ".join(f"({i}, 'row {i}')" for i in range(_ROWS))
    (folder / "make.sql").write_text(
        f"create table t (k integer primary key, v text); begin; insert into t values {values};"
        "commit; select count(*) from t;\n"
    )
    return ["sqlite3", "-bail", "t.db", ".read make.sql"]


def compiler(folder: Path) -> list[str]:
    """Writes a C program. Returns the command that compiles it."""
    (folder / "a.c").write_text(
        "#include <stdio.h>\n#include <math.h>\n#include <pthread.h>\n"
        'int main(void) { return printf("%f\\n", 1.0) < 0; }\n'
    )
    return ["gcc", "-O2", "-o", "a", "a.c"]


def sort(folder: Path) -> list[str]:
    """Writes a file of lines. Returns the command that sorts it."""
    (folder / "lines").write_text("".join(f"{i * 7919 % _LINES}\n" for i in range(_LINES)))
    return ["sort", "-n", "-o", "sorted", "lines"]


@pytest.mark.parametrize("program", [copy, pack, database, compiler, sort])
def test_quiet(program: Callable[[Path], list[str]], build: Path, tmp_path: Path) -> None:
    """A real program without a problem has no problem in the report. program: makes its files, and
    returns its command."""
    work = tmp_path / "work"
    work.mkdir()
    command = program(work)
    needs(f"program:{command[0]}")
    subprocess.run(
        [build / "darshan", "run", "-o", tmp_path / "logs", "--", *command],
        cwd=work, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    logs = sorted((tmp_path / "logs").glob("*.darshan"))
    assert logs
    for path in logs:
        with open_log(path) as log:
            problems = [(f.name, f.sentence) for f in diagnose(log) if f.kind == PROBLEM]
        assert not problems, path.name
