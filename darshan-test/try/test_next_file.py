"""The remedy next-file, which reads the next file of a list into the page cache while the program
works on one."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from lab.compile import compile_c
from place import elsewhere

from .conftest import Try
from .listing import ACTS, FILES, ONCE, SHOWS, SIZE, TWICE, WRITTEN

# Code that opens the first file.
_FIRST = 'open("first", O_RDONLY);'


@pytest.fixture
def parts(trial: Try) -> Try:
    """Writes the files of a list into the user's folder, and syncs them. Returns the trial."""
    for number in range(FILES):
        write(trial.user / f"part-{number:02}")
    return trial


def write(path: Path) -> None:
    """Writes a file of SIZE bytes and syncs it."""
    with path.open("wb") as file:
        file.write(bytes(range(256)) * (SIZE // 256))
        file.flush()
        os.fsync(file.fileno())


def output(trial: Try, names: list[str] | None, *command: str | Path) -> str:
    """Runs a program with the remedy next-file and this list of names. Returns its standard output.
    names: relative to the user's folder; None: without the remedy. Skips the test if the program
    ends with 7, because the page cache cannot be emptied here."""
    path = trial.user.parent / "names"
    path.write_bytes(b"".join(os.fsencode(trial.user / name) + b"\0" for name in names or []))
    on = {"DARSHAN_TRY": "next-file=1", "DARSHAN_TRY_NAMES": str(path)}
    trial.variables = {"DARSHAN_TRY": ""} if names is None else on
    logs = trial.user.parent / "logs"
    words = [trial.build / "darshan", "run", "-o", logs, "--", *command]
    done = trial.run_words(list(map(str, words)))
    if done.returncode == 7:
        elsewhere("this file system keeps the test's folder in the page cache")
    assert done.returncode == 0, done
    return done.stdout


def two(trial: Try) -> None:
    """Writes the files `first` and `second`, which the program ACTS uses, and syncs them."""
    write(trial.user / "first")
    write(trial.user / "second")


def test_a_list_of_files(parts: Try) -> None:
    """For a program that reads a list of files, `darshan try` finds that next-file helps, and
    prints the line and the advice to add there."""
    two(parts)
    output(parts, None, compile_c(parts.user, ACTS.replace("FIRST", "")))
    parts.variables = {}
    program = compile_c(parts.user, ONCE)
    log = parts.log(program)
    status, rows, whole = parts.found("--cold", "--only", "next-file", log, "--", program)
    row = rows["next-file"]
    assert (status, row["result"]) == (0, "helped"), whole
    assert any(re.match(r"program.c:\d+ .*WILLNEED", text) for text in row["keep"]), row


@pytest.mark.parametrize("source", [TWICE, WRITTEN])
def test_files_that_are_used_again(parts: Try, source: str) -> None:
    """next-file is not tried for files that the program opens twice or writes."""
    program = compile_c(parts.user, source)
    log = parts.log(program)
    words = ("--only", "next-file", "--copy", ".", log, "--", program)
    status, rows, _ = parts.found(*words)
    assert (status, rows["next-file"]["result"]) == (1, "not tried"), rows
    assert "0 files of at least 64.0 KiB" in rows["next-file"]["reason"], rows


# Reads the list as numpy does: the header by a stream, and the data by another one.
_HEADERS = """
import os
for number in range(20):
    with open(f"part-{number:02}", "rb") as file:
        file.read(10)
        with os.fdopen(os.dup(file.fileno()), "rb", 0) as again:
            again.seek(0)
            again.read()
"""


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("python3", "-c", _HEADERS), ""),
        (("sh", "-c", "cat part-0*; cat part-1*"), ""),
        (("sh", "-c", "cat part-0*; cat part-0* part-1*"), "10 files"),
        (("sh", "-c", "cat part-0?; head -c 100000 part-10"), "10 files"),
    ],
)
def test_the_plan(parts: Try, command: tuple[str, ...], reason: str) -> None:
    """next-file is suggested for files that one process each reads completely, also if it reads a
    header twice. It is refused for files that are read by two processes or in part. reason: text of
    the refusal, "" if suggested."""
    done = parts.run("--list", "--only", "next-file", parts.log(*command))
    row = re.search(r"next-file +(?:.*)\n +(.*)", done.stdout)
    assert row is not None, done
    assert row[1].startswith(f"not tried: {reason}" if reason else "no finding asks"), row[1]


@pytest.mark.parametrize(
    ("first", "names", "acts"),
    [
        (_FIRST, ["first", "second"], 1),
        ('fopen("first", "r");', ["absent", "first", "second"], 1),
        ('open("first", O_RDWR);', ["first", "second"], 0),
        (_FIRST, ["second", "first"], 0),
        (_FIRST, [], 0),
        (f'open("second", O_RDONLY); {_FIRST}', ["first", "second"], 0),
        (f'link("second", "more"); {_FIRST}', ["first", "second"], 0),
        (f"inotify_init1(0); {_FIRST}", ["first", "second"], 0),
    ],
)
def test_what_the_kernel_reads(trial: Try, first: str, names: list[str], acts: int) -> None:
    """With next-file, the kernel reads the file that follows in the list, unless the program writes
    the first one, may have opened the next one already, or uses inotify. first: code that opens the
    first file; acts: whether the next one is read."""
    two(trial)
    program = compile_c(trial.user, "#include <unistd.h>\n" + ACTS.replace("FIRST", first))
    assert output(trial, names, program) == f"{acts}\n"


def test_no_descriptor_is_seen(trial: Try) -> None:
    """With next-file, a program sees the same descriptors, errors and locks as without. The names
    include pipes, dangling links, folders and removed files; few descriptors are left; the program
    has children, threads and signal handlers."""
    program = compile_c(trial.user, SHOWS)
    names = ["a", "b", "c", "d", "pipe", "dangling", "folder", "absent", "link", "e"]
    told = []
    for listed in (None, ["before", "waits", *names], ["before", "waits", *reversed(names)]):
        for path in set(trial.user.iterdir()) - {program}:
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for name in ("a", "b", "c", "d", "e", "before"):
            (trial.user / name).write_bytes(name.encode() * 100000)
        for name in ("pipe", "waits"):
            os.mkfifo(trial.user / name)
        (trial.user / "folder").mkdir()
        (trial.user / "dangling").symlink_to("nowhere")
        (trial.user / "link").symlink_to("e")
        told.append(output(trial, listed, program, *names))
    assert "the writer waits 1\n" in told[0] and "locked 0 1\n" in told[0], told[0]
    assert told[1] == told[0] and told[2] == told[0]


def test_no_list(trial: Try) -> None:
    """If the list of names for next-file is missing, is a pipe, or has no end, the remedy does
    nothing, and the program runs normally."""
    two(trial)
    program = compile_c(trial.user, ACTS.replace("FIRST", _FIRST))
    os.mkfifo(trial.user / "pipe")
    (trial.user / "open-ended").write_bytes(os.fsencode(trial.user / "first"))
    for name in ("absent", "pipe", "open-ended", "."):
        trial.variables = {"DARSHAN_TRY": "next-file=1", "DARSHAN_TRY_NAMES": name}
        words = [trial.build / "darshan", "run", "-o", trial.user.parent / "logs", "--", program]
        done = subprocess.run(
            words,
            cwd=trial.user,
            env=trial.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 7 or done.stdout == "0\n", done
