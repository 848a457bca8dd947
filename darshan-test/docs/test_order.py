"""The include order holds, and violations are found."""

from __future__ import annotations

import shutil
from pathlib import Path

import order
import pytest

TREE = Path(__file__).resolve().parents[2]


def planted(tree: Path, file: str, target: str) -> list[str]:
    """Returns the violations in a copy of the tree in which one file includes one more."""
    shutil.copytree(TREE / "runtime", tree / "runtime")
    shutil.copytree(TREE / "util", tree / "util", ignore=shutil.ignore_patterns("python"))
    (tree / order.PAGE).parent.mkdir()
    shutil.copy(TREE / order.PAGE, tree / order.PAGE)
    path = tree / file
    path.write_text(f'#include "{target}"\n{path.read_text("utf-8")}', "utf-8")
    return order.problems(tree)


def test_the_order_is_kept() -> None:
    """The tree follows the page, except for the list of known violations."""
    assert not order.problems(TREE)


@pytest.mark.parametrize(
    ("file", "target"),
    [
        ("runtime/intercept/sys.h", "../records/store.h"),
        ("runtime/records/store.c", "../log/write.h"),
        ("runtime/job/names.c", "../life/end.h"),
        ("runtime/log/save.c", "../modules/posix/posix.h"),
        ("util/reader/log.c", "../parser/rows.h"),
    ],
)
def test_an_include_against_it_is_found(file: str, target: str, tmp_path: Path) -> None:
    """The violation is reported with the file's name and line."""
    said = planted(tmp_path, file, target)
    assert any(line.startswith(f"{file}:1: includes ") for line in said), said


def test_a_circle_is_found(tmp_path: Path) -> None:
    """Circles among files of one folder, and by way of a third file, are found."""
    said = planted(tmp_path, "runtime/log/compress.h", "save.h")
    assert any(line.startswith("a circle of files: ") for line in said), said


def test_a_row_names_nothing_below_it() -> None:
    """A row that names a folder below it is an error, because folders could then form a circle."""
    rows = "| 1 | `a/` | `b/` |\n| 2 | `b/` | all above |\n"
    with pytest.raises(ValueError, match="not above it"):
        order.Order.read(rows)
