"""Tests HDF5 that is loaded and unloaded during a run, and statically linked HDF5."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .observe import Observed, Rows, bare, instrumented, read_rows

# Bytes of an integer, and rounds of loads.c.
INT, ROUNDS = 4, 4
# Line with the size of a file that loads.c prints.
SIZE = re.compile(r"^\d+\.h5: (\d+) bytes$", re.M)


def run_both(
    build: Path, command: list[str | Path], tmp_path: Path
) -> tuple[Observed, Observed, Path]:
    """Runs a command without and with the runtime, each time in a new folder of the same name.
    Fails unless both succeed and the second run leaves one log. Returns both runs, and the
    folder."""
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


def library_of(plugin: Path) -> str:
    """Returns the path of the HDF5 library that a plug-in is linked with, as the loader knows
    it."""
    text = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=True).stdout
    (line,) = [line for line in text.splitlines() if "libhdf5" in line and "_hl" not in line]
    return line.split("=>")[1].split()[0]


def command_of(programs: Path, function: str) -> list[str | Path]:
    """Returns the command that loads the plug-in, calls one of its functions and unloads it,
    several times. function: use_hdf5 or leave_hdf5."""
    plugin = programs / "plugin.so"
    return [programs / "loads", plugin, library_of(plugin), function]


def transfers(rows: Rows, work: Path) -> list[list[float]]:
    """Returns for each round the opens of the file, then opens, reads, writes, bytes read and bytes
    written of its dataset."""
    found = []
    for turn in range(ROUNDS):
        file, data = rows["H5F", f"{work}/{turn}.h5"], rows["H5D", f"{work}/{turn}.h5:/d"]
        counters = ("OPENS", "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN")
        found.append([file["H5F_OPENS"], *(data[f"H5D_{counter}"] for counter in counters)])
    return found


# Result of transfers() for plugin.c.
EXPECTED = [[1, 1, 1, 1, *[8 * (turn + 1) * INT] * 2] for turn in range(ROUNDS)]


def test_load_and_unload(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """HDF5 calls of a plug-in are recorded each time it is loaded again, and the runtime does not
    prevent HDF5 from being unloaded."""
    without, observed, work = run_both(build, command_of(programs, "use_hdf5"), tmp_path)
    assert without.stdout.count("library gone\n") == ROUNDS
    assert observed.stdout == without.stdout
    rows = read_rows(parser, observed.logs)
    assert transfers(rows, work) == EXPECTED
    for turn in range(ROUNDS):
        assert rows["H5F", f"{work}/{turn}.h5"]["H5F_F_CLOSE_END_TIMESTAMP"] > 0
        assert rows["H5D", f"{work}/{turn}.h5:/d"]["H5D_F_CLOSE_END_TIMESTAMP"] > 0


def test_unload_with_open_files(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """Files that a plug-in leaves open are written when HDF5 is unloaded, and recorded without a
    close. Their ids, which HDF5 uses again after it is reloaded, are not confused."""
    without, observed, work = run_both(build, command_of(programs, "leave_hdf5"), tmp_path)
    assert without.stdout.count("library gone\n") == ROUNDS
    assert observed.stdout == without.stdout  # with the sizes of the files
    assert [int(size) > 8 * INT for size in SIZE.findall(without.stdout)] == [True] * ROUNDS
    rows = read_rows(parser, observed.logs)
    assert transfers(rows, work) == EXPECTED
    for turn in range(ROUNDS):
        assert rows["H5F", f"{work}/{turn}.h5"]["H5F_F_CLOSE_END_TIMESTAMP"] == 0


@pytest.mark.parametrize(("how", "library"), [("program", "the same"), ("libc", "another")])
def test_another_library_at_the_same_place(
    how: str, library: str, build: Path, parser: Path, tmp_path: Path
) -> None:
    """If a plug-in is replaced by another one at the same address, whose HDF5 returns the same id,
    calls reach the right library and are counted for the right file. how: the way of unloading;
    library: whether the second library has the same address."""
    folder = build / "darshan-test" / "hdf5"
    command = [folder / "replaces", folder / "user1.so", how, folder / "user2.so"]
    without, observed, work = run_both(build, command, tmp_path)
    assert without.stdout == f"answer 1\nanswer 2\nthe same place\n{library} library\n"
    assert observed.stdout == without.stdout
    rows = read_rows(parser, observed.logs)
    flushes = {name: row["H5F_FLUSHES"] for (module, name), row in rows.items() if module == "H5F"}
    assert flushes == {f"{work}/1.h5": 1, f"{work}/2.h5": 1}


def test_looked_up_functions(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """Calls of HDF5 by functions that dlsym returned are not recorded as HDF5's, but work, and
    their POSIX calls are recorded."""
    command = [programs / "loads", "-", library_of(programs / "plugin.so"), "none"]
    without, observed, work = run_both(build, command, tmp_path)
    assert observed.stdout == without.stdout
    rows = read_rows(parser, observed.logs)
    assert not [key for key in rows if key[0] in ("H5F", "H5D")]
    for turn in range(ROUNDS):
        posix = rows["POSIX", f"{work}/{turn}.h5"]
        assert posix["POSIX_OPENS"] == 1
        assert posix["POSIX_BYTES_WRITTEN"] >= (work / f"{turn}.h5").stat().st_size > 0


def test_static(build: Path, programs: Path, parser: Path, tmp_path: Path) -> None:
    """Calls of statically linked HDF5 are recorded only by POSIX; the log has no H5 record."""
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
    """libdarshan.so is not linked with HDF5 and contains no name of an HDF5 library."""
    text = subprocess.run(
        ["readelf", "-dW", "--dyn-syms", build / "libdarshan.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    undefined = [line.split()[7] for line in text.splitlines() if " UND " in line and "H5" in line]
    assert not undefined
    assert "hdf5" not in text
    assert " H5Dread" in text  # otherwise the check is empty
