"""A static program that contains the stand-ins of DAOS' libraries."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from daos.model import expected
from tree import SOURCE

from .runs import Installed, execute, need, run

DAOS = SOURCE / "darshan-test" / "daos"
PARTS = ("libdaos", "libdfs", "every")


@pytest.mark.parametrize("static", [True, False], ids=["static", "archives"])
def test_against_the_model(
    static: bool, installed: Installed, parser: Path, tmp_path: Path
) -> None:
    need("gcc", "ar")
    compiler = installed.compiler("gcc", tmp_path)
    for part in PARTS:
        run(["gcc", "-O1", "-c", DAOS / f"{part}.c", "-o", tmp_path / f"{part}.o"])
    for part in PARTS[:2]:
        run(["ar", "rcs", tmp_path / f"{part}.a", tmp_path / f"{part}.o"])
    objects = [tmp_path / name for name in ("every.o", "libdfs.a", "libdaos.a")]
    program = tmp_path / "program"
    run([compiler, *(["-static"] if static else []), *objects, "-o", program])
    ran = execute([program], tmp_path / "work", tmp_path / "logs", {"DARSHAN_JOB_TREE": "0"})
    (log,) = ran.logs
    text = subprocess.run([parser, log], capture_output=True, text=True, check=True).stdout
    found: dict[tuple[str, str], dict[str, int]] = {}
    for line in text.splitlines():
        module, *columns = line.split("\t")
        if module in ("DFS", "DAOS") and re.fullmatch(r"\d+", columns[3]):
            counter = columns[2].removeprefix(f"{module}_")
            found.setdefault((module, columns[4]), {})[counter] = int(columns[3])
    for name, counters in expected(ran.stdout).items():
        assert counters.items() <= found[name].items()
