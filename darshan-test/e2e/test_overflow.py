"""If a program uses more files than the limit of records, the sums over all records stay exact: no
call is lost."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from .compare import COUNTERS, EXCLUDED
from .descriptors import Tally
from .program import Program
from .programs import PROGRAMS
from .sandbox import Sandbox

# Records of POSIX.
LIMIT = 7
# Programs without streams, in which a counter has each call.
CHOSEN = [p for p in PROGRAMS if p.name in ("cp-tree", "tar-create", "rsync")]


@pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in CHOSEN])
def test_totals(program: Program, build: Path, tmp_path: Path) -> None:
    """With few records, the sums of all counters equal strace's, and at most LIMIT files per
    process have records of their own."""
    box = Sandbox(tmp_path / "box", build, program.setup, program.environment)
    box.configuration.write_text(f"MAX_RECORDS {LIMIT} POSIX\n")
    outcome, counts = box.traced(program.command, box.settings())
    assert outcome.status == 0
    recorded = box.recorded()
    rows = {n: row for (module, n), row in recorded.log.records.items() if module == "POSIX"}
    shared = set(recorded.log.groups)
    assert shared
    assert len(set(rows) - shared) <= LIMIT * int(recorded.log.header["nprocs"])
    seen = Tally()
    for name, tally in counts.items():
        if not EXCLUDED.match(name):
            seen.add(tally)
    ours = {kind: sum(r[counter] for r in rows.values()) for kind, counter in COUNTERS.items()}
    ours["opens"] -= sum(r["POSIX_FILENOS"] for r in rows.values())
    compared = [item.name for item in fields(Tally) if item.name in COUNTERS]
    assert ours == {kind: getattr(seen, kind) for kind in compared}
