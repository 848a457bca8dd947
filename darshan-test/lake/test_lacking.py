"""In a Python without their packages, the commands of lakes say how to install these for a Python
that has them."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from lab.command import finished
from tree import SOURCE

from lake.conftest import SECONDS, Run

# For each command its arguments, and the packages that the message must name.
COMMANDS = {
    "collect": (["."], "pyarrow"),
    "ask": (["lake"], "pyarrow and duckdb"),
    "lake": (["info", "lake"], "pyarrow"),
    "digest": (["lake"], "pyarrow and duckdb"),
    "serve": (["lake"], "pyarrow and duckdb"),
}
ABSENT = "raise ModuleNotFoundError(name=__name__)\n"


def projects(words: list[str]) -> set[str]:
    """Returns the projects that a pip command would install. words: the command."""
    assert words[1 if words[0].endswith("/pip") else 3] == "install"
    return set(words[words.index("install") + 1 :])


def extra() -> set[str]:
    """Returns the projects that the wheel installs with the extra [centre], including its
    dependencies."""
    text = (SOURCE / "pyproject.toml").read_text("utf-8")
    lists = [re.search(rf"^{name} = \[(.*)\]$", text, re.M) for name in ("dependencies", "centre")]
    return {name for found in lists if found for name in re.findall('"([^"]+)"', found[1])}


@pytest.fixture
def hidden(tmp_path: Path) -> dict[str, str]:
    """Returns variables by which a Python finds none of the packages."""
    folder = tmp_path / "hidden"
    folder.mkdir()
    for name in ("pyarrow", "duckdb", "distributed"):
        (folder / f"{name}.py").write_text(ABSENT)
    return {"PYTHONPATH": str(folder)}


@pytest.fixture
def bare(hidden: dict[str, str]) -> dict[str, str]:
    """Returns the environment of a Python that finds none of the packages and is not in a virtual
    environment, as Debian's."""
    return {**hidden, "DARSHAN_PYTHON": sys._base_executable}  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", COMMANDS)
def test_debians_python(command: str, bare: dict[str, str], darshan: Run) -> None:
    """Debian's Python refuses pip, so the message has three commands that make a virtual
    environment. `--help` works without the packages."""
    arguments, lacks = COMMANDS[command]
    done = darshan(command, *arguments, environment=bare)
    first, *lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(lines)) == (1, "", 3), done
    assert first.startswith(f"darshan {command}: {bare['DARSHAN_PYTHON']} lacks {lacks}; make")
    assert "python3-venv" in first and first.endswith("(guide centre.md):")
    assert lines[0] == "  python3 -m venv ~/darshan-centre"
    assert projects(shlex.split(lines[1])) == {"numpy", "matplotlib", "pyarrow", "duckdb"}
    assert lines[2] == "  export DARSHAN_PYTHON=~/darshan-centre/bin/python"
    assert darshan(command, "--help", environment=bare).returncode == 0


def test_a_cluster_needs_all_of_the_extra(bare: dict[str, str], darshan: Run) -> None:
    """For a cluster, the message names all packages of the extra."""
    done = darshan("collect", "--workers", "dask://host:8786", ".", environment=bare)
    assert done.returncode == 1 and "lacks pyarrow and distributed;" in done.stderr
    assert projects(shlex.split(done.stderr.splitlines()[2])) == extra()


def test_a_virtual_environment(hidden: dict[str, str], darshan: Run) -> None:
    """A virtual environment accepts packages from pip, so the message has one command."""
    done = darshan("ask", "lake", environment=hidden)
    _, line = done.stderr.splitlines()
    python, *words = shlex.split(line)
    assert python == sys.executable and words[:3] == ["-m", "pip", "install"]
    assert projects([python, *words]) == {"pyarrow", "duckdb"}


def test_a_package_that_cannot_be_imported(hidden: dict[str, str], darshan: Run) -> None:
    """If a package is installed but cannot be imported, the message has the reason: another
    installation of the same package would not help."""
    broken = Path(hidden["PYTHONPATH"]) / "pyarrow.py"
    broken.write_text("raise ImportError('libarrow.so.2600: cannot open shared object file')\n")
    done = darshan("collect", ".", environment=hidden)
    assert (done.returncode, done.stderr) == (
        1,
        f"darshan collect: cannot import a Python package with {sys.executable}: "
        "libarrow.so.2600: cannot open shared object file\n",
    )


def test_the_commands_do_what_they_say(
    bare: dict[str, str], darshan: Run, build: Path, tmp_path: Path
) -> None:
    """The three commands of the message, run in a shell, make a Python with which the command
    works. The packages of the tests stand in for those that pip would download."""
    lines = darshan("collect", ".", environment=bare).stderr.splitlines()[1:]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(bare["DARSHAN_PYTHON"])
    borrowed = "".join(f"{path}\n" for path in sys.path if path.endswith("-packages"))
    site = "$(echo ~/darshan-centre/lib/*/site-packages)"
    lines[1] = f"printf %s {shlex.quote(borrowed)} >{site}/a.pth"
    (tmp_path / "empty").mkdir()
    collect = [str(build / "darshan"), "collect", "--into", "lake", "empty"]
    done = finished(
        ["sh", "-ec", "\n".join([*lines, shlex.join(collect)])],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": f"{tmp_path}/bin:/usr/bin:/bin"},
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("darshan collect: 0 logs")
    assert (tmp_path / "darshan-centre" / "bin" / "pip").exists()


def test_the_guide_has_the_same_commands() -> None:
    """The guide installs the packages with the commands that the message has."""
    guide = (SOURCE / "doc" / "centre.md").read_text("utf-8")
    block = re.search(r"```sh\n(python3 -m venv .*?)```", guide, re.S)
    assert block
    make, install, export = block[1].splitlines()
    folder = shlex.split(make)[-1]
    assert projects(shlex.split(install, comments=True)) == {
        "numpy", "matplotlib", "pyarrow", "duckdb"}  # fmt: skip
    assert install.startswith(f"{folder}/bin/pip install ")
    assert export == f"export DARSHAN_PYTHON={folder}/bin/python"
