"""Remedies of `darshan try` for reading: advice to the kernel, and a buffer from which small reads
are served."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from pathlib import Path

import pytest
from lab.compile import compile_c
from place import elsewhere

from .conftest import Try
from .reading import COLD, EVERY_WAY, READS_AND_WRITES, SMALL_READS, WHOLE

# Integers of 8 bytes in the input.
NUMBERS = 1_000_000


@pytest.fixture
def numbers(trial: Try) -> Try:
    """Writes and syncs a file of numbers in the user's folder. Returns the trial."""
    write_numbers(trial)
    return trial


def write_numbers(trial: Try) -> None:
    """Writes and syncs the input of the programs: NUMBERS integers of 8 bytes."""
    with (trial.user / "input").open("wb") as file:
        file.write(struct.pack(f"{NUMBERS}q", *range(NUMBERS)))
        os.fsync(file.fileno())


def output(trial: Try, setting: str, *command: str | Path) -> str:
    """Runs a program with this value of DARSHAN_TRY ("": none). Returns its standard output. Skips
    the test if the program ends with 7, because the page cache cannot be emptied here."""
    trial.variables = {"DARSHAN_TRY": setting} if setting else {}
    logs = trial.user.parent / "logs"
    words = [trial.build / "darshan", "run", "-o", logs, "--", *command]
    done = trial.run_words(list(map(str, words)))
    if done.returncode == 7:
        elsewhere("this file system keeps the test's folder in the page cache")
    assert done.returncode == 0, done
    return done.stdout


def test_small_reads(numbers: Try) -> None:
    """For a program with small reads, `darshan try` finds that read-ahead helps, and prints what to
    write in the program."""
    program = compile_c(numbers.user, SMALL_READS)
    log = numbers.log(program)
    status, rows, whole = numbers.found("--only", "read-ahead", log, "--", program)
    row = rows["read-ahead"]
    assert (status, row["result"]) == (0, "helped"), whole
    assert any("setvbuf" in line for line in row["keep"])
    changes = {change["name"]: change for change in row["changes"]}
    assert "bytes read" not in changes, "the program reads the same"


def test_no_small_reads_of_a_file_that_is_written(numbers: Try) -> None:
    """read-ahead is not tried if the log shows that the program also writes the file. If it is
    forced, the library that applies it leaves such files alone, and the output is the same."""
    program = compile_c(numbers.user, READS_AND_WRITES)
    status, rows, whole = numbers.found("--only", "read-ahead", "--copy", ".", "--", program)
    assert (status, rows["read-ahead"]["result"]) == (1, "not tried"), whole
    assert "also writes" in rows["read-ahead"]["reason"]
    bare = subprocess.check_output([program], cwd=numbers.user, text=True)
    write_numbers(numbers)
    assert output(numbers, "read-ahead=1048576", program) == bare


def test_a_descriptor_that_is_used_in_every_way(numbers: Try) -> None:
    """With the remedy read-ahead, a program that shares, moves and duplicates its descriptor has
    the same output."""
    program = compile_c(numbers.user, EVERY_WAY)
    bare = subprocess.check_output([program], cwd=numbers.user, text=True)
    assert "seen again 7 7 changed" in bare and "cut off 0" in bare
    assert output(numbers, "read-ahead=1048576", program) == bare


def test_the_kernel_reads_a_file_that_a_program_will_need(numbers: Try) -> None:
    """For a file that is not in the page cache, the remedy will-need helps, and the advice is a
    line with POSIX_FADV_WILLNEED."""
    program = compile_c(numbers.user, COLD)
    output(numbers, "", program)
    numbers.variables = {}
    status, rows, whole = numbers.found("--only", "will-need", "--", program)
    row = rows["will-need"]
    assert (status, row["result"]) == (0, "helped"), whole
    assert any(re.match(r"program.c:\d+ .*WILLNEED", text) for text in row["keep"]), row


def test_the_kernel_reads_the_whole_file(trial: Try) -> None:
    """With the remedy will-need (advice=3), a file that is larger than the device's read-ahead is
    completely in the page cache after its open."""
    (trial.user / "input").write_bytes(b"x" * (32 << 20))
    assert output(trial, "advice=3", compile_c(trial.user, WHOLE)) == "1\n"


def test_a_file_that_is_read_in_two_ways(trial: Try) -> None:
    """A program that reads the beginning of a file by a stream, and all of it by a descriptor, as
    netCDF does, counts as reading the whole file, so will-need is tried."""
    (trial.user / "input").write_bytes(b"x" * (2 << 20))
    source = (
        "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n"
        '  FILE *file = fopen("input", "r");\n  int fd = open("input", O_RDONLY);\n'
        "  char byte;\n  return getc(file) < 0 || pread(fd, &byte, 1, (2 << 20) - 1) != 1;\n}\n"
    )
    program = compile_c(trial.user, source)
    _, rows, _ = trial.found("--only", "will-need", "--", program)
    assert rows["will-need"]["result"] == "no gain shown", rows["will-need"]


@pytest.mark.parametrize(("how", "advice"), [("sequential", 2), ("random", 1)])
def test_what_the_kernel_reads_ahead(numbers: Try, how: str, advice: int) -> None:
    """With the advice "sequential" the kernel reads more ahead than usual; with "random" it reads
    only what the program requests. advice: the number of the POSIX_FADV_ constant."""
    program = compile_c(numbers.user, COLD)
    usual, advised = (int(output(numbers, s, program, how)) for s in ("", f"advice={advice}"))
    if how == "random":
        assert advised == 64 < usual
    else:
        assert advised > usual


def test_advice_is_refused(trial: Try) -> None:
    """For a program that reads no file, `darshan try` does not try the remedies for reading, and
    names the reason."""
    status, rows, _ = trial.found("--all", "--", "true")
    assert status == 1
    for name in ("will-need", "random", "sequential"):
        assert rows[name]["reason"] == "the program reads no file"
    assert rows["file-locking"]["reason"] == "the program locks no file of HDF5"
