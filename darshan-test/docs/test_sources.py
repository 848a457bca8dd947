"""The lists in the Makefile.inc files are complete: the C files that are compiled in each folder,
and the files of the Python package that are installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tree import SOURCE

# Files that another list than that of their folder names: one that the reader needs and the runtime
# does not, and one that setup.py compiles if libdeflate is missing.
ELSEWHERE = {
    "runtime/format/describe.c": "util/reader/Makefile.inc",
    "util/reader/without-libdeflate/decompress-once.c": "setup.py",
}
# All C and assembler files of the tree.
COMPILED = sorted(
    path.relative_to(SOURCE).as_posix()
    for top in ("runtime", "util")
    for path in (SOURCE / top).rglob("*.[cS]")
)
# All Makefile.inc files of the tree.
LISTS = sorted(
    path.relative_to(SOURCE).as_posix()
    for top in ("runtime", "util")
    for path in (SOURCE / top).rglob("Makefile.inc")
)


def list_for(file: str) -> Path:
    """Returns the Makefile.inc that must name a C file: that of its folder, or of the nearest
    folder above that has one, or the one in ELSEWHERE."""
    if file in ELSEWHERE:
        return SOURCE / ELSEWHERE[file]
    folders = (SOURCE / file).parents
    return next(one / "Makefile.inc" for one in folders if (one / "Makefile.inc").is_file())


def test_each_file_is_in_the_list_of_its_folder() -> None:
    """The Makefile.inc of each folder names all C files of the folder; a file that no list names
    would not be compiled."""
    assert len(COMPILED) > 200
    missing = [
        file
        for file in COMPILED
        if not re.search(rf"(?<![\w.-]){re.escape(file)}(?![\w.-])", list_for(file).read_text())
    ]
    assert missing == []


@pytest.mark.parametrize("name", LISTS)
def test_a_list_names_files_that_exist(name: str) -> None:
    """Each C file that a Makefile.inc names exists, and Makefile.am or another list includes this
    Makefile.inc exactly once."""
    words = (SOURCE / name).read_text("utf-8").split()
    names = [word for word in words if word.endswith((".c", ".S")) and "$" not in word]
    assert [file for file in names if not (SOURCE / file).is_file()] == []
    lists = [SOURCE / "Makefile.am", *(SOURCE / one for one in LISTS)]
    including = [path for path in lists if f"include $(srcdir)/{name}\n" in path.read_text("utf-8")]
    assert len(including) == 1


def test_make_installs_the_whole_package() -> None:
    """package-files.inc names exactly the files of the Python package; without one of them an
    installed report would fail."""
    package = SOURCE / "util/python/darshan_report"
    listed = set((SOURCE / "util/python/package-files.inc").read_text("utf-8").split())
    files = {
        path.relative_to(SOURCE).as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert len(files) > 200
    listed = {name for name in listed if name.startswith("util/python/darshan_report/")}
    assert files == listed, "./dev list-package makes the list"
