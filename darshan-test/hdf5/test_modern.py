"""Asynchronous calls and several datasets in one call, on the HDF5 of each wheel."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .compare import differences
from .layers import NEW_CACHE, OLD_CACHE, disagreements
from .model import from_facts
from .observe import bare, instrumented, read_rows

PROGRAMS = ("modern", "modern-objects")
# The folder of a wheel's libraries has the name of the package in small letters.
WHEELS = ("h5py", "netCDF4", "tables")


def library_of(wheel: str) -> Path:
    """The HDF5 that a wheel brings, without the high-level one."""
    found = importlib.util.find_spec(wheel)
    assert found, f"{wheel} is not installed"
    assert found.origin
    folder = Path(found.origin).parent.parent / f"{wheel.lower()}.libs"
    (library,) = folder.glob("libhdf5-*.so*")
    return library


def major_version(library: Path) -> int:
    """From the number in its name: 320 and more is 2."""
    number = re.search(r"\.so\.(\d+)", library.name)
    assert number
    return 2 if int(number[1]) >= 320 else 1


def build_for(library: Path, name: str, folder: Path) -> Path:
    """The program of a source, linked with this library."""
    major = major_version(library)
    source, program = Path(__file__).with_name(f"{name}.c"), folder / name
    compiler = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-DHDF5_MAJOR={major}"]
    paths = [f"-Wl,-rpath,{library.parent}", f"-Wl,-rpath-link,{library.parent}"]
    subprocess.run([*compiler, source, "-o", program, library, *paths], check=True)
    return program


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("wheel", WHEELS)
def test_modern_calls(wheel: str, name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """All H5F, H5D and H5_META counters, and the sums of the layers below."""
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
