"""The script .ci/run for continuous integration stops at the first part that fails, with the
reason. The parts themselves are not run here, because this test runs in one of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tree import SOURCE

# A ./dev that writes its arguments to the file "asked", and fails if its command is the value of
# FAILS.
DEV = """#!/bin/sh
echo "$*" >>asked
case $1 in "$FAILS") echo "this is why" >&2; exit 7 ;; esac
"""
# The arguments of ./dev for each part.
README = "fresh --debian 12 sh -c ./quickstart && ./check && ./dev distcheck build/check"
PACKAGES = "packages --debian 12"
PLAIN, CONTAINER = "fresh --plain", "fresh --container"


def ci(tree: Path, *arguments: str, fails: str = "") -> subprocess.CompletedProcess[str]:
    """Runs .ci/run in this tree. arguments: of the script; fails: name of the part that fails, ""
    for none. Returns its status and output."""
    return subprocess.run(
        ["bash", tree / ".ci" / "run", *arguments], env={"PATH": "/usr/bin:/bin", "FAILS": fails},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Makes a folder with .ci/run, and with a script ./dev that appends its arguments to the file
    `asked` and fails if the variable FAILS says so. Returns the folder."""
    place = tmp_path / "a tree"
    (place / ".ci").mkdir(parents=True)
    shutil.copy(SOURCE / ".ci" / "run", place / ".ci")
    (place / "dev").write_text(DEV)
    (place / "dev").chmod(0o755)
    return place


@pytest.mark.parametrize(
    ("alone", "asked"),
    [
        (["readme"], [README]),
        (["packages"], [PACKAGES]),
        (["plain"], [PLAIN]),
        (["container"], [CONTAINER]),
    ],
    ids=lambda words: words[0].split()[0],
)
def test_one_part(alone: list[str], asked: list[str], tree: Path) -> None:
    """A part that is an argument runs alone. alone: the arguments. asked: the expected arguments of
    ./dev."""
    parts_are(ci(tree, *alone), tree, asked, 0)


def test_all_parts(tree: Path) -> None:
    """Without arguments, the parts for each commit run, and the last line is a sum."""
    parts_are(ci(tree), tree, [README, PACKAGES], 1)


def test_places_by_turns(tree: Path) -> None:
    """The script .ci/run tests in one of two environments, which the commit's hash selects."""
    git = ["git", "-C", str(tree), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    found = set()
    for turn in range(40):
        message = ["commit", "-q", "--allow-empty", "-m", str(turn)]
        subprocess.run([*git, *message], check=True)
        (tree / "asked").unlink(missing_ok=True)
        done = ci(tree, "place")
        (last,) = (tree / "asked").read_text().splitlines()
        parts_are(done, tree, [last], 0)
        found.add(last)
        if found == {PLAIN, CONTAINER}:
            return
    raise AssertionError(found)


def parts_are(
    done: subprocess.CompletedProcess[str], tree: Path, asked: list[str], sums: int
) -> None:
    """Checks that the script succeeded and printed a line for each part. asked: the expected
    arguments of each call of ./dev; sums: how many lines with a summary may follow."""
    assert done.returncode == 0 and done.stderr == ""
    assert (tree / "asked").read_text().splitlines() == asked
    lines = done.stdout.splitlines()
    assert len(lines) == len(asked) + sums
    assert all(re.match(r"ci: \d+ s( in all$|: )", line) for line in lines)


@pytest.mark.parametrize(
    ("fails", "asked"), [("fresh", [README]), ("packages", [README, PACKAGES])]
)
def test_a_part_fails(fails: str, asked: list[str], tree: Path) -> None:
    """If a part fails, .ci/run ends with its status and runs no further part; it prints the part's
    reason, and a last line with the part and the status."""
    done = ci(tree, fails=fails)
    assert done.returncode == 7
    assert (tree / "asked").read_text().splitlines() == asked
    why, last = done.stderr.splitlines()
    assert why == "this is why" and re.match(r"ci: FAILED after \d+ s, with 7: ", last)


def test_no_such_part(tree: Path) -> None:
    """An unknown part is a usage error, and nothing runs."""
    done = ci(tree, "package")
    assert done.returncode == 2 and done.stderr.startswith("usage: ")
    assert not (tree / "asked").exists()


@pytest.mark.needs("root")
def test_no_mounting() -> None:
    """If mounting is not allowed, `.ci/run packages` installs nothing, and says that no minimal
    root can be made."""
    done = subprocess.run(
        ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin",
         "bash", SOURCE / ".ci" / "run", "packages"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    why, last = done.stderr.splitlines()
    assert why == "fresh: a root cannot be made here: mounting is not allowed"
    assert last.endswith(", with 1: packages of Debian")
