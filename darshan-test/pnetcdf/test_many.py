"""Calls are counted, too, if a program has more PnetCDF files open at a time than the runtime's
table has entries."""

from __future__ import annotations

import re
import resource
import subprocess
from pathlib import Path

import pytest
from lab.environment import plain
from lab.watch import watch
from place import absent

from .conftest import COMPILER, HERE
from .test_cases import AS_ROOT

# Entries of the runtime's table; copies of PnetCDF in the program; open files and synchronized
# files of each copy.
IDS, COPIES, FILES, SYNCS = 2048, 3, 700, 100


def library_of(program: Path) -> Path:
    """Returns the PnetCDF library that a program is linked with."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = re.search(r"libpnetcdf\S* => (\S+)", text)
    assert found
    return Path(found[1])


def copy_with_plugin(library: Path, number: int, folder: Path) -> Path:
    """Copies the PnetCDF library under another name, so that the loader treats it as another
    library. Returns the path of a plug-in that is linked with the copy. number: of the copy."""
    name = library.name.replace("pnetcdf", f"pnetcd{number}")
    contents = library.read_bytes().replace(library.name.encode(), name.encode())
    (folder / name).write_bytes(contents)
    plugin = folder / f"plugin{number}.so"
    linked = [f"-L{folder}", f"-l:{name}", f"-Wl,-rpath,{folder}"]
    command = [COMPILER, "-O1", "-DPLUGIN", "-shared", "-fPIC", HERE / "many.c", "-o", plugin]
    subprocess.run([*command, *linked], check=True)
    return plugin


@pytest.fixture
def descriptors() -> None:
    """Raises this process's limit of open files to what the test needs, which programs inherit;
    skips the test if the hard limit is lower."""
    least = 2 * COPIES * FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < least:
        absent(f"a process may open {hard} files at most")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, least), hard))


@pytest.mark.usefixtures("descriptors")
def test_many_ids(build: Path, cases: Path, tmp_path: Path) -> None:
    """If the runtime's table of file ids is full, the log has the number of ids without an entry.
    The runtime finds their files by a query to the library, so that every call is counted."""
    library = library_of(cases)
    plugins = [copy_with_plugin(library, n, tmp_path) for n in range(1, COPIES + 1)]
    program = tmp_path / "many"
    subprocess.run([COMPILER, "-O1", HERE / "many.c", "-o", program], check=True)
    command = [program, str(FILES), *plugins]
    watched = watch(build, tmp_path / "watched", command, plain=plain() | AS_ROOT)
    assert (watched.status, watched.stdout) == (0, b"0\n"), watched.error
    assert watched.value("data.nc", "PNETCDF_FILE_OPENS") == COPIES * FILES
    assert watched.value("data.nc", "PNETCDF_FILE_SYNCS") == COPIES * SYNCS
    without_place = COPIES * FILES - IDS
    # Each file without a place counts at its open, and again when it is synchronized.
    assert watched.log.metadata["dropped_for_full_tables"] == str(2 * without_place)
    told = re.search(rb"(\d+\.\d+\.\d+) of ", library.read_bytes())
    assert told and watched.log.metadata["pnetcdf"] == told[1].decode()
