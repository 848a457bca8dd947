"""HDF5 that comes and goes while a program runs, and HDF5 inside a program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from .observe import Observed, bare, instrumented, read_rows

INT = 4


def run_both(
    build: Path, command: list[str | Path], tmp_path: Path
) -> tuple[Observed, Observed, Path]:
    """Bare, then instrumented, in one folder; both must succeed, one log is left."""
    work = tmp_path / "work"
    work.mkdir()
    without = bare(command, work)
    assert without.status == 0, without.stdout + without.stderr
    shutil.rmtree(work)
    work.mkdir()
    with_us = instrumented(build, command, work, tmp_path / "logs")
    assert (with_us.status, with_us.stderr) == (0, without.stderr)
    assert len(with_us.logs) == 1
    assert not with_us.journals
    return without, with_us, work


def results(observed: Observed) -> list[str]:
    """What a program printed, but for whether the library is still loaded."""
    return [line for line in observed.stdout.splitlines() if not line.startswith("library ")]


def library_of(plugin: Path) -> str:
    """The HDF5 library that a plug-in is linked with, as the loader knows it."""
    text = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=True).stdout
    (line,) = [line for line in text.splitlines() if "libhdf5" in line and "_hl" not in line]
    return line.split("=>")[1].split()[0]


def test_load_and_unload(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """Each time the plug-in comes back its calls are seen.

    The runtime holds the library, whose functions it may have to call: only without
    the runtime does the library go, too.
    """
    plugin = programs / "plugin.so"
    command = [programs / "loads", plugin, library_of(plugin)]
    without, observed, work = run_both(build, command, tmp_path)
    assert without.stdout.count("library gone\n") == 4
    assert results(observed) == results(without)
    rows = read_rows(parser, observed.logs)
    for turn in range(4):
        file, data = rows["H5F", f"{work}/{turn}.h5"], rows["H5D", f"{work}/{turn}.h5:/d"]
        size = 8 * (turn + 1) * INT
        assert file["H5F_OPENS"] == 1
        assert [
            data[f"H5D_{counter}"]
            for counter in ("OPENS", "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN")
        ] == [1, 1, 1, size, size]
        assert file["H5F_F_CLOSE_END_TIMESTAMP"] > 0
        assert data["H5D_F_CLOSE_END_TIMESTAMP"] > 0


def test_looked_up_functions(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """What dlsym finds is not wrapped: the files are the same, their POSIX side is seen."""
    command = [programs / "loads", "-", library_of(programs / "plugin.so")]
    without, observed, work = run_both(build, command, tmp_path)
    assert results(observed) == results(without)
    rows = read_rows(parser, observed.logs)
    assert not [key for key in rows if key[0] in ("H5F", "H5D")]
    for turn in range(4):
        posix = rows["POSIX", f"{work}/{turn}.h5"]
        assert posix["POSIX_OPENS"] == 1
        assert posix["POSIX_BYTES_WRITTEN"] >= (work / f"{turn}.h5").stat().st_size > 0


def test_static(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """Of HDF5 inside a program the POSIX side is seen, and no H5 record is made up."""
    without, observed, work = run_both(build, [programs / "static"], tmp_path)
    assert observed.stdout == without.stdout
    rows = read_rows(parser, observed.logs)
    assert not [key for key in rows if key[0] in ("H5F", "H5D", "H5_META", "LAYERS")]
    posix = rows["POSIX", f"{work}/a.h5"]
    assert posix["POSIX_OPENS"] >= 1
    # The file is as long as its last byte, and every byte was written.
    assert posix["POSIX_MAX_BYTE_WRITTEN"] + 1 == (work / "a.h5").stat().st_size
    assert posix["POSIX_BYTES_WRITTEN"] >= 8 * INT


def test_no_symbol_of_hdf5(build: Path) -> None:
    """The runtime needs no HDF5, and names none of its libraries."""
    text = subprocess.run(
        ["readelf", "-dW", "--dyn-syms", build / "libdarshan.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    undefined = [line.split()[7] for line in text.splitlines() if " UND " in line and "H5" in line]
    assert not undefined
    assert "hdf5" not in text
    assert " H5Dread" in text  # else this looked at nothing
