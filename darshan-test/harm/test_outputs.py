"""The tools write through a device, a pipe or a symbolic link and never replace it; a file name
with control characters never breaks the row of an output."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.compare import both
from lab.compile import compile_c
from place import needs

SECONDS = 60
# The formats of a report, each with the bytes that the output begins with.
FORMATS = {"text": b"", "json": b"{", "csv": b"", "html": b"<!DOCTYPE html>", "pdf": b"%PDF-"}
# Names of files, in bytes.
HOSTILE = [
    b"plain \\t not a tab",
    b"a\tb",
    b"a\nPOSIX\t0\t1\tPOSIX_WRITES\t999\tforged",
    b"\x1b[31mred\x1b[0m",
    b"\r\x07\x7f",
    "\u009b31m\u00e9".encode(),
    b"\xff\xc2",
]
# The same names as darshan-parser prints them.
SHOWN = [
    rb"plain \t not a tab",
    rb"a\tb",
    rb"a\nPOSIX\t0\t1\tPOSIX_WRITES\t999\tforged",
    rb"\x1b[31mred\x1b[0m",
    rb"\x0d\x07\x7f",
    rb"\xc2\x9b31m" + "\u00e9".encode(),
    b"\xff\xc2",
]
# No output may contain control characters except newline and tab.
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


def report(build: Path, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Runs `darshan report` with these arguments. Returns its status and output."""
    return finished_in_bytes([build / "darshan", "report", *arguments], timeout=SECONDS)


def form_of(name: str) -> list[str]:
    """Returns the options of `darshan report` that select the format `name`, one of FORMATS."""
    return ["--no-latex"] if name == "pdf" else [f"--{name}"]


@pytest.fixture
def log(build: Path, tmp_path: Path) -> Path:
    """Returns the log of a program that wrote files with hostile names."""
    script = tmp_path / "script"
    script.write_bytes(b"".join(b"open(%r, 'wb').write(b'x')\n" % name for name in HOSTILE))
    folder = tmp_path / "run"
    folder.mkdir()
    _, watched = both(build, folder, [sys.executable, "-S", script])
    (path,) = watched.logs
    return path


def device(folder: Path) -> Path:
    """Creates another null device. Returns the path."""
    needs("device")
    path = folder / "null"
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    return path


def drained(path: Path) -> tuple[threading.Thread, list[bytes]]:
    """Starts a thread that reads a FIFO to its end. Returns the thread, and the list to which it
    adds the bytes."""
    got: list[bytes] = []
    thread = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
    thread.start()
    return thread, got


@pytest.mark.parametrize("form", FORMATS)
def test_a_device_stays_one(form: str, build: Path, log: Path, tmp_path: Path) -> None:
    """A report that is written to a device does not replace it."""
    target = device(tmp_path)
    done = report(build, *form_of(form), "-o", target, log)
    assert (done.returncode, done.stderr) == (0, b"")
    assert stat.S_ISCHR(target.stat().st_mode)
    assert [p for p in tmp_path.iterdir() if p.name.startswith(".darshan")] == []


@pytest.mark.parametrize("form", FORMATS)
def test_a_pipe_is_written_through(form: str, build: Path, log: Path, tmp_path: Path) -> None:
    """A report that is written to a named pipe arrives there, and the pipe remains."""
    target = tmp_path / "fifo"
    os.mkfifo(target)
    thread, got = drained(target)
    done = report(build, *form_of(form), "-o", target, log)
    thread.join(SECONDS)
    assert (done.returncode, done.stderr) == (0, b"")
    assert stat.S_ISFIFO(target.stat().st_mode)
    assert got[0].startswith(FORMATS[form]) and len(got[0]) > 100


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_one(there: bool, build: Path, log: Path, tmp_path: Path) -> None:
    """A report that is written to a link is in the file that the link names, with the mode of that
    file. there: whether the file exists."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if there:
        (folder / "report").write_text("before")
        (folder / "report").chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to("elsewhere/report")
    done = report(build, "--json", "-o", link, log)
    assert (done.returncode, done.stderr) == (0, b"")
    assert link.is_symlink()
    json.loads((folder / "report").read_text())
    assert [p.name for p in folder.iterdir()] == ["report"]
    if there:
        assert stat.S_IMODE((folder / "report").stat().st_mode) == 0o640


@pytest.mark.parametrize("form", FORMATS)
def test_standard_output(form: str, build: Path, log: Path, tmp_path: Path) -> None:
    """With -o - and -o /dev/stdout, the report is on standard output, in each form."""
    done = report(build, *form_of(form), "-o", "-", log)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(FORMATS[form]) and len(done.stdout) > 100
    through = report(build, *form_of(form), "-o", "/dev/stdout", log)
    assert through.returncode == 0
    assert through.stdout.startswith(FORMATS[form]) and len(through.stdout) > 100


def on_a_terminal(command: Sequence[str | Path]) -> tuple[int, bytes, bytes]:
    """Runs a command with a terminal as standard output. Returns exit status, output and stderr."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE
    ) as process:
        os.close(slave)
        _, said = process.communicate(timeout=SECONDS)
    os.set_blocking(master, False)
    try:
        shown = os.read(master, 4096)
    except OSError:  # no output, and all writers have closed it
        shown = b""
    os.close(master)
    return process.returncode, shown, said


@pytest.mark.parametrize("target", ["-", "/dev/stdout"])
def test_a_pdf_is_not_for_a_terminal(target: str, build: Path, log: Path) -> None:
    """A PDF is not written to a terminal, and one line says so."""
    command = [build / "darshan", "report", "-o", target, log]
    status, shown, said = on_a_terminal(command)
    assert (status, shown) == (1, b"")
    assert b"cannot write a PDF to a terminal" in said and said.count(b"\n") == 1


def journal(build: Path, folder: Path) -> Path:
    """Returns the journal of a killed program."""
    source = (
        "#include <fcntl.h>\n#include <signal.h>\n#include <unistd.h>\n"
        'int main(void) { int fd = open("f", O_CREAT | O_WRONLY, 0600);\n'
        "  if (write(fd, &fd, 4) == 4) raise(SIGKILL); return 1; }\n"
    )
    program = compile_c(folder, source)
    place = folder / "killed"
    place.mkdir()
    _, watched = both(build, place, [program])
    (path,) = watched.journals
    return path


def test_merge_writes_through_what_is_no_file(build: Path, tmp_path: Path, parser: Path) -> None:
    """darshan-merge writes to devices, pipes and standard output without replacing them, and never
    replaces a file."""
    path = journal(build, tmp_path)
    merge = [build / "darshan-merge", "-o"]
    target = device(tmp_path)
    subprocess.run([*merge, target, path], check=True, timeout=SECONDS)
    assert stat.S_ISCHR(target.stat().st_mode)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    thread, got = drained(fifo)
    subprocess.run([*merge, fifo, path], check=True, timeout=SECONDS)
    thread.join(SECONDS)
    piped = subprocess.run([*merge, "-", path], check=True, capture_output=True, timeout=SECONDS)
    for content in (got[0], piped.stdout):
        (tmp_path / "copy").write_bytes(content)
        rows = subprocess.run([parser, tmp_path / "copy"], capture_output=True, check=True).stdout
        assert rb"POSIX_BYTES_WRITTEN" in rows
    (tmp_path / "file").write_text("mine")
    done = finished_in_bytes([*merge, tmp_path / "file", path])
    assert done.returncode == 1 and (tmp_path / "file").read_text() == "mine"
    status, shown, _ = on_a_terminal([*merge, "-", path])
    assert (status, shown) == (1, b"")


def test_names_stay_in_their_row(build: Path, log: Path, parser: Path) -> None:
    """The parser prints hostile names without control characters, each in one column."""
    text = subprocess.run([parser, log], check=True, capture_output=True).stdout
    assert CONTROL.search(text) is None
    rows = [line.split(b"\t") for line in text.splitlines() if line.startswith(b"POSIX\t")]
    assert {len(row) for row in rows} == {8}
    written = [row[5] for row in rows if row[3:5] == [b"POSIX_BYTES_WRITTEN", b"1"]]
    assert sorted(name.rpartition(b"/")[2] for name in written) == sorted(SHOWN)


def test_every_text_is_free_of_control_characters(build: Path, log: Path) -> None:
    """No command prints control characters of names in a log."""
    front = str(build / "darshan")
    commands = [
        [front, "report", "--text", "-v", log],
        [front, "report", "--csv", "-o", "-", log],
        [front, "report", "--json", "-o", "-", log],
        [front, "report", "--campaign", "--text", log],
        [front, "stat", "-r", log],
        [front, "parse", "--all", log],
        [build / "darshan-dxt-parser", log],
    ]
    for command in commands:
        done = finished_in_bytes(command, timeout=SECONDS)
        assert CONTROL.search(done.stdout + done.stderr) is None, command
    done = report(build, "--csv", "-o", "-", log)
    assert {len(row) for row in csv.reader(io.StringIO(done.stdout.decode()))} == {3}


def test_a_log_is_not_replaced_by_its_report(build: Path, log: Path, tmp_path: Path) -> None:
    """A report is not written over its log, also not through a link."""
    before = log.read_bytes()
    link = tmp_path / "another-name"
    link.symlink_to(log)
    for target in (log, link):
        done = report(build, "--text", "-o", target, log)
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1
    assert log.read_bytes() == before


@pytest.mark.parametrize("form", FORMATS)
def test_a_closed_standard_output(form: str, build: Path, log: Path) -> None:
    """If standard output is closed, each form of the report ends with one line of error."""
    command = [str(build / "darshan"), "report", *form_of(form), "-o", "-", str(log)]
    done = finished_in_bytes(["sh", "-c", 'exec "$@" >&-', "sh", *command], timeout=SECONDS)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr and done.stderr.count(b"\n") == 1


def without(name: str, value: str, command: list[str], folder: Path) -> tuple[int, bytes]:
    """Runs a command one of whose standard streams is full or closed; returns its status and
    stderr. name, value: the operator and the target of the shell's redirection, such as "2>" and
    "&-"."""
    done = finished_in_bytes(
        ["sh", "-c", f'exec "$@" {name}{value}', "sh", *command], cwd=folder, timeout=SECONDS
    )
    return done.returncode, done.stderr


COMMANDS = [
    "darshan --help",
    "darshan --version",
    "darshan parse LOG",
    "darshan watch -n 0.05 -c 1 .",
    "darshan report --text LOG",
    "darshan report --list-thresholds",
    "darshan-parser --version",
    "darshan-dxt-parser --version",
    "darshan-dxt-parser LOG",
    "darshan-merge --help",
]
# With a full standard output these must fail as well. With a closed one they print nothing and
# succeed.
BUFFERED = ["darshan report --json LOG", "darshan report --help"]


@pytest.mark.parametrize("value", ["/dev/full", "&-"])
def test_output_that_cannot_be_written(value: str, build: Path, log: Path, tmp_path: Path) -> None:
    """If standard output is full or closed, each command reports the error in one line and exits
    with 1."""
    for command in COMMANDS + (BUFFERED if value == "/dev/full" else []):
        words = [str(log) if word == "LOG" else word for word in command.split()]
        status, said = without(">", value, [f"{build}/{words[0]}", *words[1:]], tmp_path)
        assert status == 1, (command, said)
        (line,) = said.splitlines()
        assert b"cannot write" in line, command


@pytest.mark.parametrize("value", ["/dev/full", "&-"])
def test_screen_that_cannot_be_written(value: str, build: Path, log: Path, tmp_path: Path) -> None:
    """If `darshan stat` cannot write its summary to stderr, it exits with 125, or with the
    program's own status if that is not 0. The line of `darshan run` is optional, so its loss
    changes no status."""
    front = f"{build}/darshan"
    for status, expected in ((0, 125), (3, 3)):
        command = [front, "stat", "-o", str(tmp_path), "sh", "-c", f"exit {status}"]
        assert without("2>", value, command, tmp_path) == (expected, b"")
        command[1] = "run"
        assert without("2>", value, command, tmp_path) == (status, b"")
    assert without("2>", value, [front, "stat", "-r", str(log)], tmp_path) == (1, b"")


def test_closed_descriptors_stay_closed(build: Path, tmp_path: Path) -> None:
    """Descriptors that are closed for `darshan run` are closed in the program."""
    for fd in (0, 1, 2):
        command = [
            f"{build}/darshan",
            "run",
            "-o",
            str(tmp_path),
            "test",
            "-e",
            f"/proc/self/fd/{fd}",
        ]
        assert without(f"{fd}>", "&-", command, tmp_path)[0] == 1, fd
