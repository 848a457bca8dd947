"""The variables that instrument a program.

LD_PRELOAD occurs in this file only: `./dev lint` refuses it in other tests."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

OURS = ("DARSHAN_", "DXT_", "LD_")
PRELOAD = "LD_PRELOAD"


def plain() -> dict[str, str]:
    """Returns the environment of this process without variables of Darshan and of the loader."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OURS)}


def minimal() -> dict[str, str]:
    """Returns an environment with PATH, HOME and LANG of this process only, so that nothing else
    influences the program."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


def preload(*libraries: str | Path, between: str = ":") -> dict[str, str]:
    """Returns the variable that preloads libraries, in this order; empty names are left out.
    Without libraries the variable is empty, so that a program does not inherit one from this
    process. between: the separator, a colon or a blank."""
    return {PRELOAD: between.join(str(library) for library in libraries if str(library))}


def preloading(library: str | Path, command: Sequence[str]) -> list[str]:
    """Returns a command that starts `command` and preloads `library` after the libraries that are
    preloaded already."""
    script = f'export {PRELOAD}="${PRELOAD}:$1"; shift; exec "$@"'
    return ["sh", "-c", script, "sh", str(library), *command]


def not_preloaded(variables: Mapping[str, str]) -> dict[str, str]:
    """Returns these variables without the one that preloads libraries."""
    return {name: value for name, value in variables.items() if name != PRELOAD}


def switched_off(variables: Mapping[str, str]) -> dict[str, str]:
    """Returns these variables without LD_PRELOAD and DARSHAN_ENABLE_NONMPI, for a program that
    `darshan run` starts: `darshan run` sets both itself."""
    kept = not_preloaded(variables)
    kept.pop("DARSHAN_ENABLE_NONMPI", None)
    return kept


def library_of(build: Path) -> Path:
    """Returns the path of the runtime of a build folder; a path of a library is returned
    unchanged."""
    return build if ".so" in build.name else build / "libdarshan.so"


def settings(
    build: Path,
    logs: Path | None = None,
    journals: Path | None = None,
    *,
    before: Sequence[str | Path] = (),
    behind: Sequence[str | Path] = (),
    mpi: bool = False,
    **more: str,
) -> dict[str, str]:
    """Returns the variables that switch the runtime on, without the rest of an environment.

    build: a build folder, or the path of a runtime. logs, journals: folders; None: the runtime's
    default. before, behind: libraries that are preloaded before and after the runtime. mpi: whether
    the program is recorded only if it calls MPI_Init. more: variables to add."""
    told = preload(*before, library_of(build), *behind) | places(logs, journals)
    return told | ({} if mpi else {"DARSHAN_ENABLE_NONMPI": "1"}) | more


def instrumented(build: Path, logs: Path, journals: Path, **more: str) -> dict[str, str]:
    """Returns the minimal environment with the variables that switch the runtime on. more:
    variables to add."""
    return minimal() | settings(build, logs, journals, **more)


def places(logs: Path | None, journals: Path | None = None) -> dict[str, str]:
    """Returns the variables that name the folders for logs and journals, for a program that a
    command such as `darshan run` or a linked runtime instruments. None: the variable is left
    out."""
    found = {"DARSHAN_LOGPATH": logs, "DARSHAN_MMAP_LOGPATH": journals}
    return {name: str(folder) for name, folder in found.items() if folder}


def joined(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Returns all variables of both mappings; if both have a variable, the value of the second
    one is used. Lists of preloaded libraries are joined instead, with those of the second
    mapping last."""
    preloads = [variables[PRELOAD] for variables in (first, second) if PRELOAD in variables]
    return {**first, **second, **(preload(*preloads) if preloads else {})}


def through_env(variables: Mapping[str, str]) -> list[str]:
    """Returns the words that, in front of a command, give these variables to that command only: the
    program that starts it, such as a launcher or strace, is not instrumented."""
    return ["env", *(f"{name}={value}" for name, value in variables.items())]
