"""Asynchronous calls, calls for several datasets, and newer calls on objects are recorded, with the
HDF5 library of each Python wheel."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .compare import differences
from .layers import NEW_CACHE, OLD_CACHE, disagreements, sums
from .model import from_facts
from .observe import Rows, bare, instrumented, read_rows

PROGRAMS = ("modern", "modern-objects", "modern-multi")
# Calls of modern-multi.c per direction. Each may round the division by a byte.
CALLS = 4
# The folder of a wheel's libraries has the package name in lower case.
WHEELS = ("h5py", "netCDF4", "tables")


def library_of(wheel: str) -> Path:
    """Returns the path of the HDF5 library in an installed wheel, not that of the high-level
    library. wheel: the package, such as h5py."""
    found = importlib.util.find_spec(wheel)
    assert found, f"{wheel} is not installed"
    assert found.origin
    folder = Path(found.origin).parent.parent / f"{wheel.lower()}.libs"
    (library,) = folder.glob("libhdf5-*.so*")
    return library


def major_version(library: Path) -> int:
    """Returns the major version of HDF5 from the number in the library's file name: 2 for 320 and
    more, otherwise 1."""
    number = re.search(r"\.so\.(\d+)", library.name)
    assert number
    return 2 if int(number[1]) >= 320 else 1


def build_for(library: Path, name: str, folder: Path) -> Path:
    """Compiles the source file `name`.c, linked with this library. Returns the program's path.
    folder: for the program."""
    major = major_version(library)
    source, program = Path(__file__).with_name(f"{name}.c"), folder / name
    compiler = [
        "cc",
        "-std=c11",
        "-pthread",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-DHDF5_MAJOR={major}",
    ]
    paths = [f"-Wl,-rpath,{library.parent}", f"-Wl,-rpath-link,{library.parent}"]
    subprocess.run([*compiler, source, "-o", program, library, *paths], check=True)
    return program


# Weights by which the costs of modern-multi.c are divided: requested bytes of each dataset, plus 1
# for the call.
WEIGHTS = {"one": 80000 + 1, "three": 240000 + 1}
# Rounding error in seconds.
ROUNDING = 2e-6


def shares(rows: Rows, file: str) -> Iterator[str]:
    """Yields a message for each LAYERS counter that is not divided between the two datasets in
    proportion to WEIGHTS, and for bytes that were not counted. file: absolute path of the datasets'
    file."""
    records = {name: rows["LAYERS", f"{file}:/{name}"] for name in WEIGHTS}
    everything = sum(WEIGHTS.values())
    for kind, moved in (("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN")):
        counter = f"LAYERS_{kind}_POSIX_{moved}"
        total = sum(row[counter] for row in records.values())
        if total < 320000:
            yield f"{counter}: {total:.0f}, less than was asked for"
        share = total * WEIGHTS["one"] / everything
        if abs(records["one"][counter] - share) > CALLS:
            yield f"{counter}: {share:.0f} expected, {records['one'][counter]:.0f} found"
        for counter in (f"LAYERS_F_{kind}_TIME", f"LAYERS_F_{kind}_POSIX_TIME"):
            share = sum(row[counter] for row in records.values()) * WEIGHTS["one"] / everything
            if share == 0 or abs(records["one"][counter] - share) > ROUNDING:
                yield f"{counter}: {share} expected, {records['one'][counter]} found"


@pytest.mark.parametrize("wheel", WHEELS)
def test_shares(wheel: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """The POSIX calls and time of one HDF5 call on two datasets are divided between both LAYERS
    records in proportion to the datasets' bytes."""
    program = build_for(library_of(wheel), "modern-multi", tmp_path)
    (tmp_path / "work").mkdir()
    observed = instrumented(build, [program], tmp_path / "work", tmp_path / "logs")
    assert (observed.status, observed.stderr) == (0, "")
    rows = read_rows(parser, observed.logs)
    wrong = [*shares(rows, f"{tmp_path}/work/a.h5"), *sums(rows)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("wheel", WHEELS)
def test_modern_calls(wheel: str, name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """The log of a program with newer HDF5 calls has exactly the H5F, H5D and H5_META counters that
    follow from these calls, and LAYERS records whose sums agree with POSIX."""
    library = library_of(wheel)
    program = build_for(library, name, tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    without = bare([program], work)
    assert without.status == 0, without.stderr
    shutil.rmtree(work)
    work.mkdir()
    with_us = instrumented(build, [program], work, tmp_path / "logs")
    assert (with_us.status, with_us.stdout, with_us.stderr) == (0, without.stdout, without.stderr)
    model = from_facts(work, with_us.stdout)
    rows = read_rows(parser, with_us.logs)
    cache = NEW_CACHE if major_version(library) == 2 else OLD_CACHE
    wrong = [*differences(model, rows), *disagreements(model, rows, cache)]
    assert not wrong, "\n".join(wrong).replace(f"{work}/", "")
