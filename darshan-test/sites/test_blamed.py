"""Each finding names its line: programs of blamed.py, in which one line causes the problem."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab.command import finished
from place import needs

from .blamed import PROGRAMS, Blamed
from .where import SECONDS, Where, line_of

# Thresholds by which every cost is reported: the tests are about lines, not about what is worth
# reporting on a busy machine.
THRESHOLDS = "stake.share = 0\nstake.seconds = 0\n"
COMPILERS = {
    "c": ["gcc", "-O2"],
    "cc": ["g++", "-O2"],
    "f90": ["gfortran", "-O2"],
    "rs": ["rustc", "-Copt-level=2"],
}
INTERPRETERS = {"py": [sys.executable], "sh": ["bash"]}


def start(where: Where, program: Blamed) -> Path:
    """Compiles a program if necessary, and runs it with call sites recorded. Returns the path of
    its source."""
    source = where.folder / f"{program.name}.{program.ending}"
    source.write_text(program.source)
    command: list[str | Path] = [*INTERPRETERS.get(program.ending, []), source]
    if program.ending in COMPILERS:
        compiler = COMPILERS[program.ending]
        if not shutil.which(compiler[0]):
            needs("rust" if compiler[0] == "rustc" else f"program:{compiler[0]}")
        if program.ending == "rs" and not shutil.which("addr2line"):
            needs("program:addr2line")
        command = [where.folder / "program"]
        subprocess.run([*compiler, "-g", "-o", *command, source], check=True)
    where.program.start(*command)
    return source


def findings(where: Where) -> list[dict[str, Any]]:
    """Returns the findings of the report's JSON on the only log, with the thresholds THRESHOLDS."""
    thresholds = where.folder / "thresholds"
    thresholds.write_text(THRESHOLDS)
    done = finished(
        [
            where.program.build / "darshan",
            "report",
            "--json",
            "--thresholds",
            thresholds,
            "-o",
            "-",
            where.log,
        ],
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout)["findings"])


@pytest.mark.parametrize("blamed", PROGRAMS, ids=lambda blamed: f"{blamed.name}.{blamed.ending}")
def test_blamed(blamed: Blamed, where: Where) -> None:
    """The finding that the program's line causes names this line."""
    source = start(where, blamed)
    told = findings(where)
    found = [f for f in told if f["name"].startswith(tuple(blamed.diagnosis.split("|")))]
    assert found, [(f["name"], f["line"]) for f in told]
    place = (found[0]["line"] or {}).get("place") or {}
    wanted = (str(source), line_of(blamed.source, "here"))
    part = r": (\d+(\.\d)? % of .*|all (such|of|bytes).*|the file's [\d,]+ [a-z ]+)$"
    assert not place or re.search(part, found[0]["line"]["text"]), found[0]["line"]
    is_right = (place.get("file"), place.get("line")) == wanted
    assert is_right, (found[0]["line"], [f["name"] for f in told])
