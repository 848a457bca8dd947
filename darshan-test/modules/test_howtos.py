"""The steps of each doc/howto-add-a-*.md are complete: after them no test fails.

A patch does the steps of one page in a copy of the tree, which is built and tested.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from sample import ALL, turning
from tree import SOURCE, real_log_paths

PATCHES = Path(__file__).resolve().parent / "howto"
SECONDS = 900


@dataclass(frozen=True)
class Page:
    """A how-to: the targets that its steps build, and the tests that must pass then."""

    targets: tuple[str, ...]
    tests: tuple[str, ...]  # run whole
    file: str  # of this file, the tests whose names match
    matching: str
    describes: bool = False  # ./dev describe is one of the steps


PAGES = {
    "add-a-counter": Page(
        ("all", "update-counters", "darshan-test/calls/calls"),
        (
            "logs/test_good.py",
            "logs/test_annex.py",
            "docs/test_words.py",
            "toolbox/test_convert.py",
        ),
        "calls/test_functions.py",
        "[sync] or [syncfs]",
    ),
    "add-a-function": Page(
        ("all", "darshan-test/calls/calls"),
        ("symbols", "docs/test_words.py"),
        "calls/test_functions.py",
        "fstatvfs",
    ),
    "add-a-module": Page(
        ("all",),
        ("yields", "symbols", "logs/test_annex.py", "docs/test_words.py"),
        "docs/test_promises.py",
        "module or counter",
        describes=True,
    ),
    "add-a-diagnosis": Page(
        ("all",),
        ("report/diagnose", "report/test_layers.py", "docs/test_words.py"),
        "verdicts/test_triggers.py",
        "asking",
        describes=True,
    ),
    "add-a-subcommand": Page(
        ("all",),
        ("front/test_help.py", "front/test_folders.py", "docs/test_manual.py"),
        "docs/test_words.py",
        "",
        describes=True,
    ),
    "add-a-page-section": Page(
        ("all",),
        ("report/test_storage.py", "report/test_page.py", "report/test_pages.py"),
        "docs/test_words.py",
        "",
    ),
}


def left_out(folder: str, names: list[str]) -> set[str]:
    """Returns what was built, and what is not part of the tree."""
    built = shutil.ignore_patterns("build*", "auto*", "configure", "configure~", ".git", ".venv")
    found = built(folder, names) if Path(folder) == SOURCE else set()
    return found | {"__pycache__"}


def succeeds(*command: str | Path, tree: Path, **variables: str) -> None:
    """Runs a command in the copy; fails with the end of what it printed."""
    done = subprocess.run(
        command,
        cwd=tree,
        env={**os.environ, "DARSHAN_OUT": "build", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]


def run_tests(tree: Path, *arguments: str | Path, **settings: str) -> None:
    """Runs pytest in the copy, on its build."""
    command = (sys.executable, "-m", "pytest", "-q", "-x", *arguments)
    variables = {"DARSHAN_BUILD": str(tree / "build"), "PYTHONHASHSEED": "0", **settings}
    if logs := real_log_paths():
        variables["DARSHAN_REAL_LOGS"] = str(logs[0].parent)
    succeeds(*command, tree=tree, **variables)


@pytest.mark.parametrize("name", PAGES)
def test_page_names_the_files_of_its_patch(name: str) -> None:
    """A step that only the patch does would be missing for a reader of the page."""
    page = (SOURCE / "doc" / f"howto-{name}.md").read_text("utf-8")
    patch = (PATCHES / f"{name}.patch").read_text("utf-8")
    files = [Path(file).name for file in re.findall(r"^\+\+\+ b/(.+)$", patch, re.M)]
    assert files
    assert [file for file in files if not re.search(rf"(?<![\w-]){re.escape(file)}", page)] == []


@pytest.mark.parametrize("name", PAGES)
def test_patch_applies(name: str) -> None:
    """The patch of each how-to applies to the tree."""
    command = ["git", "apply", "--check", PATCHES / f"{name}.patch"]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("page", sorted((SOURCE / "doc").glob("howto-*.md")), ids=lambda p: p.stem)
def test_page_is_linked_and_executed(page: Path) -> None:
    """CONTRIBUTING.md leads to each page, and each page has a patch."""
    assert f"(doc/{page.name})" in (SOURCE / "CONTRIBUTING.md").read_text("utf-8")
    assert page.stem.removeprefix("howto-") in PAGES


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("name", turning(PAGES, 1 / len(PAGES), "how-tos"))
def test_howto(name: str, tmp_path: Path) -> None:
    """In a copy of the tree, the patch of a how-to is applied, built and tested."""
    page, tree = PAGES[name], tmp_path / "darshan"
    shutil.copytree(SOURCE, tree, ignore=left_out, symlinks=True)
    (tree / ".venv").symlink_to(SOURCE / ".venv")
    succeeds("git", "init", "-q", tree=tree)  # git apply and ./dev files need it
    (tree / ".git/info/exclude").write_text(".venv\n")  # .gitignore means a folder, not a link
    succeeds("git", "add", "-A", tree=tree)
    # If the lines around have changed: do the steps again in a copy, and make a new patch there.
    succeeds("git", "apply", PATCHES / f"{name}.patch", tree=tree)
    succeeds("./dev", "build", tree=tree)
    succeeds("make", "-s", "-j2", "-C", "build", *page.targets, tree=tree)
    if page.describes:
        succeeds("./dev", "describe", tree=tree)
    run_tests(tree, *(tree / "darshan-test" / test for test in page.tests))
    # The cases that the steps added must run, whichever cases a sample of the file would have.
    named = tree / "darshan-test" / page.file
    run_tests(tree, named, "-k", page.matching, DARSHAN_SAMPLE=ALL)
