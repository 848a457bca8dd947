"""The generated tables of doc/performance.md have the rows that the benchmark makes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import pytest  # noqa: E402 - the lines above find what follows
from call_costs import COUNTED, KINDS  # noqa: E402
from daos_figures import KINDS as DAOS  # noqa: E402
from hdf5_figures import KINDS as HDF5  # noqa: E402
from page_tables import ABOUT, PAGE, blocks, filled, line  # noqa: E402
from process_costs import PROGRAMS  # noqa: E402
from rows import Row  # noqa: E402


def parts() -> set[str]:
    """Returns the names of the benchmark's parts (PARTS of bench/run). A separate process imports
    the benchmark, because some of its modules are named like packages of tests."""
    ask = "import runpy, sys; print(*runpy.run_path(sys.argv[1])['PARTS'])"
    command = [sys.executable, "-c", ask, str(HERE / "run")]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return set(done.stdout.split())


def figures(name: str) -> list[str]:
    """Returns the first cells of the rows, without the heading, of the table `name` in
    doc/performance.md."""
    body = blocks(PAGE.read_text("utf-8"))[name]
    return re.findall(r"^\| (.*?) \|", body, re.MULTILINE)[1:]


def test_each_part_has_its_table() -> None:
    """Every part of the benchmark has a table with rows, and there is no other generated table."""
    made = blocks(PAGE.read_text("utf-8"))
    assert made.keys() == parts() | {ABOUT}
    assert all(figures(name) for name in parts())


def test_the_machine_is_named() -> None:
    """The first table says on which machine, when and of which build all others were measured."""
    rows = dict(re.findall(r"^\| (.+?) \| (.+) \|$", blocks(PAGE.read_text("utf-8"))[ABOUT], re.M))
    for name in ("date", "machine", "kernel", "C library", "compiler", "commit"):
        assert rows.get(name, "unknown") != "unknown", name


@pytest.mark.parametrize(
    ("part", "labels"),
    [
        ("calls", [kind.label for kind in KINDS]),
        ("instructions", [f"instructions added: {kind.label}" for kind in COUNTED]),
        ("daos", [label for label, _ in DAOS.values()]),
        ("hdf5", [label for label, _ in HDF5.values()]),
        ("runs", [f"`darshan run` of {name}" for name in PROGRAMS]),
    ],
)
def test_tables_have_all_rows(part: str, labels: list[str]) -> None:
    """The page's table of a part has rows with all labels of the benchmark, in its order."""
    told = figures(part)
    assert [row for row in told if row in labels] == labels


def test_only_tables_are_written() -> None:
    """Filling in new tables leaves the page's text around them unchanged. It raises ValueError if a
    table of the page gets no contents."""
    text = PAGE.read_text("utf-8")
    row = line(Row("a|b", "1 ns", "2 ns", False))
    assert row == "| a\\|b | 1 ns | 2 ns | missed |\n"
    made = dict.fromkeys(blocks(text), row)
    written = filled(text, made)
    assert blocks(written) == made
    assert filled(written, blocks(text)) == text
    del made[ABOUT]
    with pytest.raises(ValueError, match=ABOUT):
        filled(text, made)
