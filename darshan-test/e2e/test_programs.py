"""Each program of the tables has the same results as without the runtime, and its logs have the
counts that strace saw."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from logs.pydarshan import compare_with_pydarshan
from place import absent, needs
from sample import turning

from .compare import differences, sizes
from .descriptors import Tally
from .program import Program
from .programs import PROGRAMS
from .sandbox import Outcome, Recorded, Sandbox


def unchanged(program: Program, bare: Outcome, run: Outcome) -> None:
    """Checks that the program ended with its expected status, and that the runs without and with
    the runtime have the same output and files, except what the program's row exempts."""
    assert bare.status == program.status, bare.stderr.decode(errors="replace")

    def said(outcome: Outcome) -> tuple[int, bytes, bytes]:
        pattern = program.printed.encode()
        text = re.sub(pattern, b"*", outcome.stdout) if pattern else outcome.stdout
        return outcome.status, text, outcome.stderr

    assert said(run) == said(bare)

    def lasting(outcome: Outcome) -> dict[str, str]:
        kept = {n: d for n, d in outcome.files.items() if not re.fullmatch(program.changing, n)}
        return {re.sub(program.random, "*", n) if program.random else n: d for n, d in kept.items()}

    assert lasting(run) == lasting(bare)


def complete(recorded: Recorded, parser: Path, kills: bool) -> None:
    """Checks that there are logs, that PyDarshan reads the same from them as darshan-parser, and
    that no journals or other files are left. kills: processes of the program are killed, so these
    may be left."""
    assert recorded.paths
    assert kills or recorded.journals == recorded.others == []
    for path in recorded.paths:
        compare_with_pydarshan(parser, path)


def run_both(program: Program, box: Sandbox) -> tuple[Outcome, Outcome, dict[str, Tally]]:
    """Returns the outcomes without and with the runtime, and strace's counts by file: of the run
    with the runtime for a program with same_run, else of the run without it."""
    if program.same_run:
        bare = box.bare(program.command)
        run, counts = box.traced(program.command, box.settings())
    else:
        bare, counts = box.traced(program.command)
        run = box.instrumented(program.command)
    return bare, run, counts


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "program", [pytest.param(p, id=p.name) for p in turning(PROGRAMS, 1 / 2, "programs")]
)
def test_program(program: Program, build: Path, parser: Path, tmp_path: Path) -> None:
    """A program has the same output and files with the runtime, and its logs have strace's counts
    for every file."""
    needs(f"program:{program.command[0]}", "ptrace")
    if program.module and not importlib.util.find_spec(program.module):
        absent(f"{program.module} is not installed")
    box = Sandbox(tmp_path / "box", build, program.setup, program.environment)
    bare, run, counts = run_both(program, box)
    recorded = box.recorded()
    unchanged(program, bare, run)
    complete(recorded, parser, program.kills)
    assert any(name.startswith(str(box.work)) for name in counts), "strace saw no file of its own"
    found = differences(counts, recorded.log, program.random, program.inside)
    assert not found, "\n".join(found).replace(f"{box.base}/", "")
    wrong = sizes(recorded.log, box.sizes_left(), program.resized)
    assert not wrong, "\n".join(wrong).replace(f"{box.base}/", "")
