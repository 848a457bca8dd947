"""The variables that instrument a program.

Only this file names LD_PRELOAD: `./dev lint` refuses it in other tests.
"""

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
    """Returns an environment in which nothing influences the program but its user's basics."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


def preload(*libraries: str | Path, between: str = ":") -> dict[str, str]:
    """Returns the variable that preloads libraries, in this order; without any, it switches off
    what this process inherits.  The loader also accepts a blank between them."""
    return {PRELOAD: between.join(str(library) for library in libraries if str(library))}


def preloading(library: str | Path, command: Sequence[str]) -> list[str]:
    """Returns a command that preloads a library behind those that are preloaded when it starts."""
    script = f'export {PRELOAD}="${PRELOAD}:$1"; shift; exec "$@"'
    return ["sh", "-c", script, "sh", str(library), *command]


def not_preloaded(variables: Mapping[str, str]) -> dict[str, str]:
    """Returns variables without the one that preloads."""
    return {name: value for name, value in variables.items() if name != PRELOAD}


def switched_off(variables: Mapping[str, str]) -> dict[str, str]:
    """Returns variables without those that switch the runtime on, for a program that `darshan
    run` starts."""
    kept = not_preloaded(variables)
    kept.pop("DARSHAN_ENABLE_NONMPI", None)
    return kept


def library_of(build: Path) -> Path:
    """Returns the runtime of a build folder, or the library itself if its path is given."""
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

    build: a build folder, or the path of a runtime.  logs, journals: folders; the runtime's
    default applies to a folder that is not given.  before, behind: libraries that are preloaded
    before and after the runtime.  mpi: the program is recorded if it calls MPI_Init, and not
    otherwise.
    """
    told = preload(*before, library_of(build), *behind) | places(logs, journals)
    return told | ({} if mpi else {"DARSHAN_ENABLE_NONMPI": "1"}) | more


def instrumented(build: Path, logs: Path, journals: Path, **more: str) -> dict[str, str]:
    """Returns the minimal environment with the variables that switch the runtime on."""
    return minimal() | settings(build, logs, journals, **more)


def places(logs: Path | None, journals: Path | None = None) -> dict[str, str]:
    """Returns the variables of the folders for logs and journals, for a program that a command
    such as `darshan run` or a linked runtime instruments."""
    found = {"DARSHAN_LOGPATH": logs, "DARSHAN_MMAP_LOGPATH": journals}
    return {name: str(folder) for name, folder in found.items() if folder}


def joined(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Returns all variables of both; the libraries that the second one preloads come last."""
    preloads = [variables[PRELOAD] for variables in (first, second) if PRELOAD in variables]
    return {**first, **second, **(preload(*preloads) if preloads else {})}


def through_env(variables: Mapping[str, str]) -> list[str]:
    """Returns words to put in front of a command, which alone gets these variables: the program
    that starts it, such as a launcher or strace, is not instrumented."""
    return ["env", *(f"{name}={value}" for name, value in variables.items())]
