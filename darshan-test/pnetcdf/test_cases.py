"""For C programs with the PnetCDF library of this system, every row of the log is the one computed
from the program's output."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hdf5.observe import Rows, bare, instrumented, read_rows
from logs.pydarshan import compare_with_pydarshan
from mpi.launch import OPENMPI

from .compare import FILE, VAR, differences
from .model import Expected, from_facts
from .names import transfers

HERE = Path(__file__).resolve().parent
# The names of the cases in cases.c.
NAMES = re.findall(r"CASE\((\w+)\)", (HERE / "facts.h").read_text().split("(CASE)", 1)[1])
# Variables that let Open MPI run as root.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# The command that starts ranks; their number follows.
MPIEXEC = ["timeout", "100", "mpiexec.openmpi", *OPENMPI, "-n"]


@dataclass
class Runs:
    """Runs a case without and with the runtime, in folders of a test."""

    build: Path
    cases: Path
    parser: Path
    folder: Path
    logs: list[Path] = field(default_factory=list)

    def __call__(self, name: str, ranks: int = 1) -> tuple[Expected, Rows]:
        """Runs the case without and with the runtime on this many ranks, and checks that both leave
        the same files and output. Returns the expected records and the rows of the log."""
        work = {how: self.folder / how for how in ("bare", "instrumented")}
        for folder in work.values():
            folder.mkdir()
        command = [*MPIEXEC, str(ranks)] if ranks > 1 else []
        command += [str(self.cases), name]
        # A session folder of its own: mpiexec shares one with all jobs of the machine.
        extra = AS_ROOT | {"OMPI_MCA_orte_tmpdir_base": str(self.folder)}
        without = bare(command, work["bare"], extra)
        assert without.status == 0, without.stderr
        logs = self.folder / "logs"
        observed = instrumented(self.build, command, work["instrumented"], logs, extra)
        assert observed.status == 0, observed.stderr
        for path in work["bare"].iterdir():
            other = work["instrumented"] / path.name
            if path.suffix == ".nc":
                assert path.read_bytes() == other.read_bytes()
            else:
                same = path.read_text().replace(str(work["bare"]), str(work["instrumented"]))
                assert same == other.read_text()
        self.logs = [log for log in observed.logs if f"_{self.cases.name}_" in log.name]
        facts = [self.facts(rank) for rank in range(ranks)]
        return from_facts(facts), read_rows(self.parser, self.logs)

    def facts(self, rank: int = 0) -> str:
        """Returns the output of a rank in the run with the runtime."""
        return (self.folder / "instrumented" / f"facts.{rank}").read_text()


@pytest.fixture
def run_both(build: Path, cases: Path, parser: Path, tmp_path: Path) -> Runs:
    """Returns an object that runs a case without and with the runtime."""
    return Runs(build, cases, parser, tmp_path)


@pytest.mark.parametrize("name", ["every", *(name for name in NAMES if name != "many")])
def test_case(name: str, run_both: Runs) -> None:
    """The log of a case has exactly the PnetCDF counters that follow from the program's calls, and
    PyDarshan reads the same values."""
    expected, rows = run_both(name)
    assert len(run_both.logs) == 1
    assert expected.files
    wrong = list(differences(expected, rows))
    assert not wrong, "\n".join(wrong)
    assert compare_with_pydarshan(run_both.parser, run_both.logs[0]) > 0


def test_every_function_was_called(run_both: Runs) -> None:
    """The case "every" calls each transfer function of the runtime's table: once, and those for
    several variables twice."""
    run_both("every")
    facts = run_both.facts()
    called = re.findall(r"^(ncmpi_\w+) ", facts, re.M)
    assert set(called) == transfers()
    for name in transfers():
        assert called.count(name) == (2 if name.startswith(("ncmpi_mput", "ncmpi_mget")) else 1)


def test_every_row_is_exported(cases: Path, build: Path) -> None:
    """All 829 functions of calls.def and transfers.def exist in this system's PnetCDF, and
    libdarshan.so exports a wrapper of each."""
    table = HERE.parents[1] / "runtime" / "modules" / "pnetcdf" / "calls.def"
    names = transfers() | set(re.findall(r"^CALL\((\w+)", table.read_text(), re.M))
    assert len(names) == 829
    linked = subprocess.run(["ldd", cases], capture_output=True, text=True, check=True).stdout
    theirs = re.search(r"libpnetcdf\S* => (\S+)", linked)
    assert theirs
    for library in (theirs[1], str(build / "libdarshan.so")):
        symbols = subprocess.run(
            ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
        ).stdout
        assert names <= set(re.findall(r" T (\w+)$", symbols, re.M))


@pytest.mark.parametrize("name", ["every", "files"])
def test_four_ranks(name: str, run_both: Runs) -> None:
    """The PnetCDF records of a job of four ranks have the sums of what each rank did."""
    expected, rows = run_both(name, 4)
    assert run_both.logs
    wrong = list(differences(expected, rows, 4))
    assert not wrong, "\n".join(wrong)


def test_many(run_both: Runs) -> None:
    """Variables beyond the limit of records share one overflow record, and the totals are exact."""
    expected, rows = run_both("many")
    found = [row for (module, _), row in rows.items() if module == VAR]
    assert 1 < len(found) < len(expected.variables)
    for counter in ("OPENS", "COLL_WRITES", "PUT_VAR", "BYTES_WRITTEN"):
        wanted = sum(variable.counters[counter] for variable in expected.variables.values())
        assert sum(row[f"{VAR}_{counter}"] for row in found) == wanted


def test_what_is_below(run_both: Runs) -> None:
    """The LAYERS records of variables have the bytes that the program requested, and LAYERS has all
    POSIX calls on the file."""
    expected, rows = run_both("records")
    for name, variable in expected.variables.items():
        row = rows["LAYERS", name]
        assert row["LAYERS_BYTES_ASKED_READ"] == variable.counters["BYTES_READ"]
        assert row["LAYERS_BYTES_ASKED_WRITTEN"] == variable.counters["BYTES_WRITTEN"]
        assert row["LAYERS_UPPER_MODULE"] == 6
    (path,) = expected.files
    assert rows["LAYERS", path]["LAYERS_UPPER_MODULE"] == 5
    below = [row for (module, name), row in rows.items() if module == "LAYERS" and path in name]
    # Includes the file that Open MPI keeps beside an open file, with its name.
    files = [row for (module, name), row in rows.items() if module == "POSIX" and "r.nc" in name]
    for what in ("BYTES_READ", "BYTES_WRITTEN"):
        values = [v for row in below for key, v in row.items() if key.endswith(f"_POSIX_{what}")]
        assert sum(values) == sum(row[f"POSIX_{what}"] for row in files) > 0


def test_switched_off(build: Path, cases: Path, parser: Path, tmp_path: Path) -> None:
    """If PNETCDF_VAR is switched off, only PNETCDF_FILE has records."""
    work = tmp_path / "work"
    work.mkdir()
    extra = AS_ROOT | {"DARSHAN_MOD_DISABLE": "PNETCDF_VAR"}
    observed = instrumented(build, [cases, "records"], work, tmp_path / "logs", extra)
    rows = read_rows(parser, observed.logs)
    assert {module for module, _ in rows} & {FILE, VAR} == {FILE}
