"""Remedies of `darshan try` for libc's streams: stdio-buffer, a larger buffer, and flush-delay,
which delays flushes."""

from __future__ import annotations

import itertools
import subprocess

import pytest
from lab.compile import compile_c
from place import elsewhere
from sample import turning

from .conftest import Try
from .programs import ASKS_THE_KERNEL, ENDS, FLUSHED, NO_BUFFER, writes

# By remedy: how the program writes, see writes().
SETTINGS = {"stdio-buffer": NO_BUFFER, "flush-delay": FLUSHED}


@pytest.mark.parametrize("remedy", SETTINGS)
def test_a_stream(trial: Try, remedy: str) -> None:
    """For a program with small writes or flushes, `darshan try` finds that the remedy for streams
    helps. It names the number of writes before and after, and what to write in the program."""
    program = compile_c(trial.user, writes(ENDS["closes"], SETTINGS[remedy]))
    log = trial.log(program, clean=True)
    listed = trial.run("--list", log).stdout.split("\n")
    assert "stream" in listed[1 + [t.split(" ")[0] for t in listed].index(remedy)].lower()
    status, rows, whole = trial.found("--only", remedy, "--copy", ".", log, "--", program)
    row = rows[remedy]
    assert (status, row["result"]) == (0, "helped"), whole
    changes = {change["name"]: change for change in row["changes"]}
    assert changes["writes"]["before"] >= 600_000
    assert changes["writes"]["after"] < 6_000
    assert any("fflush" in line or "setvbuf" in line for line in row["keep"])
    assert not (trial.user / "numbers.txt").exists()


def test_a_stream_of_libc_in_another_language(trial: Try) -> None:
    """A C++ program that flushes a libc stream is advised in terms of C, not of std::endl. The same
    holds if a shell starts the program: the advice is not that for shell scripts."""
    source = trial.user / "program.cc"
    source.write_text(writes(ENDS["closes"], SETTINGS["flush-delay"]))
    words = ["g++", "-w", "-fpermissive", "-g", source, "-o", trial.user / "program"]
    if subprocess.run(list(map(str, words)), check=False).returncode:
        elsewhere("there is no compiler for C++")
    command = ["sh", "-c", "exec ./program"]
    log = trial.log(*command, clean=True)
    _, rows, whole = trial.found("--only", "flush-delay", "--copy", ".", log, "--", *command)
    assert rows["flush-delay"]["result"] == "helped", whole
    (keep,) = rows["flush-delay"]["keep"]
    assert "no fflush(stream) after each line" in keep and "printf" not in keep


@pytest.mark.parametrize(
    ("remedy", "end"), turning(itertools.product(SETTINGS, ENDS), 0.5, "ends of programs")
)
def test_nothing_is_lost(trial: Try, remedy: str, end: str) -> None:
    """With a remedy for streams, the file and the output are the same as without, however the
    program ends, and whatever files it or its child inspects."""
    program = compile_c(trial.user, writes(ENDS[end], SETTINGS[remedy]))
    left = []
    for setting in ("", f"{remedy}=1048576"):
        trial.variables = {"DARSHAN_TRY": setting} if setting else {}
        logs = str(trial.user.parent / "logs")
        words = [str(trial.build / "darshan"), "run", "-o", logs, "--", str(program)]
        done = trial.run_words(words)
        written = (trial.user / "numbers.txt").read_bytes()
        left.append((done.returncode, done.stdout, written))
        assert len(written) >= 600_000
    assert left[0] == left[1]


def test_an_output_that_changes(trial: Try) -> None:
    """A program that reads its own file by direct system calls does not see data that stdio-buffer
    delays. `darshan try` detects this: the result is "changed the output", the status 3."""
    program = compile_c(trial.user, writes(ASKS_THE_KERNEL))
    status, rows, whole = trial.found("--only", "stdio-buffer", "--copy", ".", "--", program)
    assert (status, rows["stdio-buffer"]["result"]) == (3, "changed the output"), whole


def test_a_program_that_a_signal_ends(trial: Try) -> None:
    """`darshan try` tries remedies on a program that a signal ends only if it has a log of a run
    that the same signal ended."""
    program = compile_c(trial.user, writes(ENDS["abort"]))
    options = ("--only", "stdio-buffer", "--copy", ".")
    refused = trial.run(*options, "--", program)
    assert refused.returncode == 1 and "was killed by SIGABRT" in refused.stderr, refused
    log = trial.log(program, clean=True)
    status, rows, whole = trial.found(*options, log, "--", program)
    assert (status, rows["stdio-buffer"]["result"]) == (0, "helped"), whole


@pytest.mark.parametrize("remedy", SETTINGS)
def test_a_file_that_is_also_opened_without_a_stream(trial: Try, remedy: str) -> None:
    """If the program also opens the file without a stream, the remedy is not tried."""
    source = writes(
        ('if (open("numbers.txt", O_RDONLY) < 0) return 5;', "return fclose(file);"),
        SETTINGS[remedy],
    )
    program = compile_c(trial.user, f"#include <fcntl.h>\n{source}")
    status, rows, _ = trial.found("--only", remedy, "--copy", ".", "--", program)
    assert (status, rows[remedy]["result"]) == (1, "not tried")
    assert "without a stream" in rows[remedy]["reason"]


def test_a_file_that_another_process_looks_at(trial: Try) -> None:
    """flush-delay is not tried if another process inspects the file, because the stream's buffer
    cannot be written before each inspection."""
    source = writes(
        ('if (fork() == 0) { struct stat st; _exit(stat("numbers.txt", &st)); } wait(NULL);',
         "return fclose(file);"),
        FLUSHED,
    )  # fmt: skip
    program = compile_c(trial.user, f"#include <sys/stat.h>\n#include <sys/wait.h>\n{source}")
    status, rows, _ = trial.found("--only", "flush-delay", "--copy", ".", "--", program)
    assert (status, rows["flush-delay"]["result"]) == (1, "not tried")
    assert "one asks for the size" in rows["flush-delay"]["reason"]
