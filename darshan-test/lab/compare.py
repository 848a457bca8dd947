"""Runs a program without the runtime, then with it, to compare the two."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from .environment import minimal, settings
from .strace import for_command
from .watch import Outcome, Words, new_folders, run


def both(
    build: Path,
    folder: Path,
    command: Words,
    setup: Callable[[Path], None] = lambda work: None,
    extra: Mapping[str, str] | None = None,
    *,
    traced: Words = (),
) -> tuple[Outcome, Outcome]:
    """Runs a program without the runtime, then with it, each in a new working folder below
    `folder`; returns both outcomes. The first run has the environment of this process, the second
    the minimal one (environment.minimal).

    setup: fills a working folder. extra: variables of the second run. traced: a command of strace
    that runs the instrumented program, and is not instrumented itself."""
    bare_work, work, logs, journals = new_folders(folder, "bare", "work", "logs", "journals")
    setup(bare_work)
    setup(work)
    bare = run(command, bare_work)
    variables = {**settings(build, logs, journals), **(extra or {})}
    if traced:
        command, variables = [*traced, *for_command(variables), *command], {}
    watched = run(command, work, {**minimal(), **variables})
    return bare, watched.collect(build / "darshan-parser", logs, journals)


def same_end(bare: Outcome, watched: Outcome) -> bool:
    """Returns whether status and output are the same with and without the runtime."""
    return (bare.status, bare.stdout, bare.stderr) == (
        watched.status,
        watched.stdout,
        watched.stderr,
    )
