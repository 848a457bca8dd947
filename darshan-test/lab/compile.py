"""Compiles small C programs and libraries for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

COMPILER = "gcc"
SHARED = ("-shared", "-fPIC")
USUAL = (COMPILER, "-O1", "-g", "-D_GNU_SOURCE", "-pthread")
_MADE: dict[tuple[str, ...], bytes] = {}  # (source text, compiler, flags) -> the compiled program


def compiler() -> list[str]:
    """Returns the command of the C compiler that this tree is compiled with, as a list of words:
    CC, or cc."""
    return os.environ.get("CC", "cc").split()


def compile_c(
    folder: Path,
    source: str | Path,
    *flags: str | Path,
    name: str = "program",
    first: Sequence[str] = USUAL,
) -> Path:
    """Compiles a program, or with SHARED a library, from the text or the file of a C source, and
    returns its path.

    flags: for the compiler, which gets them after the source, so that libraries are found there.
    name: of the program's file. first: the compiler and the flags before the source. Raises
    CalledProcessError if the compiler fails.

    A text that this test process compiled before with the same `first` and flags is not compiled
    again. This does not apply if a flag may name a file, or if `first` has -g and is not USUAL."""
    file = source if isinstance(source, Path) else folder / f"{name}.c"
    if isinstance(source, str):
        file.write_text(source)
    target = folder / name
    words = [str(flag) for flag in flags]
    kept = isinstance(source, str) and (tuple(first) == USUAL or "-g" not in first)
    kept = kept and all(word[0] == "-" and "/" not in word and "." not in word for word in words)
    key = (str(source), *first, *words)
    if kept and key in _MADE:
        target.write_bytes(_MADE[key])
        target.chmod(0o755)
        return target
    subprocess.run([*first, "-o", target, file, *flags], cwd=folder, check=True)
    if kept:
        _MADE[key] = target.read_bytes()
    return target


def compile_for_all(build: Path, folder: Path, source: str, name: str) -> Path:
    """Compiles a program that all users may run, and copies the runtime next to it. folder: gets
    the program and mode 0755. source: the program's C text. name: of the program's file. Returns
    the program's path."""
    folder.chmod(0o755)
    shutil.copy(build / "libdarshan.so", folder)
    return compile_c(folder, source, name=name)
