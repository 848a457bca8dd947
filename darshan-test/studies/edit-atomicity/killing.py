"""Edits a file with an editor that is killed at any of its calls, and compares the file with all
its valid states."""

from __future__ import annotations

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from edit_atomicity import Study
from instrumented import plain_environment
from lab.command import finished_in_bytes
from lab.environment import preload

# Suffixes of the files that the editor writes next to the file.
HIDDEN = (".bck", ".bck-new", ".undo")


@dataclass
class Case:
    """A file to edit, and the contents of all its valid states, in the order of the commands."""

    study: Study
    path: Path
    states: list[bytes]  # after no command, after the first, ...

    def reset(self) -> None:
        """Restores the file to its state before the edit, and removes backup and journal."""
        for suffix in HIDDEN:
            self.hidden(suffix).unlink(missing_ok=True)
        self.path.write_bytes(self.states[0])

    def hidden(self, suffix: str) -> Path:
        """Returns the path of the backup or journal with this suffix, which need not exist."""
        return self.path.with_name(f".{self.path.name}{suffix}")

    def leftovers(self) -> list[str]:
        """Returns the suffixes of the backups and journals that exist."""
        return [suffix for suffix in HIDDEN if self.hidden(suffix).exists()]

    def interrupted(self, command: list[str], at: int, how: dict[str, str]) -> bool:
        """Runs a command that is killed at its call number `at` that changes files. Returns whether
        the command reached this call; otherwise it must succeed. how: variables for interrupt.c."""
        settings = {
            **preload(self.study.lab.program("edit-atomicity/interrupt.so")),
            "INTERRUPT_AT": str(at),
            **how,
        }
        done = finished_in_bytes(command, env=plain_environment() | settings)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        return done.returncode != 0

    def recover_command(self) -> list[str]:
        """Returns the command `h5edit --recover`, which a user runs after a kill; every edit does
        the same at its start."""
        return [self.study.lab.program("edit-atomicity/h5edit"), "--recover", str(self.path)]

    def recover(self) -> None:
        """Runs the recovery, which must succeed."""
        subprocess.run(self.recover_command(), check=True, capture_output=True)

    def state(self) -> int | None:
        """Returns how many commands the file contains, from 0; None if the file is in no valid
        state."""
        content = self.path.read_bytes()
        return self.states.index(content) if content in self.states else None

    def trace(self, command: list[str], path: Path) -> list[list[str]]:
        """Runs a command with interrupt.c. Returns the fields of each of its calls that change
        files, the call's name first. path: where the trace is written."""
        settings = {
            **preload(self.study.lab.program("edit-atomicity/interrupt.so")),
            "INTERRUPT_TRACE": str(path),
        }
        subprocess.run(command, env=plain_environment() | settings, capture_output=True, check=True)
        return [line.split("\t") for line in path.read_text().splitlines()]
