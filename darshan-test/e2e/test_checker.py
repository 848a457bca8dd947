"""Tests the comparison of logs and strace's traces itself, with a handwritten trace, and with logs
that have one error each."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.log import Log
from lab.strace import read_trace, split_arguments

from .compare import differences
from .descriptors import Tally
from .handlers import OUR_LOOK, count

# Output of strace for three processes.
TRACE = r"""
10 openat(AT_FDCWD</w>, "a b\303\274", O_RDWR|O_CREAT, 0600) = 3</w/a b\303\274>
10 write(3</w/a b\303\274>, "x, \")y"..., 100) = 100
10 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>
11 write(3</w/a b\303\274>, "x"..., 7) = 7
10 <... clone resumed>, child_tidptr=0x1) = 11
10 close(3</w/a b\303\274> <unfinished ...>
11 dup2(3</w/a b\303\274>, 9) = 9</w/a b\303\274>
10 <... close resumed>) = 0
10 write(3, "x", 50) = -1 EBADF (Bad file descriptor)
10 vfork( <unfinished ...>
12 openat(AT_FDCWD</w>, "read later", O_RDONLY) = 3</w/read later>
12 openat(AT_FDCWD</w>, "not counted", O_RDONLY|O_CLOEXEC) = 4</w/not counted>
12 dup2(3</w/read later>, 0) = 0</w/read later>
12 execve("/bin/true", ["true"], 0x1 /* 2 vars */) = 0
10 <... vfork resumed>) = 12
12 read(0</w/read later>, "x", 9) = 1
12 read(4, "x", 9) = 9
12 close(3</w/read later>) = 0
12 openat(AT_FDCWD</w>, "./b", O_RDONLY|O_CLOEXEC) = 3</w/b>
12 read(3</w/b>, "\177ELF\2\1\1\0"..., 832) = 832
11 pread64(9</w/a b\303\274>(deleted), "", 10, 20) = 0
11 newfstatat(9</w/a b\303\274>, "", {st_mode=S_IFREG|0644, st_size=3, ...}, AT_EMPTY_PATH) = 0
11 newfstatat(AT_FDCWD</w>, "c", {st_mode=S_IFREG|0644, st_size=3, ...}, 0) = 0
11 newfstatat(AT_FDCWD</w>, ".", {st_mode=S_IFDIR|0755, st_size=3, ...}, 0) = 0
12 execve("/bin/true", ["true"], 0x1 /* 2 vars */) = 0
12 read(3, 0x1, 5) = -1 EBADF (Bad file descriptor)
11 statx(9</w/a b\303\274>, "", OUR_LOOK, {stx_mode=S_IFREG|0644, ...}) = 0
11 +++ exited with 0 +++
"""
# The file of TRACE with most calls.
NAME = "/w/a b\u00fc"


def totals(tmp_path: Path) -> dict[str, Tally]:
    """Returns the counts that are computed from TRACE, by name."""
    path = tmp_path / "trace"
    path.write_text(TRACE.replace("OUR_LOOK", OUR_LOOK))
    return count(read_trace(path), "/w")


def test_trace(tmp_path: Path) -> None:
    """The checker computes the right counts of each file from TRACE, an output of strace."""
    expected = Tally(opens=2, writes=2, bytes_written=107, reads=1, stats=1)
    assert totals(tmp_path) == {
        NAME: expected,
        "/w/c": Tally(stats=1),
        "/w/read later": Tally(reads=1, bytes_read=1),
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('3</a,b>, "c, d\\"", {e, [f, g]}, 4', ["3</a,b>", '"c, d\\""', "{e, [f, g]}", "4"]),
        ("5<TCP:[1.2.3.4:5->6.7.8.9:80]>, 1", ["5<TCP:[1.2.3.4:5->6.7.8.9:80]>", "1"]),
        ("1</dev/null<char 1:3>>, 2", ["1</dev/null<char 1:3>>", "2"]),
        ("", []),
    ],
)
def test_arguments(text: str, parts: list[str]) -> None:
    """The arguments of a call are split at the right commas. parts: the expected ones."""
    assert split_arguments(text) == parts


def log(**changes: int) -> Log:
    """Returns the log that a run with TRACE should leave, with some counters of one file changed.
    changes: value by counter, without "POSIX_"."""
    row = {"OPENS": 2, "WRITES": 2, "BYTES_WRITTEN": 107, "READS": 1, "STATS": 1} | changes
    records = {
        ("POSIX", NAME): {f"POSIX_{counter}": float(value) for counter, value in row.items()}
    }
    born = {"POSIX_READS": 1.0, "POSIX_BYTES_READ": 1.0}
    others = {("POSIX", "/w/c"): {"POSIX_STATS": 1.0}, ("POSIX", "/w/read later"): born}
    return Log(records=records | others)


def test_right_log(tmp_path: Path) -> None:
    """The checker finds no difference between the right log and the trace."""
    assert differences(totals(tmp_path), log(), "", "") == []


@pytest.mark.parametrize("counter", ["OPENS", "WRITES", "BYTES_WRITTEN", "READS", "STATS", "SEEKS"])
def test_wrong_log(counter: str, tmp_path: Path) -> None:
    """If one counter is too high by 1, exactly this difference is found."""
    value = log().records["POSIX", NAME].get(f"POSIX_{counter}", 0)
    wrong = log(**{counter: int(value) + 1})
    (found,) = differences(totals(tmp_path), wrong, "", "")
    assert f"POSIX_{counter} {value + 1:.0f}, strace {value:.0f}" in found


def test_missing_record(tmp_path: Path) -> None:
    """The checker finds one difference if a record of the log is missing."""
    wrong = log()
    del wrong.records["POSIX", "/w/c"]
    assert len(differences(totals(tmp_path), wrong, "", "")) == 1


def test_bytes_of_a_standard_stream() -> None:
    """In the comparison, bytes that a program writes to a standard stream count for the file to
    which it is redirected; a log that has them under <STDOUT> is wrong."""
    counts = {"/w/out": Tally(opens=2, writes=1, bytes_written=10)}
    stream = {"STDIO_BYTES_WRITTEN": 10.0, "STDIO_WRITES": 1.0}
    records = {("POSIX", "/w/out"): {"POSIX_OPENS": 2.0}, ("STDIO", "/w/out"): stream}
    assert differences(counts, Log(records=records), "", "") == []
    records["STDIO", "<STDOUT>"] = records.pop(("STDIO", "/w/out"))
    assert len(differences(counts, Log(records=records), "", "")) == 2
