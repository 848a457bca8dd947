"""libdarshan.so exports only the wrappers and darshan_link, and needs no library except libc. So it
cannot conflict with names of a program, and can be preloaded into any."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from pnetcdf.names import transfers

RUNTIME = Path(__file__).resolve().parent.parent.parent / "runtime"
# A function that programs with stubs call.
LINK = "darshan_link"
# A row of a table of wrapped functions; the group is the function.
ROW = re.compile(r"^[A-Z][A-Z0-9_]*\((\w+)[,)]", re.M)


@pytest.fixture
def library(build: Path) -> Path:
    """Returns the library that is preloaded."""
    return build / "libdarshan.so"


def symbols(library: Path, *options: str) -> list[list[str]]:
    """Returns the dynamic symbols of a library, each as its kind (a letter) and its name. options:
    of nm."""
    done = subprocess.run(["nm", "-D", *options, library], capture_output=True, check=True)
    return [line.split()[-2:] for line in done.stdout.decode().splitlines()]


def defined(library: Path) -> list[list[str]]:
    """Returns the symbols that a library defines, without the versions themselves."""
    return [[kind, name] for kind, name in symbols(library, "--defined-only") if kind != "A"]


def test_exports_are_the_rows_of_the_tables(library: Path) -> None:
    """The library exports exactly the functions of the tables, the PMPI_ names of those of MPI, and
    darshan_link."""
    tables = [*RUNTIME.rglob("calls.def"), *RUNTIME.rglob("waits.def")]
    tables = [table for table in tables if table.parent.name != "template"]  # not built
    assert tables
    wrapped = {name for table in tables for name in ROW.findall(table.read_text())}
    wrapped |= transfers()
    wrapped |= {f"P{name}" for name in wrapped if name.startswith("MPI_")}
    exported = {name.partition("@")[0] for kind, name in defined(library)}
    assert exported == wrapped | {LINK}


def test_names_of_mpi_have_hidden_versions(library: Path) -> None:
    """libdarshan.so has two symbols for each MPI name: the wrapper, and an IFUNC with a hidden
    version for libraries that are opened later."""
    found: dict[str, set[tuple[str, str]]] = {}
    for kind, symbol in defined(library):
        name, _, version = symbol.partition("@")
        found.setdefault(name, set()).add((kind, version))
    for name, forms in found.items():
        if name.startswith(("MPI_", "PMPI_")):
            assert forms == {("T", "DARSHAN_START"), ("i", "DARSHAN_LATER")}, name
        else:
            assert forms <= {("T", ""), ("W", "")}, name


def test_only_the_c_library_is_needed(library: Path) -> None:
    """The library needs only libc and the loader."""
    done = subprocess.run(["readelf", "-d", library], capture_output=True, check=True)
    needed = re.findall(r"\(NEEDED\).*\[(.+?)\]", done.stdout.decode())
    assert set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def test_what_is_bound_by_name_is_listed(library: Path) -> None:
    """The dynamic symbols that libdarshan.so requires are only those that libc-calls.def allows by
    name. They include no function that the runtime calls directly, because a program or another
    preloaded library may define one of the same name."""
    rows = (RUNTIME / "libc/glibc/libc-calls.def").read_text()
    allowed = set(re.findall(r"^BY_NAME\((\w+)\)", rows, re.M))
    straight = set(re.findall(r"^STRAIGHT(?:_AS)?\((\w+)", rows, re.M))
    undefined = {name.partition("@")[0] for _, name in symbols(library, "--undefined-only")}
    assert allowed & undefined
    assert not undefined - allowed, "not in libc-calls.def"
    assert not straight & undefined


def test_no_hdf5_or_mpi(library: Path) -> None:
    """Symbols of HDF5, MPI and NetCDF that the library refers to are weak, so it can be loaded
    without them."""
    for kind, name in symbols(library, "--undefined-only"):
        assert kind == "w" or not name.startswith(("H5", "MPI_", "PMPI_", "nc", "ncmpi")), name
