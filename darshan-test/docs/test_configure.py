"""configure chooses the first Python with numpy and matplotlib, or none, and prints the choice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
# The script by which configure finds a Python.
FIND = TREE / "util" / "python" / "find-python"
SECONDS = 60


def script(path: Path, body: str) -> Path:
    """Writes an executable shell script, with its folder. body: its commands. Returns its path."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def found(path: str, named: str = "") -> tuple[int, str]:
    """Runs configure's search for a Python. path: its PATH. named: value of the variable PYTHON, ""
    if it is not set. Returns the exit status, and the path of the Python that it found ("":
    none)."""
    done = subprocess.run(
        [FIND], env={"PATH": path, "PYTHON": named}, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.returncode, done.stdout.strip()


def test_the_first_that_can(tmp_path: Path) -> None:
    """configure skips a python3 without numpy, and tries the Python that the user named first."""
    real = script(tmp_path / "good" / "python3", f'exec "{sys.executable}" "$@"')
    poor = script(tmp_path / "poor" / "python3", f'exec "{sys.executable}" -S -I "$@"')
    assert found(f"{real.parent}:/usr/bin:/bin") == (0, str(real))
    assert found("/usr/bin:/bin", str(real)) == (0, str(real))
    status, other = found(f"{poor.parent}:/usr/bin:/bin")
    # Debian's own Python may have both packages or not.
    assert (status, other) == (1, str(poor)) or (status == 0 and other != str(poor))
    status, other = found(f"{poor.parent}:/usr/bin:/bin", str(poor))
    assert status == 1 or other != str(poor)


def test_a_python_that_lacks_numpy_is_told_of_at_once(tmp_path: Path) -> None:
    """configure's check for numpy and matplotlib prints "no" for a Python without them, else the
    Python's path."""
    text = (TREE / "configure.ac").read_text("utf-8")
    start = text.index("AC_MSG_CHECKING([for a Python with numpy and matplotlib])")
    part = text[start : text.index("\nAC_ARG_WITH", start)]
    (tmp_path / "configure.ac").write_text(
        f"AC_INIT([x], [1])\nm4_pattern_allow([AM_PATH_PYTHON])\nAC_DEFUN([AM_PATH_PYTHON], [])\n"
        f"{part}\nAC_OUTPUT\n"
    )
    subprocess.run(["autoconf"], cwd=tmp_path, check=True, timeout=SECONDS)
    (tmp_path / "util").symlink_to(TREE / "util")
    poor = script(tmp_path / "python3", f'exec "{sys.executable}" -S -I "$@"')
    good = script(tmp_path / "python", f'exec "{sys.executable}" "$@"')
    for python, lacks in ((poor, True), (good, False)):
        done = subprocess.run(
            ["./configure", f"PYTHON={python}"], cwd=tmp_path, capture_output=True, text=True,
            timeout=SECONDS, env={**os.environ}, check=True,
        )  # fmt: skip
        assert ("darshan report will not work" in done.stderr) is lacks
        shown = "no" if lacks else str(python)
        assert f"for a Python with numpy and matplotlib... {shown}\n" in done.stdout
