"""Programs, static and dynamic, that contain stand-ins for DAOS' libraries are recorded if they are
linked with the runtime."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from daos.model import expected
from lab.log import parsed, rows_in
from tree import SOURCE

from .runs import Installed, execute, need, run

# The folder of the stand-ins and of the program.
DAOS = SOURCE / "darshan-test" / "daos"
# The names of their sources.
PARTS = ("libdaos", "libdfs", "every")


@pytest.mark.parametrize("static", [True, False], ids=["static", "archives"])
def test_against_the_model(
    static: bool, installed: Installed, parser: Path, tmp_path: Path
) -> None:
    """The counters of a linked program are those that the program itself expects, also in a static
    program. static: whether the program is static; otherwise it is dynamic and has the libraries
    from archives."""
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
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows_in(parsed(parser, log), "DFS", "DAOS"):
        if re.fullmatch(r"\d+", row.text):
            found.setdefault((row.module, row.name), {})[row.short] = int(row.text)
    for name, counters in expected(ran.stdout).items():
        assert counters.items() <= found[name].items()
