"""The C includes and the Python imports of the tree follow the tables of doc/architecture.md, and
violations are found."""

from __future__ import annotations

import shutil
from pathlib import Path

import order
import pytest
import python_order

TREE = Path(__file__).resolve().parents[2]


def planted(tree: Path, file: str, target: str) -> list[str]:
    """Copies the tree to `tree`, adds `#include "target"` to `file`, and returns the messages about
    violations in the copy."""
    shutil.copytree(TREE / "runtime", tree / "runtime")
    shutil.copytree(TREE / "util", tree / "util", ignore=shutil.ignore_patterns("python"))
    (tree / order.PAGE).parent.mkdir()
    shutil.copy(TREE / order.PAGE, tree / order.PAGE)
    path = tree / file
    path.write_text(f'#include "{target}"\n{path.read_text("utf-8")}', "utf-8")
    return order.problems(tree)


@pytest.mark.always
def test_the_order_is_kept() -> None:
    """Every include and import follows the tables of doc/architecture.md, except for the list of
    known violations."""
    assert not order.problems(TREE)


@pytest.mark.parametrize(
    ("file", "target"),
    [
        ("runtime/intercept/sys/sys.h", "../records/store.h"),
        ("runtime/records/store.c", "../log/write.h"),
        ("runtime/job/config/names.c", "../../life/life.h"),
        ("runtime/log/save.c", "../modules/posix/posix.h"),
        ("util/reader/log.c", "../parser/rows.h"),
    ],
)
def test_an_include_against_it_is_found(file: str, target: str, tmp_path: Path) -> None:
    """An include that the tables of doc/architecture.md do not allow is reported with its file and
    line."""
    said = planted(tmp_path, file, target)
    assert any(line.startswith(f"{file}:1: includes ") for line in said), said


def test_a_circle_is_found(tmp_path: Path) -> None:
    """Files of one folder that include each other in a circle, here by way of a third file, are
    reported."""
    said = planted(tmp_path, "runtime/log/compress.h", "save.h")
    assert any(line.startswith("a circle of files: ") for line in said), said


@pytest.mark.always
def test_a_row_names_nothing_below_it() -> None:
    """A row that names a folder below it is an error, because folders could then form a circle."""
    rows = "| 1 | `a/` | `b/` |\n| 2 | `b/` | all above |\n"
    with pytest.raises(ValueError, match="not above it"):
        order.Order.read(rows)


def planted_import(tree: Path, file: str, line: str) -> list[str]:
    """Copies the Python package to `tree`, adds the import `line` at the end of `file`, and returns
    the messages about violations in the copy."""
    package = tree / python_order.PACKAGE
    shutil.copytree(TREE / python_order.PACKAGE, package)
    (tree / python_order.PAGE).parent.mkdir()
    shutil.copy(TREE / python_order.PAGE, tree / python_order.PAGE)
    path = package / file
    path.write_text(f"{path.read_text('utf-8')}\n\n{line}\n", "utf-8")
    return python_order.problems(tree)


@pytest.mark.always
def test_the_python_layers_are_kept() -> None:
    """No file of the Python package imports a file of a later layer in the table of
    doc/architecture.md, and no files import each other in a circle."""
    assert not python_order.problems(TREE)


@pytest.mark.parametrize(
    ("file", "line", "target"),
    [
        ("units.py", "from . import log", "log.py"),
        ("log.py", "def late():\n    from .diagnose.run import diagnose", "diagnose/run.py"),
        ("measure/traces/heat.py", "from ...report import context", "report/context.py"),
        ("diagnose/rules/run/fine.py", "from ....report.html.run import run", "report/html/run.py"),
        ("report/context.py", "from darshan_report.report.main import main", "report/main.py"),
        ("show/text.py", "from .. import open_log", "__init__.py"),
    ],
)
def test_an_import_of_a_later_layer_is_found(
    file: str, line: str, target: str, tmp_path: Path
) -> None:
    """An import of a file of a later layer is reported with the importing file's name and line,
    also if it is inside of a function."""
    said = planted_import(tmp_path, file, line)
    number = len((tmp_path / python_order.PACKAGE / file).read_text().splitlines())
    start = f"{python_order.PACKAGE}/{file}:{number}: imports {target} of a later layer"
    assert any(one.startswith(start) for one in said), said


def test_a_circle_of_python_files_is_found(tmp_path: Path) -> None:
    """Two files of one layer that import each other are reported."""
    said = planted_import(tmp_path, "show/text.py", "from .blocks_text import lines")
    assert any("import each other: show/blocks_text.py, show/text.py" in line for line in said), (
        said
    )


def test_a_python_file_without_a_layer_is_found(tmp_path: Path) -> None:
    """A file without a row in the table of layers is reported."""
    said = planted_import(tmp_path, "units.py", "")
    assert not said
    folder = tmp_path / python_order.PACKAGE / "new"
    folder.mkdir()
    (folder / "__init__.py").touch()
    said = python_order.problems(tmp_path)
    assert said == [f"{python_order.PACKAGE}/new/__init__.py is in no layer of {python_order.PAGE}"]
