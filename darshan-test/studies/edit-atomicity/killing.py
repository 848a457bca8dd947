"""Edits a file by an editor that is killed, and compares the file with all its valid states."""

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
    """A file, and its valid states: its bytes after no command, after the first, and so on."""

    study: Study
    path: Path
    states: list[bytes]  # after no command, after the first, ...

    def reset(self) -> None:
        """Restores the bytes of the file before the edit, and removes the editor's other files."""
        for suffix in HIDDEN:
            self.hidden(suffix).unlink(missing_ok=True)
        self.path.write_bytes(self.states[0])

    def hidden(self, suffix: str) -> Path:
        """Returns the path of a file with this suffix that the editor may have left."""
        return self.path.with_name(f".{self.path.name}{suffix}")

    def leftovers(self) -> list[str]:
        """Returns the suffixes of the editor's files that exist."""
        return [suffix for suffix in HIDDEN if self.hidden(suffix).exists()]

    def interrupted(self, command: list[str], at: int, how: dict[str, str]) -> bool:
        """Runs a command that is killed at its call number `at` that changes files. Returns False
        if it ended before. how: variables for interrupt.c."""
        settings = {
            **preload(self.study.lab.program("edit-atomicity/interrupt.so")),
            "INTERRUPT_AT": str(at),
            **how,
        }
        done = finished_in_bytes(command, env=plain_environment() | settings)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        return done.returncode != 0

    def recover_command(self) -> list[str]:
        """Returns the command that restores the file after a kill; every edit does the same at its
        start."""
        return [self.study.lab.program("edit-atomicity/h5edit"), "--recover", str(self.path)]

    def recover(self) -> None:
        """Runs the recovery, which must succeed."""
        subprocess.run(self.recover_command(), check=True, capture_output=True)

    def state(self) -> int | None:
        """Returns how many commands the file contains; None if its bytes are in no valid state."""
        content = self.path.read_bytes()
        return self.states.index(content) if content in self.states else None

    def trace(self, command: list[str], path: Path) -> list[list[str]]:
        """Runs a command. Returns the fields of all its calls that change files (interrupt.c).
        path: for the trace."""
        settings = {
            **preload(self.study.lab.program("edit-atomicity/interrupt.so")),
            "INTERRUPT_TRACE": str(path),
        }
        subprocess.run(command, env=plain_environment() | settings, capture_output=True, check=True)
        return [line.split("\t") for line in path.read_text().splitlines()]
