"""Tests use the modules of darshan-test/lab; laboratory.py finds a test that does their work
itself."""

from __future__ import annotations

from pathlib import Path

import laboratory
import pytest


def test_no_test_does_it_by_hand() -> None:
    """The tree has no violation, and no excuse that is not needed."""
    assert laboratory.strays() == []


@pytest.mark.parametrize(
    "line",
    [
        'env = {"LD_PRELOAD": "a.so"}',
        'env["LD_PRELOAD"] = "a.so"',
        'env = dict(os.environ, LD_PRELOAD="a.so")',
        'command = ["env", f"LD_PRELOAD={library}", "true"]',
        'module, rank = line.split("\\t")[:2]',
        'columns = line.rsplit(b"\\t", 2)',
        'written = re.findall(r"POSIX_WRITES\\t(\\d+)\\t", text)',
    ],
)
def test_what_is_found(line: str, tmp_path: Path) -> None:
    """A line that preloads a library or splits rows of darshan-parser, which is the work of
    darshan-test/lab, is reported with its number. Files in lab and bench are not searched."""
    for folder in ("front", "lab", "bench"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_it.py").write_text(f'"""LD_PRELOAD and tabs."""\n{line}\n')
    found = [stray for stray in laboratory.strays(tmp_path) if "no file needs" not in stray]
    assert len(found) == 1 and found[0].startswith("darshan-test/front/test_it.py:2: ")


def test_an_excuse_that_nothing_needs_is_found(tmp_path: Path) -> None:
    """An excuse is reported if its files have no such expression, and is not reported if one of
    them has it."""
    (tmp_path / "verdicts").mkdir()
    (tmp_path / "verdicts" / "known.py").write_text('rows = line.split("\\t")\n')
    found = laboratory.strays(tmp_path)
    assert all("no file needs" in stray for stray in found)
    assert not [stray for stray in found if "'verdicts/'" in stray]
    assert [stray for stray in found if "'logs/'" in stray]
