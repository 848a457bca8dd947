"""A program of another C library runs as if nobody watched, and one line says so."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.needs("program:musl-gcc")
SECONDS = 60
SOURCE = """
#include <stdio.h>
int main(int argc, char **argv) {
  FILE *out = fopen("out", "w");
  if (!out || fputs("text", out) < 0 || fclose(out)) return 3;
  printf("%d\\n", argc);
  return 7;
}
"""


@pytest.fixture(name="work")
def make_program(tmp_path: Path) -> Path:
    """A folder with a musl program, and scripts that it runs."""
    (tmp_path / "main.c").write_text(SOURCE)
    subprocess.run(["musl-gcc", "-o", "program", "main.c"], cwd=tmp_path, check=True)
    for name, line in (
        ("script", f"#!{tmp_path}/program"),
        ("chain", f"#!{tmp_path}/script -x"),
        ("by-env", "#!/usr/bin/env program"),
    ):
        (tmp_path / name).write_text(f"{line}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


COMMANDS = {
    "path": ("./program", "a"),
    "search": ("program", "a"),
    "script": ("./script", "a"),
    "script of a script": ("chain", "a"),
    "env": ("by-env", "a"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("front", ["run", "stat"])
def test_runs_unwatched(build: Path, work: Path, command: str, front: str) -> None:
    """Output and status are its own; the line names the program and the reason."""
    environment = {
        **os.environ,
        "PATH": f"{work}:{os.environ['PATH']}",
        # Exported already, with another library that must stay.
        "LD_PRELOAD": f"{build}/libdarshan.so:/nowhere/other.so" if front == "run" else "",
    }
    bare = subprocess.run(
        COMMANDS[command],
        cwd=work,
        env={**environment, "LD_PRELOAD": ""},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    done = subprocess.run(
        [build / "darshan", front, "--", *COMMANDS[command]],
        cwd=work,
        env=environment,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert bare.returncode == done.returncode == 7
    assert done.stdout.endswith(bare.stdout) if front == "stat" else done.stdout == bare.stdout
    (line,) = [x for x in done.stderr.decode().splitlines() if x.startswith("darshan: ")]
    assert "/program uses another C library than glibc" in line and line.endswith("unwatched")
    assert (work / "out").read_text() == "text"
    assert not list((work / "darshan-logs").iterdir())
