"""PnetCDF's own programs write and print the same with the runtime.

The programs of Debian 12 contain PnetCDF, so no preloaded library can wrap its functions: the log
has only their calls of MPI-IO and POSIX. The programs of Debian 13 use the shared library, and
their log has records of PnetCDF."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hdf5.observe import bare, instrumented, read_rows
from place import needs

from .test_cases import AS_ROOT

# A NetCDF file as text.
CDL = """netcdf sample {
dimensions:
  time = UNLIMITED ;
  x = 5 ;
variables:
  int grid(time, x) ;
    grid:units = "m" ;
  double line(x) ;
data:
  grid = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ;
  line = 0.5, 1.5, 2.5, 3.5, 4.5 ;
}
"""
# The programs, with arguments.
COMMANDS = (
    ["ncmpigen", "-o", "sample.nc", "sample.cdl"],
    ["ncmpidump", "sample.nc"],
    ["ncmpidump", "-v", "line", "sample.nc"],
    ["ncmpidiff", "sample.nc", "sample.nc"],
    ["cdfdiff", "sample.nc", "sample.nc"],
    ["ncvalidator", "sample.nc"],
    ["ncoffsets", "sample.nc"],
)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Makes a folder with a NetCDF file and its description as text. Returns the folder. Skips the
    tests without PnetCDF's programs."""
    needs("program:ncmpigen")
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / "sample.cdl").write_text(CDL)
    made = bare(COMMANDS[0], folder, AS_ROOT)
    assert made.status == 0, made.stderr
    return folder


def uses_library(program: str) -> bool:
    """Returns whether a program is linked with PnetCDF's shared library."""
    path = shutil.which(program)
    assert path, program
    needed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True)
    return "libpnetcdf.so" in needed.stdout


@pytest.mark.parametrize("command", COMMANDS, ids=[" ".join(command) for command in COMMANDS])
def test_program(
    command: list[str], sample: Path, build: Path, parser: Path, tmp_path: Path
) -> None:
    """A program of PnetCDF has the same status, output and file as without the runtime, and the log
    has its operations on the file."""
    work = tmp_path / "work"
    shutil.copytree(sample, work)
    without = bare(command, work, AS_ROOT)
    before = (work / "sample.nc").read_bytes()
    shutil.rmtree(work)
    shutil.copytree(sample, work)
    observed = instrumented(build, command, work, tmp_path / "logs", AS_ROOT)
    assert observed.status == without.status == 0
    assert (observed.stdout, observed.stderr) == (without.stdout, without.stderr)
    assert (work / "sample.nc").read_bytes() == before
    rows = read_rows(parser, observed.logs)
    posix = rows["POSIX", str(work / "sample.nc")]
    assert posix["POSIX_OPENS"] > 0
    moved = "POSIX_BYTES_WRITTEN" if command[0] == "ncmpigen" else "POSIX_BYTES_READ"
    assert posix[moved] > 0
    assert (("PNETCDF_FILE", str(work / "sample.nc")) in rows) == uses_library(command[0])
