"""The steps of each page doc/howto-add-a-*.md are complete: after they are done, no test fails.

For each page, a patch does its steps in a copy of this source tree, which is then compiled and
tested."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab.command import finished
from sample import ALL, turning
from tree import SOURCE, build_folder, real_log_paths

# The folder of the patches.
PATCHES = Path(__file__).resolve().parent / "howto"
SECONDS = 900


@dataclass(frozen=True)
class Page:
    """The needs of a how-to page: the targets of make that its steps use, and the tests that must
    pass after them."""

    targets: tuple[str, ...]
    tests: tuple[str, ...]  # run whole
    file: str  # of this file, the tests whose names match
    matching: str
    describes: bool = False  # ./dev describe is one of the steps


# The pages by the name of their patch.
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
        "not examples",
        describes=True,
    ),
    "add-a-page-section": Page(
        ("all",),
        ("report/test_storage.py", "report/test_page.py", "report/test_pages.py"),
        "docs/test_words.py",
        "not examples",
    ),
}


def left_out(folder: str, names: list[str]) -> set[str]:
    """Returns which of the names in a folder of the source tree are not copied: build folders, and
    files that are not part of the tree. Files that autoreconf made are copied, because make would
    otherwise configure the copy again."""
    if Path(folder) != SOURCE:
        return {"__pycache__"}
    built = {name for name in names if name.startswith("build") and name != "build-aux"}
    return built | {"autom4te.cache", ".git", ".venv", "__pycache__"}


def copy_if_there(source: str, target: str) -> None:
    """Copies a file with its times. Does nothing if another test has removed it meanwhile."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, target)


def copied(tree: Path) -> Path:
    """Copies the source tree, and its build folder with all times, so that make compiles only the
    files that a patch changes. Returns the build folder of the copy. tree: a path that does not
    exist yet."""
    made, build = build_folder(), tree / "build"
    shutil.copytree(SOURCE, tree, ignore=left_out, symlinks=True, copy_function=copy_if_there)
    if not made.is_relative_to(SOURCE):  # its Makefile finds the sources by a relative path
        succeeds("./dev", "build", tree=tree)
        return build
    build = tree / made.relative_to(SOURCE)
    # Files that other tests make there at the same time are not part of these targets.
    other = shutil.ignore_patterns("compiled-tests", "pytest-cache", "made")
    shutil.copytree(made, build, ignore=other, symlinks=True, copy_function=copy_if_there)
    for name in ("Makefile", "config.status"):  # the only files that name the tree
        file = build / name
        times = file.stat()
        file.write_text(file.read_text().replace(str(SOURCE), str(tree)))
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    # ./dev describe builds without arguments, which must not configure it again.
    (build / "configured-with").write_text("'' \n")
    return build


def succeeds(*command: str | Path, tree: Path, **variables: str) -> None:
    """Runs a command in the copy. If it fails, the test fails with the end of the output.
    variables: added to the environment."""
    done = finished(command, cwd=tree, env={**os.environ, **variables}, timeout=SECONDS)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]


def run_tests(tree: Path, build: Path, *arguments: str | Path, **settings: str) -> None:
    """Runs pytest in the copy, on its build, and fails if a test does. arguments: of pytest;
    settings: variables to add."""
    command = (sys.executable, "-m", "pytest", "-q", "-x", *arguments)
    variables = {"DARSHAN_BUILD": str(build), "PYTHONHASHSEED": "0", **settings}
    if logs := real_log_paths():
        variables["DARSHAN_REAL_LOGS"] = str(logs[0].parent)
    succeeds(*command, tree=tree, **variables)


@pytest.mark.always
@pytest.mark.parametrize("name", PAGES)
def test_page_names_the_files_of_its_patch(name: str) -> None:
    """A how-to page names each file that its patch changes; otherwise a step would be missing for a
    reader."""
    page = (SOURCE / "doc" / f"howto-{name}.md").read_text("utf-8")
    patch = (PATCHES / f"{name}.patch").read_text("utf-8")
    files = [Path(file).name for file in re.findall(r"^\+\+\+ b/(.+)$", patch, re.M)]
    assert files
    assert [file for file in files if not re.search(rf"(?<![\w-]){re.escape(file)}", page)] == []


@pytest.mark.always
@pytest.mark.parametrize("name", PAGES)
def test_patch_applies(name: str) -> None:
    """The patch of a how-to page applies to this tree."""
    command = ["git", "apply", "--check", PATCHES / f"{name}.patch"]
    done = finished(command, cwd=SOURCE)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.always
@pytest.mark.parametrize("page", sorted((SOURCE / "doc").glob("howto-*.md")), ids=lambda p: p.stem)
def test_page_is_linked_and_executed(page: Path) -> None:
    """CONTRIBUTING.md has a link to each how-to page, and each page has a patch that a test
    executes."""
    assert f"(doc/{page.name})" in (SOURCE / "CONTRIBUTING.md").read_text("utf-8")
    assert page.stem.removeprefix("howto-") in PAGES


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("name", turning(PAGES, 1 / len(PAGES), "how-tos"))
def test_howto(name: str, tmp_path: Path) -> None:
    """In a copy of the tree to which the patch of a how-to page was applied, the build and the
    page's tests succeed."""
    page, tree = PAGES[name], tmp_path / "darshan"
    build = copied(tree)
    (tree / ".venv").symlink_to(SOURCE / ".venv")
    succeeds("git", "init", "-q", tree=tree)  # git apply and ./dev files need it
    (tree / ".git/info/exclude").write_text(".venv\n")  # .gitignore means a folder, not a link
    succeeds("git", "add", "-A", tree=tree)
    # If the lines around have changed: do the steps again in a copy, and make a new patch there.
    succeeds("git", "apply", PATCHES / f"{name}.patch", tree=tree)
    # A changed source needs no optimiser, except for the tests of the calls that the library makes.
    flags = () if "symbols" in page.tests else ("CFLAGS=-O0",)
    succeeds("make", "-s", "-j2", "-C", build, *flags, *page.targets, tree=tree)
    if page.describes:
        succeeds("./dev", "describe", tree=tree, DARSHAN_OUT=str(build.relative_to(tree)))
    run_tests(tree, build, *(tree / "darshan-test" / test for test in page.tests))
    # Added cases must run, whichever cases a sample of the file would have.
    named = tree / "darshan-test" / page.file
    run_tests(tree, build, named, "-k", page.matching, DARSHAN_SAMPLE=ALL)
