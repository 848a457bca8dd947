"""Programs that cannot be instrumented: their names, the reason, their exit and their bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from place import needs

from runs.reading import Row, processes, rows

MIB = 1 << 20
SIZE = 24  # MiB
SOURCE = """
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  static char bytes[1 << 20];
  int fd = open("data", O_RDONLY);
  while (read(fd, bytes, sizeof(bytes)) > 0)
    ;
  return argc > 1 ? system(argv[1]) != 0 : 3;
}
"""
GO = """
package main
// int one(void) { return 1; }
import "C"
import "os"
func main() { b, _ := os.ReadFile("data"); os.Exit(len(b) * int(C.one()) & 0) }
"""
NONE, STATIC, _, RIGHTS, ENVIRONMENT, A_GO = range(6)  # PROCESS_UNSEEN
# Ways in which Python starts programs: fork, vfork, posix_spawn.
WAYS = {
    "fork": "pid = os.fork(); pid or os.execv('./{0}', ['./{0}']); os.waitpid(pid, 0)",
    "vfork": "import subprocess; subprocess.run(['./{0}'])",
    "spawn": "pid = os.posix_spawn('./{0}', ['./{0}'], os.environ); os.waitpid(pid, 0)",
    "waitid": "os.waitid(os.P_PID, os.posix_spawn('./{0}', ['./{0}'], os.environ), os.WEXITED)",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A file, and a program that reads it, linked statically and dynamically."""
    (tmp_path / "data").write_bytes(os.urandom(SIZE * MIB))
    (tmp_path / "a.c").write_text(SOURCE)
    for name, options in (("static-reader", ["-static"]), ("reader", [])):
        subprocess.run(["cc", *options, "-o", name, "a.c"], cwd=tmp_path, check=True)
    return tmp_path


def run(build: Path, place: Path, *command: str, verb: str = "run") -> tuple[Path, str]:
    logs = place / "logs"
    done = subprocess.run(
        [build / "darshan", verb, "-o", logs, "--", *command],
        cwd=place,
        check=False,
        capture_output=True,
        text=True,
    )
    (log,) = logs.glob("*.darshan")
    return log, done.stderr


def of_rank(log: Path, process: Row) -> Row:
    (usage,) = (row for row in rows(log, "USAGE") if row["rank"] == process["rank"])
    return usage


def moved(log: Path, process: Row) -> None:
    """Checks that the process read all bytes of the file and few others."""
    usage = of_rank(log, process)
    assert SIZE * MIB <= usage["USAGE_CHARS_READ"] < (SIZE + 1) * MIB


@pytest.mark.parametrize("way", WAYS)
def test_a_child_that_is_linked_statically(build: Path, place: Path, way: str) -> None:
    script = "import os\n" + WAYS[way].format("static-reader")
    log, _ = run(build, place, sys.executable, "-c", script)
    every = processes(log)
    (child,) = (row for name, row in every.items() if name == "static-reader")
    (parent,) = (row for name, row in every.items() if name != "static-reader")
    assert child["PROCESS_UNSEEN"] == STATIC and parent["PROCESS_UNSEEN"] == NONE
    assert child["PROCESS_STATUS"] == 3 and child["PROCESS_ENDED"] == 1
    assert child["PROCESS_F_END_TIMESTAMP"] > child["PROCESS_F_START_TIMESTAMP"]
    assert child["PROCESS_PARENT_RANK"] == parent["rank"]
    moved(log, child)
    assert of_rank(log, parent)["USAGE_CHARS_READ"] < SIZE * MIB  # not the child's bytes


def test_the_program_that_was_asked_for(build: Path, place: Path) -> None:
    """A static program that starts an instrumented one is the root process of the run."""
    log, said = run(build, place, "./static-reader", "cat a.c >copied", verb="stat")
    lines = said.split("\n")
    assert lines[0].startswith("darshan: ./static-reader")
    told = "not watched: static-reader (linked statically)"
    assert lines.count(told) == 1, said
    assert "(not" not in said.replace(told, "")
    every = processes(log)
    (top,) = (row for row in every.values() if row["rank"] == 0)
    assert top["PROCESS_UNSEEN"] == STATIC and top["PROCESS_STATUS"] == 0
    moved(log, top)
    assert all(row["PROCESS_PARENT_RANK"] >= 0 for row in every.values() if row["rank"])
    done = subprocess.run(
        [build / "darshan-job-summary", "--text", log], check=True, capture_output=True, text=True
    )
    first = done.stdout.split("\n\n")[0].replace("\n", " ")
    assert first.startswith("static-reader ran for")
    assert "Not watched: static-reader (linked statically)." in first


def test_an_environment_of_its_own(build: Path, place: Path) -> None:
    log, _ = run(build, place, "sh", "-c", "env -i ./reader; true")
    (row,) = (row for name, row in processes(log).items() if "reader" in name and "->" in name)
    assert row["PROCESS_UNSEEN"] == ENVIRONMENT
    moved(log, row)


@pytest.mark.needs("raised-rights")
def test_raised_rights(build: Path, place: Path) -> None:
    os.chown(place / "reader", 65534, 65534)
    (place / "reader").chmod(0o4755)
    for path in (place, *place.parents[:2]):
        path.chmod(0o755)
    log, _ = run(build, place, "sh", "-c", "./reader; true")
    (row,) = (row for name, row in processes(log).items() if name == "reader")
    assert row["PROCESS_UNSEEN"] == RIGHTS and row["PROCESS_STATUS"] == 3
    moved(log, row)


def test_go_with_c_in_it(build: Path, place: Path) -> None:
    needs("go")
    (place / "main.go").write_text(GO)
    settings = os.environ | {"CGO_ENABLED": "1", "GO111MODULE": "off", "HOME": str(place)}
    command = ["go", "build", "-o", "reader", "main.go"]
    subprocess.run(command, cwd=place, env=settings, check=True)
    log, _ = run(build, place, "sh", "-c", "./reader; true")
    (row,) = (row for name, row in processes(log).items() if name.endswith("reader"))
    assert row["PROCESS_UNSEEN"] == A_GO
    moved(log, row)


def test_a_program_that_is_watched_again(build: Path, place: Path) -> None:
    """The records of an instrumented program have its bytes, and no program is listed as not
    instrumented."""
    log, said = run(build, place, "sh", "-c", "./reader; true", verb="stat")
    assert all(row["PROCESS_UNSEEN"] == NONE for row in processes(log).values())
    assert "not watched" not in said
