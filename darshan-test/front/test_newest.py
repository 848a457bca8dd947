"""Commands that read a log use the newest one if none is named, and print its path."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from tree import SOURCE

from .conftest import Run

sys.path.insert(0, str(SOURCE / "doc" / "commands"))

import help as helps

# Seconds since 1970, later than any log that a test makes.
LATER = 4_000_000_000


@pytest.fixture
def home(environment: dict[str, str], tmp_path: Path) -> Path:
    """Returns a home folder without logs."""
    environment["HOME"] = str(tmp_path / "home")
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def made(darshan: Run, *program: str) -> Path:
    """Records a program by `darshan run`. Returns the path of its log."""
    done = darshan("run", *program)
    assert done.returncode == 0
    found = re.search(rb"darshan: log: (.*)\n", done.stderr)
    assert found, done.stderr
    return Path(os.fsdecode(found[1]))


def put(log: Path, folder: Path, name: str, age: int = 0) -> Path:
    """Copies a log into a folder. Returns the path of the copy. age: seconds by which the copy's
    modification time is before LATER; the copy with the smallest age is the newest log."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{name}.darshan"
    shutil.copy(log, copy)
    os.utime(copy, (LATER - age, LATER - age))
    return copy


# Commands that read a log, with options.
READERS = [
    ("parse", []), ("parse", ["--total"]), ("report", ["--text"]), ("stat", ["-r"]),
    ("report", ["--json", "-o", "-"]), ("report", ["-vo", "-", "--text"]),
    ("report", ["--text", "--output", "-"]),
]  # fmt: skip


@pytest.mark.parametrize("command, options", READERS)
@pytest.mark.usefixtures("home")
def test_the_newest_log(command: str, options: list[str], darshan: Run) -> None:
    """Without the name of a log, the output of a command is that for the log with the newest
    modification time, and a line on standard error names it."""
    made(darshan, "true")
    os.utime(made(darshan, "cat", "/etc/hostname"), (1, 1))
    newest = made(darshan, "head", "-c", "1", str(SOURCE / "README.md"))
    done = darshan(command, *options)
    told = f"darshan {command}: reading the newest log: darshan-logs/{newest.name}\n".encode()
    assert done.returncode == 0 and done.stderr.startswith(told)
    named = darshan(command, *options, f"darshan-logs/{newest.name}")
    assert done.stdout == named.stdout
    assert done.stderr.partition(b"\n")[2] == named.stderr


@pytest.mark.usefixtures("home")
def test_a_trace_of_the_newest_log(darshan: Run, work: Path) -> None:
    """Without the name of a log, `darshan trace` converts the newest log, and its output is named
    after it."""
    done = darshan("run", "cat", SOURCE / "README.md", variables={"DXT_ENABLE_IO_TRACE": "1"})
    assert done.returncode == 0
    (log,) = (work / "darshan-logs").glob("*.darshan")
    done = darshan("trace")
    assert done.returncode == 0
    assert done.stdout.decode().strip() == f"{log.stem}.json.gz"
    assert done.stderr.startswith(b"darshan trace: reading the newest log: ")
    done = darshan("dxt-parse")
    assert done.stdout == darshan("dxt-parse", log).stdout != b""


def test_no_log(darshan: Run, home: Path) -> None:
    """If there is no log, the command fails with status 1, and the message names the folders that
    were searched."""
    for command in (["parse"], ["report"], ["trace"], ["stat", "-r"]):
        done = darshan(*command)
        assert (done.returncode, done.stdout) == (1, b"")
        where = f"darshan-logs or {home}/darshan-logs"
        told = f"darshan {command[0]}: found no log of yours in {where}\n"
        assert done.stderr.decode() == told


def test_folders_of_logs(darshan: Run, home: Path, work: Path, tmp_path: Path) -> None:
    """The newest log is searched in the current folder, the home folder, the folder of the
    configuration file, and their folders of days. If DARSHAN_LOGPATH is set, only there."""
    log = made(darshan, "true")

    def newest(variables: dict[str, str] | None = None) -> str:
        line = darshan("parse", variables=variables).stderr.decode().splitlines()[0]
        return line.removeprefix("darshan parse: reading the newest log: ")

    assert newest() == f"darshan-logs/{log.name}"
    at_home = put(log, home / "darshan-logs", "b", 10)
    assert newest() == str(at_home)
    day = put(log, home / "darshan-logs" / "2026" / "11" / "9", "c", 9)
    put(log, home / "darshan-logs" / "2026" / "11" / "10", "d", 5)
    put(log, home / "darshan-logs" / "2025" / "12" / "10", "e", 20)
    assert newest() == str(day.parents[1] / "10" / "d.darshan")
    centre = put(log, tmp_path / "centre" / "2026" / "1" / "2", "f", 3)
    config = tmp_path / "darshan.conf"
    config.write_text(f"MODMEM 4\nLOGPATH {tmp_path}/centre\n")
    assert newest({"DARSHAN_CONFIG_PATH": str(config)}) == str(centre)
    set_here = put(log, tmp_path / "set", "g", 1000)
    variables = {"DARSHAN_CONFIG_PATH": str(config), "DARSHAN_LOGPATH": str(tmp_path / "set")}
    assert newest(variables) == str(set_here)
    assert (work / "darshan-logs").is_dir()


@pytest.mark.needs("root")
@pytest.mark.usefixtures("home")
def test_logs_of_others_are_skipped(darshan: Run, work: Path) -> None:
    """A newer log of another user, a symbolic link and a folder are not taken for the newest
    log."""
    log = made(darshan, "true")
    other = put(log, work / "darshan-logs", "other", 1)
    os.chown(other, 12345, 12345)
    (work / "darshan-logs" / "link.darshan").symlink_to(other)
    (work / "darshan-logs" / "folder.darshan").mkdir()
    assert darshan("parse").stderr.decode().endswith(f"darshan-logs/{log.name}\n")


@pytest.mark.parametrize(
    "arguments, status",
    [(["report", "--compare"], 2), (["report", "-o"], 2), (["report", "--list-thresholds"], 0),
     (["report", "--campaign"], 2), (["trace", "--output"], 2), (["parse", "--version"], 0),
     (["report", "--python-path"], 0), (["parse", "--"], 0), (["diff"], 2)],
)  # fmt: skip
@pytest.mark.usefixtures("home")
def test_when_no_log_is_meant(arguments: list[str], status: int, darshan: Run) -> None:
    """Commands that need two logs, or none, do not use the newest log. status: the expected exit
    status."""
    made(darshan, "true")
    done = darshan(*arguments)
    assert done.returncode == status
    assert (b"newest log" in done.stderr) == (arguments == ["parse", "--"])


@pytest.mark.usefixtures("home")
def test_the_program_keeps_its_name(build: Path, darshan: Run) -> None:
    """Without a log, darshan-parser prints its usage and exits with status 1, as in Darshan 3.5.0;
    only `darshan parse` uses the newest log."""
    made(darshan, "true")
    done = helps.subprocess.run([build / "darshan-parser"], capture_output=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith(b"Usage: darshan-parser")


@pytest.mark.parametrize("word, page", [("report", "darshan-job-summary"),
                                        ("trace", "darshan-trace"), ("parse", "darshan-parser"),
                                        ("dxt-parse", "darshan-dxt-parser"),
                                        ("where", "darshan-where")])  # fmt: skip
def test_options_with_a_value(word: str, page: str, build: Path) -> None:
    """The table in util/front/newest.c has exactly the options with a value that --help of the
    command lists. Otherwise an option's value would be mistaken for a log."""
    command = {c.name: c for c in helps.commands()}[page]
    rows = [row for part in helps.read(command, build) for row in part.rows]
    wanted = {option for row in rows if row.value for option in row.options}
    source = (SOURCE / "util" / "front" / "newest.c").read_text("utf-8")
    found = re.search(rf'{{"{word}", "([^"]*)"', source)
    assert found and set(found[1].split()) == wanted
