"""The output of `darshan stat` names the line of code for runs without a problem: for notices with
a large potential saving, I/O that takes much of the run, and files that are loaded completely."""

from __future__ import annotations

import re

import pytest
from lab.command import finished

from .blamed import Blamed
from .test_blamed import start
from .where import SECONDS, Where, line_of

_DUMPED = """
import json
values = [{"x": i * 0.1, "y": [i, i + 1], "name": f"n{i}"} for i in range(400_000)]
with open("out.json", "w") as file:
    json.dump(values, file)  # here
"""
_LARGE = """
import os
file = os.open("data", os.O_RDWR | os.O_CREAT)
os.posix_fallocate(file, 0, 512 << 20)
room = bytearray(8 << 20)
for at in range(0, 512 << 20, 8 << 20):
    os.preadv(file, [room], at)  # here
"""
_WHOLE = """#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  char name[20];
  for (int i = 0; i < 12; i++) {
    snprintf(name, sizeof name, "part%d", i);
    int file = open(name, O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, 32 << 20) != 0) return 1;
    const int flags = MAP_SHARED | MAP_POPULATE;
    char *map = mmap(NULL, 32 << 20, PROT_READ, flags, file, 0); /* here */
    if (map == MAP_FAILED || map[0]) return 2;
    munmap(map, 32 << 20);
    close(file);
  }
  return 0;
}
"""
# Each program, and a pattern of the expected output with LINE for its line.
PROGRAMS = (
    (
        Blamed("dumped", "py", "", _DUMPED),
        r"- \S[^\n]+: up to [\d.]+ m?s[^!]+At dumped\.py:LINE\b[^!]+remedy: ",
    ),
    (
        Blamed("large", "py", "", _LARGE),
        r"No known problem\.[^!]+Reading takes much of the run, in large calls\. At "
        r"large\.py:LINE,",
    ),
    (
        Blamed("whole", "c", "", _WHOLE),
        r"\? Files are loaded as a whole when they are mapped[^!]+At whole\.c:LINE,[^!]+only the "
        "pages that it",
    ),
)


@pytest.mark.parametrize(("blamed", "pattern"), PROGRAMS, ids=lambda one: getattr(one, "name", ""))
def test_in_brief(blamed: Blamed, pattern: str, where: Where) -> None:
    """`darshan stat` prints no problem, and the expected text with the program's line."""
    start(where, blamed)
    done = finished([where.program.build / "darshan", "stat", "-r", where.log], timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    said = re.sub(r"\s+", " ", done.stdout + done.stderr)
    wanted = pattern.replace("LINE", str(line_of(blamed.source, "here")))
    assert re.search(wanted, said), said
    assert "\n! " not in done.stdout, done.stdout


# JSON that takes much longer to format than the short lines take to be written.
_BOTH = """
import json, os
values = [{"x": i * 0.1, "y": [i, i + 1], "name": f"n{i}"} for i in range(400_000)]
with open("out.json", "w") as file:
    json.dump(values, file)  # here
file = os.open("lines", os.O_WRONLY | os.O_CREAT)
for i in range(100_000):
    os.write(file, b"a short line")
"""


def test_larger_notice(where: Where) -> None:
    """A notice that could save much more than all problems precedes them."""
    blamed = Blamed("both", "py", "", _BOTH)
    start(where, blamed)
    darshan = where.program.build / "darshan"
    thresholds = where.folder / "thresholds"
    thresholds.write_text("stake.share = 0.01\nstake.seconds = 0.01\n")
    options = ("--text", "--brief", "--thresholds", thresholds)
    done = finished([darshan, "report", *options, where.log], timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    line = line_of(blamed.source, "here")
    wanted = rf"^- \S[^!]+At both\.py:{line}\b[^!]+\n! \S"
    assert re.search(wanted, done.stdout), done.stdout


def told_of_all(where: Where) -> str:
    """Returns the report of a program's log as text, with blanks in place of line ends. It has the
    findings of any cost."""
    thresholds = where.folder / "thresholds"
    thresholds.write_text("stake.share = 0\nstake.seconds = 0\n")
    command = (where.program.build / "darshan", "report", "--text", "--thresholds", thresholds)
    done = finished([*command, where.log], timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return re.sub(r"\s+", " ", done.stdout)


# A helper function with two callers, of which one causes the problem.
_HELPER = """
import os
def put(file, number):
    os.pwrite(file, b"%011d " % number, 12 * number)
file = os.open("counts", os.O_WRONLY | os.O_CREAT)
put(file, 0)
for number in range(100_000):
    put(file, number)  # here
"""


def test_called_at(where: Where) -> None:
    """If several lines call a function with costly calls, the finding names the one that causes
    most of them, too."""
    blamed = Blamed("helper", "py", "", _HELPER)
    start(where, blamed)
    said = told_of_all(where)
    line = line_of(blamed.source, "here")
    assert re.search(rf"at helper\.py:4, in put, called at helper\.py:{line}: all", said), said


# Two files with problems of their own, which one function causes.
_FUNCTION = """
import os
def count(number):
    os.pwrite(counts, b"%011d " % number, 12 * number)
    return os.pread(names, 16, 16 * (number * 7919 % 60_000))
names = os.open("names", os.O_RDWR | os.O_CREAT)
os.write(names, bytes(16 * 60_000))
counts = os.open("counts", os.O_WRONLY | os.O_CREAT)
for number in range(60_000):
    count(number)
"""


def test_one_function(where: Where) -> None:
    """If one function causes several findings, the first of them has the potential saving of
    all."""
    start(where, Blamed("function", "py", "", _FUNCTION))
    said = told_of_all(where)
    both = re.findall(r"at stake: up to [\d.]+ m?s [^:]*?; with (?:the other finding|the \d other "
                      r"findings) about this function up to ", said)  # fmt: skip
    assert len(both) == 1, said


# A loop that computes between the reads of a library, in a function whose name needs much space.
_LONG = """
import io
def {name}(stream):
    total = 0
    for _ in range(400):
        block = stream.read(1 << 14)  # here
        total += sum(sum(block) for _ in range(30))
    return total
with open("data", "wb") as made:
    made.write(bytes(400 << 14))
with open("data", "rb", buffering=0) as raw:
    {name}(io.BufferedReader(raw, 1 << 13))
"""


def test_long_names_do_not_break_a_sentence(where: Where) -> None:
    """If most of a run passes between the calls of a loop, `darshan stat` begins with that, in at
    most two lines. A place that is too long for them gets shorter, and no sentence breaks off."""
    name = "a_function_that_has_a_name_as_long_as_those_of_compiled_libraries_" + "x" * 60
    start(where, Blamed("long", "py", "", _LONG.replace("{name}", name)))
    done = finished([where.program.build / "darshan", "stat", "-r", where.log], timeout=SECONDS)
    said = done.stdout + done.stderr
    first, _, rest = said[said.index("Most of the run passes") :].partition("The calls on files")
    assert rest, said
    assert first.rstrip().endswith(".") and first.count("\n") <= 2, said


def test_sites_are_no_files(where: Where) -> None:
    """darshan-parser --file and --perf count call sites neither as files nor as a layer with a
    throughput."""
    start(where, Blamed("large", "py", "", _LARGE))
    parser = where.program.build / "darshan-parser"
    done = finished([parser, "--perf", "--file", "--annex", where.log], timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    parts = re.split(r"\n# (\w+) module data\n", done.stdout)
    found = {name: "agg_perf_by_slowest" in text for name, text in zip(parts[1::2], parts[2::2])}
    assert found["POSIX"] and not found.get("SITES"), found
