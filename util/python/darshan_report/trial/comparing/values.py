"""Compares the values in two HDF5 files (including netCDF-4) whose bytes differ."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

_MAGIC = b"\x89HDF\r\n\x1a\n"
_SECONDS = 600.0
# Code for the program's own Python, whose HDF5 knows its filters. Exit status 0: the same values,
# 1: other values.
_COMPARE = """
import sys, h5py
def found(file):
    objects = {"/": file}
    file.visititems(lambda name, one: objects.__setitem__(name, one) and None)
    return objects
def links(objects):  # also of links that lead nowhere, and of an object's further names
    found = {}
    for place, one in objects.items():
        for name in one if isinstance(one, h5py.Group) else ():
            link = one.get(name, getlink=True)
            found[place, name] = [type(link), *sorted(vars(link).items())]
    return found
def plain(value, file):  # references of two files never compare: the names behind them do
    if type(value) is h5py.Reference:
        return file[value].name if value else None
    if hasattr(value, "tolist") and not isinstance(value, bytes):
        value = value.tolist()
    return [plain(v, file) for v in value] if isinstance(value, (list, tuple)) else value
def raw(values, file):
    return plain(values, file) if values.dtype.hasobject else values.tobytes()
def attributes(one):
    found = one.attrs.items()
    return {
        n: (v.shape, v.dtype, raw(v, one.file)) if hasattr(v, "dtype") else plain(v, one.file)
        for n, v in found
    }
def same(a, b):
    if type(a) is not type(b) or attributes(a) != attributes(b):
        return False
    if isinstance(a, h5py.Datatype):
        return a.dtype == b.dtype
    if not isinstance(a, h5py.Dataset):
        return True
    if (a.shape, a.dtype, a.maxshape, a.chunks) != (b.shape, b.dtype, b.maxshape, b.chunks):
        return False
    if not a.shape:
        return a.shape is None or repr(a[()]) == repr(b[()])
    rows = max(1, a.chunks[0] if a.chunks else (64 << 20) * a.shape[0] // max(1, a.nbytes))
    return all(
        raw(a[n : n + rows], a.file) == raw(b[n : n + rows], b.file)
        for n in range(0, a.shape[0], rows)
    )
with h5py.File(sys.argv[1], "r") as one, h5py.File(sys.argv[2], "r") as other:
    first, second = found(one), found(other)
    if first.keys() != second.keys() or links(first) != links(second):
        sys.exit(1)
    if not all(same(first[n], second[n]) for n in first):
        sys.exit(1)
"""


def _is_hdf5(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def pythons(command: Sequence[str]) -> list[str]:
    """Returns the Python interpreters that may have h5py: first that of the program, then the
    current one."""
    own = [word for word in command if os.path.basename(word).startswith("python")]
    return [*own[:1], sys.executable]


def same_values(interpreters: Sequence[str], one: str, other: str) -> bool:
    """Returns whether two files are HDF5 files with the same objects, shapes, values and
    attributes; False if they are no HDF5 files, or no interpreter can compare them. interpreters:
    paths of Python programs, of which the first with h5py is used. one, other: paths."""
    if not (_is_hdf5(one) and _is_hdf5(other)):
        return False
    for python in interpreters:
        try:
            done = subprocess.run(
                [python, "-I", "-c", _COMPARE, one, other],
                env={**os.environ, "HDF5_USE_FILE_LOCKING": "FALSE"}, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            continue
        if b"ModuleNotFoundError" not in done.stderr:
            return done.returncode == 0
    return False
