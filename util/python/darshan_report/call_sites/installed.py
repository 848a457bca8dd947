"""Decides which code is installed software and which is the user's own, by a table and a
setting."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable

from . import interpreters, java, javascript

VARIABLE = "DARSHAN_INSTALLED"  # more folders of installed software, separated by colons
# Folders of the system and of package managers.
_FOLDERS = (
    "/usr/", "/lib/", "/lib32/", "/lib64/", "/bin/", "/sbin/", "/opt/", "/snap/", "/cvmfs/",
    "/nix/store/", "/gnu/store/",
)  # fmt: skip
# Folders of Python's own modules and of installed ones, for an interpreter in any folder.
_PYTHON = re.compile(
    r"/(?:site-packages|dist-packages|lib(?:64)?/(?:python|pypy)3(?:\.\d+)?t?)(?=/)"
)
# The same folders of Perl; _MODULE captures the name of a module below such a folder.
_PERL = re.compile(r"/lib/perl5/|/(?:site|vendor)_perl/")
_MODULE = re.compile(
    r".*/(?:perl5?|perl-base|site_perl|vendor_perl)/(?:5\.[\d.]+/)?(?:[^/]+-linux[^/]*/)?"
    r"(?:5\.[\d.]+/)?(.+)\.pm"
)
# Rust's standard library, as rustc was built, and packages of cargo.
_RUST = re.compile(
    r"/rustc/[0-9a-f]{40}/|/lib/rustlib/src/rust/|/\.cargo/registry/src/|/cargo/registry/src/"
)
# Libraries that users seldom write themselves, wherever they are (conda, Spack, modules).
_LIBRARIES = re.compile(
    r"(?:ld-linux[^/]*|ld-musl[^/]*|lib(?:c|m|dl|rt|pthread|stdc\+\+|c\+\+|gcc_s|gfortran"
    r"|quadmath|gomp|omp|iomp5|ifcore(?:mt)?|irc|svml|python3[^/]*|pypy3[^/]*|R|julia[^/]*|jvm"
    r"|java|nio|jli|jimage|net|zip|extnet|verify|node|perl|ruby[^/]*|tcl[^/]*"
    r"|hdf5[^/]*|netcdf[^/]*|pnetcdf|mpi[^/]*|pmpi[^/]*|open-pal|open-rte|mca[^/]*|ucp|ucs|uct"
    r"|fabric|pmix|adios2?[^/]*|sionlib[^/]*|silo[^/]*|cgns|gdal|arrow[^/]*|parquet|sqlite3"
    r"|z|bz2|lzma|zstd|lz4|sz|aec|blosc2?|deflate|xml2|tiff|png[^/]*|jpeg|torch[^/]*|c10[^/]*"
    r"|tensorflow[^/]*|mkl[^/]*|openblas[^/]*))(?:\.so(?:\.[0-9.]+)?|\.cpython-[^/]*\.so|-[0-9.]+\.so)"
)
_LIBRARY = re.compile(r".*\.so(?:\.[0-9.]+)?")
# Python's own file in which each thread that Python starts begins.
_THREAD = re.compile(r"/lib(?:64)?/(?:python|pypy)3(?:\.\d+)?t?/threading\.py$")
# Code without a file that users typed themselves; all other names in <> are generated.
_TYPED = ("<string>", "<stdin>", "<bash -c>", "<perl -e>", "<ipython-input", "<cell")


def _more(setting: str) -> tuple[str, ...]:
    """Returns the absolute folders in the setting, which separates them by colons. Each result ends
    in a slash."""
    named = setting.split(":")
    return tuple(f"{folder.rstrip('/')}/" for folder in named if folder.startswith("/"))


def is_installed(path: str) -> bool:
    """Returns whether a file of source code, a program or a library is installed software, by its
    path. The user adds folders with the environment variable DARSHAN_INSTALLED."""
    return _is_installed(path, os.environ.get(VARIABLE, ""))


@functools.lru_cache(maxsize=4096)  # asked for each frame of each stack
def _is_installed(path: str, setting: str) -> bool:
    """Returns whether a path is that of installed software. setting: further folders, the value of
    DARSHAN_INSTALLED."""
    if path.startswith("<"):
        return not path.startswith(_TYPED)
    if path.startswith((*_FOLDERS, *_more(setting))):
        return True
    if java.is_library(path) or javascript.is_library(path):
        return True
    if any(folder.search(path) for folder in (_PYTHON, _PERL, _RUST)):
        return True
    return bool(_LIBRARIES.fullmatch(path.rsplit("/", 1)[-1]))


def programs_told(names: Iterable[str]) -> str:
    """Returns a clause which states that the named programs are installed ones and that the user
    should look where they are started."""
    one, *more = sorted(set(names))
    if not more:
        return f"{one} is an installed program; look where it is started"
    *first, last = one, *more
    return f"{', '.join(first)} and {last} are installed programs; look where they are started"


def may_be_program(path: str) -> bool:
    """Returns whether an object (program or library), by its path, can be the user's program. A
    library cannot. Neither can an interpreter, because its own functions are not lines of the
    user's script."""
    name = path.rsplit("/", 1)[-1]
    return not _LIBRARY.fullmatch(name) and not interpreters.is_interpreter(name)


def is_thread(path: str) -> bool:
    """Returns whether a stack whose outermost frame is in this file may be a thread without a frame
    of the user: the file is Python's threading.py, or belongs to the JDK or to Node.js."""
    return bool(_THREAD.search(path)) or java.is_library(path) or javascript.is_node(path)


def module_of(path: str) -> str:
    """Returns the top-level package or module of a Python file: "numpy" for
    .../site-packages/numpy/core/x.py, "gzip" for .../gzip.py."""
    if frozen := re.fullmatch(r"<frozen ([\w.]+)>", path):
        return frozen[1]
    found = list(_PYTHON.finditer(path))
    inside = path[found[-1].end() + 1 :] if found else path.rsplit("/", 1)[-1]
    return inside.split("/", 1)[0].removesuffix(".py")


def called(path: str, function: str) -> str:
    """Returns the name by which users call a function of a Python, Perl, Java or JavaScript file:
    "numpy.load", "Digest::SHA::addfile", "FileOutputStream.write", "fs.writeSync"."""
    if java.is_source(path):
        return function
    if javascript.is_source(path):
        return javascript.called(path, function)
    if path.endswith(".pm"):
        found = _MODULE.fullmatch(path)
        module = found[1] if found else path.rsplit("/", 1)[-1].removesuffix(".pm")
        return f"{module.replace('/', '::')}::{function}"
    return f"{module_of(path)}.{function}"
