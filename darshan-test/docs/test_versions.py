"""All files have the same version, and ./dev tag tags a release only if everything is ready for
it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tree import SOURCE

SECONDS = 60
# The files that have a version, and the script of ./dev tag.
FILES = (
    ".ci/tag", "configure.ac", "CHANGELOG.md", "debian/changelog", "share/conda/recipe.yaml",
    "share/spack/spack_repo/darshan_rebuilt/packages/darshan/package.py",
)  # fmt: skip
# Runs ./dev tag.
Tag = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_version_of_this_tree() -> None:
    """`./dev tag --check` accepts this tree: the newest section of CHANGELOG.md has the version of
    configure.ac and of each recipe."""
    done = subprocess.run(
        [SOURCE / "dev", "tag", "--check"], capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    version = re.search(
        r"^AC_INIT\(\[darshan\], \[(.*?)\]", (SOURCE / "configure.ac").read_text(), re.M
    )
    assert version and done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"tag: {version[1]} (")


def git(folder: Path, *arguments: str) -> str:
    """Runs git in a folder, without the caller's settings. Returns its output."""
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith("GIT_")},
        **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
        **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@b"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }  # fmt: skip
    return subprocess.run(
        ["git", "-C", folder, *arguments], env=environment, timeout=SECONDS, check=True, text=True,
        stdout=subprocess.PIPE,
    ).stdout  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Makes a repository with the files that contain the version, in which CHANGELOG.md has a
    release date for the newest version. Returns the folder."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, tmp_path / name)
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text(changes.read_text("utf-8").replace("(not yet released)", "(2026-12-01)"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "A release")
    return tmp_path


@pytest.fixture
def tag(tree: Path) -> Tag:
    """Returns a function that runs ./dev tag in the repository `tree` and returns its exit status
    and output."""

    def run() -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        return subprocess.run(
            [tree / ".ci" / "tag"], env=environment, capture_output=True, text=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip

    return run


def test_a_release(tree: Path, tag: Tag) -> None:
    """./dev tag makes an annotated tag with the changes of the version, and prints the command that
    publishes it. A second try is refused."""
    done = tag()
    assert done.returncode == 0, done.stderr
    (name,) = git(tree, "tag").split()
    assert re.fullmatch(rf"tag: {name} is \w+; git push origin {name}\n", done.stdout)
    told = git(tree, "tag", "--list", "--format=%(objecttype) %(contents)", name)
    assert told.startswith(f"tag Darshan {name[1:]}\n") and "### For users" in told
    again = tag()
    assert again.returncode == 1 and f"the tag {name} exists" in again.stderr


@pytest.mark.parametrize(
    "file, change, said",
    [
        ("CHANGELOG.md", ("(2026-12-01)", "(not yet released)"), "has no date"),
        ("CHANGELOG.md", ("(2026-12-01)", "(soon)"), "is not '## N.N.N (YYYY-MM-DD)'"),
        ("CHANGELOG.md", ("## 4", "## 9.0.0 (2027-01-01)\n\n## 4"), "but configure.ac has"),
        ("CHANGELOG.md", ("## 4", "## 1.0.0 (2026-01-01)\n\n## 4"), "not in order"),
        (
            "CHANGELOG.md",
            ("(2026-12-01)", "(2026-12-01)\n\n## 1.0.0 (not yet released)"),
            "only the",
        ),
        ("configure.ac", ("[darshan], [", "[darshan], [1"), "configure.ac has 1"),
        ("share/conda/recipe.yaml", ('version: "', 'version: "1'), "recipe.yaml has 1"),
        ("debian/changelog", ("darshan (", "darshan (1"), "debian/changelog has 1"),
    ],
)
def test_what_is_not_ready(
    file: str, change: tuple[str, str], said: str, tree: Path, tag: Tag
) -> None:
    """A missing date, a version that differs, or a wrong order of versions is refused with one
    line, and no tag is created. file, change: the file, and the replacement in it. said: part of
    the message."""
    old, new = change
    text = (tree / file).read_text("utf-8")
    assert old in text
    (tree / file).write_text(text.replace(old, new, 1), "utf-8")
    git(tree, "commit", "-qam", "A change")
    done = tag()
    assert done.returncode == 1 and said in done.stderr and done.stderr.count("\n") == 1
    assert git(tree, "tag") == ""


def test_changes_that_are_not_committed(tree: Path, tag: Tag) -> None:
    """A tree with changes that are not committed is refused, and no tag is created."""
    (tree / "new").write_text("")
    done = tag()
    assert (done.returncode, git(tree, "tag")) == (1, "")
    assert "not committed" in done.stderr
