"""For a program that cannot be instrumented, the log has its name, the reason, its exit status and
the bytes that the kernel counted."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lab.binding import Row, processes, rows
from lab.command import finished
from lab.compile import compile_c
from place import needs

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
# Seconds that the program `sleeper` sleeps.
SLEEP = 0.4
SLEEPER = """
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  static char bytes[1 << 20];
  int fd = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(fd, bytes, sizeof(bytes)) < 0 || fsync(fd) < 0) return 1;
  usleep(400000);
  return write(fd, bytes, sizeof(bytes)) < 0 ? 1 : 4;
}
"""
GO = """
package main
// int one(void) { return 1; }
import "C"
import "os"
func main() { b, _ := os.ReadFile("data"); os.Exit(len(b) * int(C.one()) & 0) }
"""
NOT_WATCHED = r"not instrumented: {} \({}; read 24\.\d MiB, wrote \S+ K?i?B\)"
# Values of PROCESS_UNSEEN: why a process was not instrumented.
NONE, STATIC, _, RIGHTS, ENVIRONMENT, A_GO = range(6)
# Ways in which Python starts programs: fork, vfork, posix_spawn.
WAYS = {
    "fork": "pid = os.fork(); pid or os.execv('./{0}', ['./{0}']); os.waitpid(pid, 0)",
    "vfork": "import subprocess; subprocess.run(['./{0}'])",
    "spawn": "pid = os.posix_spawn('./{0}', ['./{0}'], os.environ); os.waitpid(pid, 0)",
    "waitid": "os.waitid(os.P_PID, os.posix_spawn('./{0}', ['./{0}'], os.environ), os.WEXITED)",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a file of 24 MiB, a program that reads it, and a program that writes a file, sleeps,
    writes it again and exits with status 4. Both programs are linked statically and dynamically.
    Returns their folder."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "data").write_bytes(os.urandom(SIZE * MIB))
    for name, source in (("reader", SOURCE), ("sleeper", SLEEPER)):
        (folder / f"{name}.c").write_text(source)
        compile_c(folder, folder / f"{name}.c", "-w", name=name)
        compile_c(folder, folder / f"{name}.c", "-w", "-static", name=f"static-{name}")
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """Makes a folder with the file and copies of the programs. Returns the folder."""
    os.link(made / "data", tmp_path / "data")
    for name in ("reader.c", "reader", "static-reader", "sleeper", "static-sleeper"):
        shutil.copy(made / name, tmp_path)
    return tmp_path


def run(build: Path, place: Path, *command: str, verb: str = "run") -> tuple[Path, str]:
    """Runs a command under `darshan run`, or another verb. Returns the log and standard error."""
    logs = place / "logs"
    done = finished([build / "darshan", verb, "-o", logs, "--", *command], cwd=place)
    (log,) = logs.glob("*.darshan")
    return log, done.stderr


def of_rank(log: Path, process: Row) -> Row:
    """Returns the USAGE record of a process."""
    (usage,) = (row for row in rows(log, "USAGE") if row["rank"] == process["rank"])
    return usage


def moved(log: Path, process: Row) -> None:
    """Checks that the process read all bytes of the file, and few other bytes."""
    usage = of_rank(log, process)
    assert SIZE * MIB <= usage["USAGE_CHARS_READ"] < (SIZE + 1) * MIB


@pytest.mark.parametrize("way", WAYS)
def test_a_child_that_is_linked_statically(build: Path, place: Path, way: str) -> None:
    """A static program is in the log with its parent and its times, and its bytes are not those of
    the parent. way: how it is started."""
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
    """If the user starts a static program, which starts an instrumented one, the log's command is
    that of the static program, and the summary says that it is not instrumented."""
    log, said = run(build, place, "./static-reader", "cat reader.c >copied", verb="stat")
    said = said.replace("not instrumented: \n  ", "not instrumented: ")  # wrapped at 80 columns
    lines = said.split("\n")
    assert lines[0].startswith("darshan: ./static-reader")
    (told,) = (line for line in lines if line.startswith("not instrumented: "))
    assert re.fullmatch(NOT_WATCHED.format("static-reader", "linked statically"), told), said
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
    assert "Not instrumented: static-reader (linked statically)." in first


# The command before a program; the program; why it is not instrumented, as a number and in words.
OTHER = (ENVIRONMENT, "started without the runtime's environment")
FIXED = (STATIC, "linked statically")
FRONTS = {
    "nice": (("nice",), "./static-sleeper", FIXED),
    "taskset": (("taskset", "-c", "0"), "./static-sleeper", FIXED),
    "env -i": (("env", "-i"), "./sleeper", OTHER),
    "exec": (("sh", "-c", "exec ./static-sleeper"), "", FIXED),
    "two": (("nice", "env", "-i"), "./sleeper", OTHER),
}


def told_by(build: Path, log: Path) -> str:
    """Returns the text report of a log."""
    command = [build / "darshan-job-summary", "--text", log]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# Bash starts a program as sh does: by fork and exec.
STARTED = [*((front, shell) for front in FRONTS for shell in (None, "sh")), ("env -i", "bash")]


@pytest.mark.parametrize(("front", "shell"), STARTED)
def test_a_program_that_another_becomes(
    build: Path, place: Path, front: str, shell: str | None
) -> None:
    """A program becomes another one by exec that cannot be instrumented. Its process and the run
    last until that program ends. The log has the bytes that the kernel counted, and the first lines
    of the summary name the program and the reason. front: the command in front of it; shell: the
    shell that starts it, or None."""
    words, program, (why, reason) = FRONTS[front]
    command = [*words, program] if program else [*words]
    if shell:
        command = [shell, "-c", f"{shlex.join(command)}; exit $?"]
    log, said = run(build, place, *command, verb="stat")
    every = processes(log)
    (row,) = (row for row in every.values() if row["PROCESS_UNSEEN"])
    assert len(every) == (2 if shell else 1)
    assert row["PROCESS_UNSEEN"] == why
    assert (row["PROCESS_ENDED"], row["PROCESS_STATUS"]) == (1, 4)
    lived = row["PROCESS_F_END_TIMESTAMP"] - row["PROCESS_F_START_TIMESTAMP"]
    assert lived >= SLEEP and all(r["PROCESS_F_END_TIMESTAMP"] >= SLEEP for r in every.values())
    usage = of_rank(log, row)
    assert 2 * MIB <= usage["USAGE_CHARS_WRITTEN"] < 3 * MIB
    assert usage["USAGE_STORAGE_WRITTEN"] in (0, *range(2 * MIB, 3 * MIB))  # 0: a tmpfs
    name = "static-sleeper" if why == STATIC else "sleeper"
    head, second, *_ = said.splitlines()
    assert head.removeprefix("darshan: ").split()[0] == command[0]
    (run_time, unit) = re.match(r"run time (\S+) (m?s),", second).groups()
    assert float(run_time) * (1 if unit == "s" else 1e-3) >= SLEEP
    flat = " ".join(said.split())
    assert f"not instrumented: {name} ({reason}; read " in flat and "wrote 2.0" in flat
    assert "fine" not in said and "No I/O was recorded" not in said
    text = told_by(build, log)
    first = text.split("\n\n")[0].replace("\n", " ")
    assert f"Not instrumented: {name} ({reason})." in first
    assert "is fine" not in text and "No I/O was recorded" not in text
    assert "that no recorded call explains" not in text  # the program's own notice has its bytes
    if shell:
        (line,) = (line for line in text.splitlines() if line.startswith(f"  {name}"))
        # Writes to the journal of the process's earlier program count, too, if it is not on a
        # tmpfs.
        assert re.search(r" 2\.0\d MiB$", line) and " 0 B" not in line, line


def test_a_wait_for_a_child_is_not_io(build: Path, place: Path) -> None:
    """If a program that is not instrumented waits for a child, the report does not call this a wait
    for storage."""
    log, _ = run(build, place, "./static-reader", "sleep 0.3", verb="stat")
    text = " ".join(told_by(build, log).split())
    assert "went into storage accesses" not in text
    lived, alone = re.search(
        r"lived for (\S+) ms, (\S+) ms of that without a child process", text
    ).groups()
    assert float(alone) < float(lived) - 290


@pytest.mark.needs("raised-rights")
def test_raised_rights(build: Path, place: Path) -> None:
    """A set-user-id program is in the log, with this reason."""
    os.chown(place / "reader", 65534, 65534)
    (place / "reader").chmod(0o4755)
    for path in (place, *place.parents[:2]):
        path.chmod(0o755)
    log, _ = run(build, place, "sh", "-c", "./reader; true")
    (row,) = (row for name, row in processes(log).items() if name == "reader")
    assert row["PROCESS_UNSEEN"] == RIGHTS and row["PROCESS_STATUS"] == 3
    moved(log, row)


def test_go_with_c_in_it(build: Path, place: Path) -> None:
    """A Go program with C code is in the log, with this reason."""
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
    """If a run's programs can all be instrumented, the summary lists none as not instrumented."""
    log, said = run(build, place, "sh", "-c", "./reader; true", verb="stat")
    assert all(row["PROCESS_UNSEEN"] == NONE for row in processes(log).values())
    assert "not instrumented" not in said
