"""Checks that finished files need no symbol of a glibc that is newer than a given release.

Usage: needs.py FOLDER [RELEASE]. Checks every ELF file in FOLDER, at any depth; RELEASE is 2.28 if
it is not given.

The version of a symbol is the release that introduced it. If this machine's glibc has several
versions of a symbol, the function came into libc from another library, or changed its behaviour.
This file lists such symbols, with the library that a finished file must name for each."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# The numbers of a release, such as (2, 28).
Release = tuple[int, ...]

# Symbols that are in another library on the older release, with this library.
ELSEWHERE = {
    **dict.fromkeys(
        ("dladdr", "dladdr1", "dlerror", "dlinfo", "dlopen", "dlsym", "dlvsym"), "libdl.so.2"
    ),
    "__libc_start_main": "libc.so.6",  # util/glibc/start.c
}
# Libraries that every machine has under the same name.
LIBRARIES = re.compile(r"(libc|libm)\.so\.6|libdl\.so\.2|ld-linux-[\w-]+\.so\.\d|libbz2\.so\.1$")
# In the output of readelf: a symbol that a file needs, with its version.
UNDEFINED = re.compile(r"\sUND\s+(\w+)@(GLIBC_[\w.]+)")
# A symbol of libc, with the version that the linker binds.
DEFAULT = re.compile(r"\s(\w+)@@(GLIBC_[\d.]+)")
# A library that a file needs.
NEEDED = re.compile(r"\(NEEDED\).*\[(.*)\]")


def said(*command: str | Path) -> str:
    """Returns the output of a command, which must succeed."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def elf_files(folder: Path) -> Iterator[Path]:
    """Yields the ELF programs and shared libraries below a folder, without object files, archives
    and symbolic links."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                start = file.read(18)
            if start[:4] == b"\x7fELF" and start[16] in (2, 3):  # EXEC, DYN
                yield path


def release(version: str) -> Release:
    """Returns the numbers of a symbol version, such as (2, 3, 4) for GLIBC_2.3.4; (999,) for a name
    without a number, such as GLIBC_PRIVATE."""
    found = re.fullmatch(r"GLIBC_([\d.]+)", version)
    return tuple(map(int, found[1].split("."))) if found else (999,)


def newest_here() -> dict[str, Release]:
    """Returns, for each symbol of this machine's libc, the version to which the linker binds it."""
    libc = said("cc", "-print-file-name=libc.so.6").strip()
    rows = DEFAULT.findall(said("readelf", "-W", "--dyn-syms", libc))
    return {name: release(version) for name, version in rows}


def faults(path: Path, limit: Release, here: dict[str, Release]) -> Iterator[str]:
    """Yields a message for each library or symbol that a file needs and that the oldest glibc does
    not have. limit: the release of that glibc. here: result of newest_here()."""
    needed = NEEDED.findall(said("readelf", "-W", "-d", path))
    for library in needed:
        if not LIBRARIES.match(library):
            yield f"needs {library}"
    for name, version in sorted(set(UNDEFINED.findall(said("readelf", "-W", "--dyn-syms", path)))):
        if release(version) > limit:
            yield f"{name} of {version}"
        elif here.get(name, (0,)) > limit and ELSEWHERE.get(name) not in needed:
            yield f"{name} of {version}, which libc did not have then"


def main() -> int:
    """Prints the problems of all files. Returns the exit status: 1 if there are any, or no
    files."""
    folder, limit = Path(sys.argv[1]), (*sys.argv[2:], "2.28")[0]
    files = list(elf_files(folder))
    here, wrong = newest_here(), 0
    for path in files:
        for fault in faults(path, release(f"GLIBC_{limit}"), here):
            print(f"{path}: {fault}")
            wrong += 1
    print(f"{len(files)} files, {wrong} of their wishes are not of glibc {limit}")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
