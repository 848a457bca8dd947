"""The call sites of a Python program have the lines of its calls, and imports have one site
each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .stacks import KINDS, Outcome, Program

SCRIPT = Path(__file__).with_name("reads.py")


def line_of(text: str) -> int:
    """Returns the number of the script's only line that contains a text."""
    (number,) = (n for n, line in enumerate(SCRIPT.read_text().splitlines(), 1) if text in line)
    return number


def place(text: str, function: str) -> str:
    """Returns the element of a call site's name for the script's line that contains `text`.
    function: in which the line is."""
    return f"{SCRIPT}:{line_of(text)}:{function}"


@pytest.fixture
def outcome(program: Program) -> Outcome:
    """Runs reads.py with the Python of the tests; it imports a package of four modules. Returns the
    contents of its log."""
    package = program.folder / "path" / "pieces"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from . import first\nfrom . import second\n")
    (package / "first.py").write_text("from . import third\n")
    for name in ("second", "third"):
        (package / f"{name}.py").write_text("")
    path = {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    program.start(sys.executable, "-S", SCRIPT, "data", **path)
    (log,) = program.logs()
    return program.read(log)


def site(outcome: Outcome, *elements: str) -> dict[str, float]:
    """Returns the counters of the call site whose name has exactly these elements: the called
    function and the frames, innermost first."""
    return outcome.rows["SITES"][";".join(elements)]


def test_lines_of_reads(outcome: Outcome) -> None:
    """A function that is called from two lines has two call sites, each with its own calls."""
    end = place("main(sys.argv[1])", "<module>")
    for count in (10, 20):
        row = site(
            outcome,
            "read",
            place("file.read", "load"),
            place(f"load(name, {count})", "main"),
            end,
        )
        assert (row["READS"], row["BYTES_READ"], row["KIND"]) == (count, 100 * count, 0)
    row = site(outcome, "stat64", place("os.stat", "main"), end)
    assert row["LOOKUPS"] == 50


def test_a_recursion_in_python(outcome: Outcome) -> None:
    """A function that calls itself to depths of 0 to 6 has two call sites: with and without the
    line of the recursion, whatever the depth."""
    write, again = place("os.write", "Table.append"), place("self.append(", "Table.append")
    if sys.version_info < (3, 11):
        write, again = (text.replace("Table.append", "append") for text in (write, again))
    end = (place("table.append(", "main"), place("main(sys.argv[1])", "<module>"))
    assert site(outcome, "write", write, *end)["WRITES"] == 72
    assert site(outcome, "write", write, again, *end)["WRITES"] == 500 - 72


def test_imports_belong_to_a_line(outcome: Outcome) -> None:
    """All calls of the import machinery below one import statement have a single call site, at its
    line."""
    row = site(outcome, "import", place("import pieces", "<module>"))
    folders = 2  # the finder lists them
    assert row["OPENS"] == 4 + folders
    assert row["READS"] >= 4 and row["LOOKUPS"] > row["OPENS"]
    for name, counters in outcome.rows["SITES"].items():
        frames = name.split(";")[1:]
        assert not frames or "importlib" not in frames[0] or not sum(counters[k] for k in KINDS)


# Runs scripts one after the other: each code object is freed, and the next one made at its address.
ONE_AFTER_THE_OTHER = """
import time
for number in range(40):
    text = "import os, time\\ntime.sleep(0.004)\\nfor _ in range(25): os.read(file, 10)\\n"
    with open(__file__, "rb", buffering=0) as data:
        exec(compile(text, f"/scripts/{number:02}.py", "exec"), {"file": data.fileno()})
"""


def test_code_objects_of_the_same_address(program: Program) -> None:
    """Forty scripts run one after another, with code objects at the same address: each has its own
    calls."""
    script = program.folder / "scripts.py"
    script.write_text(ONE_AFTER_THE_OTHER)
    program.start(sys.executable, "-S", script)
    (log,) = program.logs()
    rows = program.read(log).rows["SITES"]
    reads = {name.split(";")[1]: row["READS"] for name, row in rows.items() if "scripts/" in name}
    assert reads == {f"/scripts/{number:02}.py:3:<module>": 25 for number in range(40)}
