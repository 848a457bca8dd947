"""Names that the runtime remembers between calls: of paths, and of folders by descriptor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from lab.environment import plain
from lab.watch import watch

# Python's own open asks for the file's attributes, too.
HEAD = """
import os, time
here = os.getcwd()
def make(name):
    os.close(os.open(name, os.O_CREAT | os.O_RDWR))
"""


class Case(NamedTuple):
    """A program, and how often it queries the attributes of each file."""

    program: str
    stats: dict[str, int]


CASES = {
    "same-path": Case(
        "for _ in range(5): os.stat(here + '/one'); os.stat(here + '//one'); os.stat('one')",
        {"one": 15},
    ),
    # All keys of known paths are made of the length and of bytes in the middle and at the end.
    "same-key": Case(
        "for name in ('a' + 100 * 'x', 'b' + 100 * 'x'):\n"
        "    make(name)\n"
        "    for _ in range(3): os.stat(f'{here}/{name}')",
        {"a" + 100 * "x": 3, "b" + 100 * "x": 3},
    ),
    "many-paths": Case(
        "for _ in range(3):\n    for i in range(400): os.stat(f'{here}/many/{i:04}')",
        {f"many/{i:04}": 3 for i in range(400)},
    ),
    "renamed-file": Case(
        "os.stat(here + '/one'); os.rename('one', 'two'); os.stat(here + '/two')\n"
        "make('one'); os.stat(here + '/one'); os.stat(here + '/two')",
        {"one": 2, "two": 2},
    ),
    "forked": Case(
        "for _ in range(3): os.stat(here + '/one')\n"
        "if os.fork() == 0:\n"
        "    for i in range(3): os.stat(here + f'/many/{i:04}')\n"
        "    os.stat(here + '/one'); os._exit(0)\n"
        "os.wait(); os.stat(here + '/one')",
        {"one": 5, "many/0000": 1, "many/0001": 1, "many/0002": 1},
    ),
    "folder": Case(
        "folder = os.open('many', os.O_RDONLY)\n"
        "for i in range(200): os.stat(f'{i:04}', dir_fd=folder)",
        {f"many/{i:04}": 1 for i in range(200)},
    ),
    "folder-renamed": Case(
        "folder = os.open('many', os.O_RDONLY)\n"
        "os.stat('0001', dir_fd=folder); os.rename('many', 'new'); os.stat('0001', dir_fd=folder)",
        {"many/0001": 1, "new/0001": 1},
    ),
    "folder-renamed-by-another": Case(
        "folder = os.open('many', os.O_RDONLY)\n"
        "os.stat('0001', dir_fd=folder); time.sleep(0.02)\n"
        "assert os.spawnlp(os.P_WAIT, 'mv', 'mv', 'many', 'new') == 0\n"
        "os.stat('0001', dir_fd=folder)",
        {"many/0001": 1, "new/0001": 1},
    ),
    "descriptor-of-another-folder": Case(
        "for name in ('a', 'b', 'a'):\n"
        "    os.makedirs(name, exist_ok=True); make(name + '/file')\n"
        "    folder = os.open(name, os.O_RDONLY); os.stat('file', dir_fd=folder)\n"
        "    os.close(folder)",
        {"a/file": 2, "b/file": 1},
    ),
    # The kernel may give a new folder the number of the one that was removed.
    "folder-removed": Case(
        "for name in ('a', 'b', 'c'):\n"
        "    os.mkdir(name); make(name + '/file')\n"
        "    folder = os.open(name, os.O_RDONLY); os.stat('file', dir_fd=folder)\n"
        "    os.unlink(name + '/file'); os.rmdir(name); os.close(folder)",
        {"a/file": 1, "b/file": 1, "c/file": 1},
    ),
    "two-descriptors": Case(
        "one, two = (os.open(name, os.O_RDONLY) for name in ('many', '.'))\n"
        "for _ in range(3): os.stat('0001', dir_fd=one); os.stat('one', dir_fd=two)",
        {"many/0001": 3, "one": 3},
    ),
    "duplicated-descriptor": Case(
        "one, two = (os.open(name, os.O_RDONLY) for name in ('many', '.'))\n"
        "os.stat('0001', dir_fd=one); os.dup2(two, one); os.stat('one', dir_fd=one)",
        {"many/0001": 1, "one": 1},
    ),
}


def files(work: Path) -> None:
    """Creates the files that the programs use."""
    (work / "many").mkdir()
    for path in [work / "one", *(work / "many" / f"{i:04}" for i in range(400))]:
        path.write_bytes(b"")


@pytest.mark.parametrize("name", CASES)
def test_stats_belong_to_their_file(name: str, build: Path, tmp_path: Path) -> None:
    """Calls are never recorded for another file because of a remembered name."""
    command = [sys.executable, "-S", "-c", HEAD + CASES[name].program]
    outcome = watch(build, tmp_path, command, setup=files, plain=plain())
    assert (outcome.status, outcome.error) == (0, "")
    found: dict[str, int] = {}
    for row in outcome.log.rows:
        if row.counter == "POSIX_STATS" and row.value and row.name.startswith(f"{outcome.work}/"):
            name_below = row.name[len(f"{outcome.work}/") :]
            found[name_below] = found.get(name_below, 0) + int(row.value)
    assert found == CASES[name].stats
