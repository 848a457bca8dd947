"""The fixture that runs `darshan try` on small programs, each in a new folder."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lab.command import finished
from lab.environment import plain
from place import needs
from tree import use_binding

use_binding()
# Time limit of a command.
SECONDS = 120


def bytes_of(folder: Path) -> dict[str, tuple[int, str]]:
    """Returns the mode and the SHA-256 of the content of each file below a folder, by relative
    path; folders have the hash of nothing."""
    found = {}
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (
            path.lstat().st_mode,
            hashlib.sha256(content).hexdigest(),
        )
    return found


@dataclass
class Try:
    """Runs the command `darshan try` of a build in a folder of the user, with additional
    variables."""

    build: Path
    user: Path  # the user's folder
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """Returns the environment of the command: this process's without Darshan's settings, with
        the variables of this object."""
        return {**plain(), "LC_ALL": "C.UTF-8", **self.variables}

    def command(self, *words: str | Path) -> list[str]:
        """Returns the words that start `darshan try` with these arguments."""
        return [str(self.build / "darshan"), "try", *map(str, words)]

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs `darshan try` with these arguments. Returns its status and output."""
        return self.run_words(self.command(*words))

    def run_words(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        """Runs a command in the user's folder. Returns its status and output."""
        return finished(words, cwd=self.user, env=self.environment, timeout=SECONDS)

    def found(self, *words: str | Path) -> tuple[int, dict[str, dict[str, Any]], Any]:
        """Runs `darshan try --json WORD...`. Returns its exit status, its results by the name of
        the remedy, and all of the JSON. Fails if it prints no JSON."""
        done = self.run("--json", *words)
        assert done.stdout, done.stderr
        whole = json.loads(done.stdout)
        return done.returncode, {row["remedy"]: row for row in whole["remedies"]}, whole

    def log(self, *command: str | Path, clean: bool = False) -> Path:
        """Runs a program by `darshan run` in the user's folder, and returns the path of its log.
        clean: removes the files that the program made, and accepts any exit status."""
        logs = self.user.parent / "logs"
        before = set(self.user.iterdir())
        subprocess.run(
            [self.build / "darshan", "run", "-o", logs, "--", *map(str, command)], cwd=self.user,
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
            check=not clean,
        )  # fmt: skip
        for path in set(self.user.iterdir()) - before if clean else ():
            path.unlink()
        return max(logs.glob("*.darshan"), key=os.path.getmtime)


@pytest.fixture
def trial(build: Path, tmp_path: Path) -> Try:
    """Returns an object that runs `darshan try` in an empty folder of the user."""
    needs("private")
    user = tmp_path / "user"
    user.mkdir()
    return Try(build, user)
