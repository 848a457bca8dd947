"""For C programs with this system's HDF5, every row of the log equals the value computed from the
program's calls."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from .compare import differences
from .layers import disagreements, sums
from .model import Dataset, from_facts
from .observe import Observed, Rows, bare, instrumented, read_rows

# Names of all cases in facts.h.
CASES = re.findall(
    r"CASE\((\w+)\)", Path(__file__).with_name("facts.h").read_text().split("(CASE)", 1)[1]
)
# Cases that have tests of their own.
APART = {"anonymous", "forked", "many_datasets"}


def run_both(
    build: Path, programs: Path, name: str, tmp_path: Path, configuration: str = ""
) -> tuple[Observed, Path]:
    """Runs the case `name` without and with the runtime, each time in a new folder of the same
    name. Fails unless both succeed with the same output. Returns the run with the runtime, and the
    folder. configuration: lines for the runtime's configuration file."""
    (tmp_path / "configuration").write_text(configuration)
    settings = {"DARSHAN_CONFIG_PATH": str(tmp_path / "configuration")}
    command = [programs / "hdf5-cases", name]
    work = tmp_path / "work"
    work.mkdir()
    without = bare(command, work)
    assert without.status == 0, without.stderr
    shutil.rmtree(work)
    work.mkdir()
    with_us = instrumented(build, command, work, tmp_path / "logs", settings)
    assert (with_us.status, with_us.stdout, with_us.stderr) == (0, without.stdout, without.stderr)
    assert not with_us.journals
    return with_us, work


@pytest.mark.parametrize("name", [name for name in CASES if name not in APART])
def test_case(name: str, build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """The log of a case has exactly the H5F, H5D and H5_META counters that follow from the
    program's calls, and LAYERS records whose sums agree with POSIX."""
    observed, work = run_both(build, programs, name, tmp_path)
    assert len(observed.logs) == 1
    model = from_facts(work, observed.stdout)
    assert model.files
    rows = read_rows(parser, observed.logs)
    wrong = [*differences(model, rows), *disagreements(model, rows)]
    assert not wrong, "\n".join(wrong).replace(f"{work}/", "")


def transfers(rows: Rows, work: Path) -> dict[str, float]:
    """Returns the sums of reads, writes and bytes over all datasets of a.h5, by counter. work: the
    folder of the file."""
    total: dict[str, float] = {}
    for (module, name), row in rows.items():
        if module == "H5D" and name.startswith(f"{work}/a.h5:"):
            for counter in ("H5D_READS", "H5D_WRITES", "H5D_BYTES_READ", "H5D_BYTES_WRITTEN"):
                total[counter] = total.get(counter, 0) + row[counter]
    return total


def test_anonymous(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """A dataset that gets its name by a link after its creation is recorded under this name.
    Transfers of two datasets without names at the same time share the record <anonymous>."""
    observed, work = run_both(build, programs, "anonymous", tmp_path)
    rows = read_rows(parser, observed.logs)
    grid = 6 * 10 * 2
    assert transfers(rows, work) == {
        "H5D_READS": 1,
        "H5D_WRITES": 2,
        "H5D_BYTES_READ": grid,
        "H5D_BYTES_WRITTEN": 2 * grid,
    }
    names = {name.removeprefix(f"{work}/") for module, name in rows if module == "H5D"}
    assert names == {"a.h5:/late", "two.h5:<anonymous>"}
    assert rows["H5D", f"{work}/two.h5:<anonymous>"]["H5D_OPENS"] == 2


def test_forked(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """Parent and child of a fork each record their own HDF5 calls, including those on objects that
    the parent opened."""
    observed, work = run_both(build, programs, "forked", tmp_path)
    rows = read_rows(parser, observed.logs)
    size = 8 * 4
    inherited, own = rows["H5D", f"{work}/a.h5:/d"], rows["H5D", f"{work}/b.h5:/d"]
    counters = ("OPENS", "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN")
    assert [inherited[f"H5D_{counter}"] for counter in counters] == [1, 3, 1, 3 * size, size]
    assert [own[f"H5D_{counter}"] for counter in counters] == [1, 0, 1, 0, size]
    assert rows["H5F", f"{work}/a.h5"]["H5F_OPENS"] == 1
    assert rows["H5F", f"{work}/b.h5"]["H5F_OPENS"] == 1


def test_many_datasets(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """Datasets beyond the record limit are recorded together in one overflow record, so that totals
    are exact."""
    observed, _ = run_both(build, programs, "many_datasets", tmp_path, "MAX_RECORDS 1024 H5D\n")
    rows = read_rows(parser, observed.logs)
    found = [row for (module, _), row in rows.items() if module == "H5D"]
    assert 1 < len(found) < 3000
    for counter, value in (("OPENS", 3000), ("WRITES", 3000), ("BYTES_WRITTEN", 3000 * 120)):
        assert sum(row[f"H5D_{counter}"] for row in found) == value
    assert not list(sums(rows))


def test_model_of_common_accesses() -> None:
    """Tests model.py itself: its most common accesses agree with the example of the specification,
    and accesses with equal counts are ordered as specified."""
    data = Dataset("f")
    data.transferred("WRITE", "384", "regular", "6,8", "4,5")
    data.transferred("READ", "8", "all", "-", "-")
    data.transferred("READ", "8", "all", "-", "-")
    data.transferred("READ", "0", "none", "-", "-")
    expected = data.expected()
    assert (expected["ACCESS1_ACCESS"], expected["ACCESS1_COUNT"]) == (8, 2)
    assert (expected["ACCESS2_LENGTH_D5"], expected["ACCESS2_LENGTH_D4"]) == (6, 8)
    assert (expected["ACCESS2_STRIDE_D5"], expected["ACCESS2_STRIDE_D4"]) == (4, 5)
    assert expected["ACCESS3_ACCESS"] == 0
