"""Findings for programs whose calls take little time: the potential saving includes the time
between calls in which a library works for them, and not the time in which the program computes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from .blamed import Blamed
from .test_blamed import findings, start
from .where import Where

# Least part of the run that the time between calls must be.
_SOME = 0.02
_COMPUTE = """
def compute(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
"""
# A state that is formatted in Python for each of its versions.
_STATE = """
import json, os
state = {str(n): n * 0.37 for n in range(8000)}
for step in range(60):
    state[str(step)] = step
    with open("state.new", "w") as file:
        json.dump(state, file)
    os.replace("state.new", "state.json")
"""
# Lines of a file, parsed again for each of 20 questions.
_TABLE = """
import csv
with open("table.csv", "w") as file:
    file.write("a,b,c,d\\n")
    for n in range(24000):
        file.write(f"{n},{n * 0.5},{n * n},name{n}\\n")
def column(number):
    with open("table.csv") as file:
        return sum(float(row[number]) for row in csv.DictReader(file))
print(sum(column("abc"[n % 3]) for n in range(20)))
"""
# Members of an archive, whose list Python parses at each open.
_ARCHIVE = """
import zipfile
with zipfile.ZipFile("tiles.zip", "w") as archive:
    for n in range(2500):
        archive.writestr(f"tile{n}", b"x")
def member(n):
    with zipfile.ZipFile("tiles.zip") as archive:  # here
        return archive.read(f"tile{n}")
print(sum(len(member(n)) for n in range(40)))
"""
_ADDED = """
import zipfile
for n in range(300):
    with zipfile.ZipFile("made.zip", "a") as archive:
        archive.writestr(f"tile{n}", b"x" * 50)
"""
_SAVED = """
import numpy
state = numpy.zeros(100000)
for step in range(200):
    numpy.save("state.npy", state)
"""
_GLOB = """
import glob
for n in range(300):
    open(f"tile-{n:04}.dat", "w").close()
print(sum(len(glob.glob(f"tile-{n % 300:04}*")) for n in range(700)))
"""
_GZIP = """
import gzip, random
random.seed(1)
block = bytes(random.choices(b"ACGT", k=1 << 20))
with gzip.open("reads.gz", "wb") as file:
    for n in range(4):
        file.write(block)
"""
# The same, through two libraries.
_COPIED = """
import gzip, random, shutil
random.seed(1)
with open("reads", "wb") as file:
    file.write(bytes(random.choices(b"ACGT", k=4 << 20)))
with open("reads", "rb") as source, gzip.open("reads.gz", "wb") as target:
    shutil.copyfileobj(source, target, 1 << 20)
"""
# Numbers of a table, parsed again for each of 40 questions, by libstdc++.
_NUMBERS = """#include <fstream>
#include <iostream>
#include <string>
static double column(int wanted) {
  std::ifstream in("table.txt");
  double sum = 0, value;
  for (int n = 0; in >> value; n++) /* here */
    if (n % 4 == wanted) sum += value;
  return sum;
}
int main() {
  {
    std::ofstream out("table.txt");
    for (int n = 0; n < 80000; n++) out << n * 0.37 << (n % 4 == 3 ? "\\n" : " ");
  }
  double sum = 0;
  for (int i = 0; i < 40; i++) sum += column(i % 4);
  std::cout << sum << "\\n";
}
"""
# The same file is read 40 times, and the program computes after each time.
_COMPUTED = (
    """
import time
"""
    + _COMPUTE
    + """
with open("data", "wb") as file:
    file.write(bytes(1 << 20))
for n in range(40):
    with open("data", "rb") as file:
        data = file.read()
    compute(0.02)
"""
)
# Pages of a file are read here and there, and the program computes after each.
_PAGES = (
    """
import os, time
"""
    + _COMPUTE
    + """
with open("pages", "wb") as file:
    file.write(bytes(1 << 20))
pages = os.open("pages", os.O_RDONLY)
for n in range(4000):
    os.pread(pages, 4096, n * 37 % 256 * 4096)
    compute(8e-5)
"""
)
# A simulation that saves a few compressed bytes after each step.
_STEPS = (
    """
import gzip, time
"""
    + _COMPUTE
    + """
with gzip.open("steps.gz", "wb") as file:
    for n in range(100):
        compute(5e-3)
        file.write(b"step %d" % n)
        file.flush()
"""
)
# A shell script that starts a program for each line and appends its output.
_LINES = """
for n in $(seq 200); do
  word=$(/bin/echo "$n" | /usr/bin/cut -c1)
  echo "$word" >> words
done
"""


class Told(NamedTuple):
    """A program. diagnosis: the beginning of the name of its first finding with a potential saving,
    with | between alternatives. ending: the extension of its source."""

    name: str
    source: str
    diagnosis: str = ""
    ending: str = "py"


SAVED = (
    Told("state", _STATE, "rewritten-whole"),
    Told("table", _TABLE, "same-bytes-again-read"),
    Told("archive", _ARCHIVE, "opened-again"),
    Told("glob", _GLOB, "listed-again"),
    Told("gzip", _GZIP, "conversion-writing"),
    Told("copied", _COPIED, "conversion-writing"),
    Told("numbers", _NUMBERS, "same-bytes-again-read|opened-again", "cc"),
)


def shares(told: list[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """Yields the name of each finding with a potential saving, and its time between calls as a
    fraction of the time that the finding refers to. told: findings of the report's JSON."""
    for finding in told:
        stake = finding["stake"]
        if stake["of_seconds"] > 0:
            yield finding["name"], stake["between_seconds"] / stake["of_seconds"]


@pytest.mark.parametrize("told", SAVED, ids=lambda told: told.name)
def test_saved(told: Told, where: Where) -> None:
    """The first finding with a potential saving is the expected one, and its saving includes the
    time that a library works between the calls."""
    start(where, Blamed(f"case-{told.name}", told.ending, told.diagnosis, told.source))
    found = list(shares(findings(where)))
    assert found and found[0][0].startswith(tuple(told.diagnosis.split("|"))), found
    # On a busy machine many gaps are longer than those that count.
    assert _SOME <= found[0][1] <= 1, found


@pytest.mark.parametrize(
    ("source", "through", "words", "wrong"),
    [
        (_ARCHIVE, "zipfile.ZipFile", "archive.read(name)", "writestr"),
        (_SAVED, "numpy.save", "", "numpy.load"),
        (_ADDED, "zipfile.ZipFile", "", "archive.read"),
    ],
    ids=["read", "saved", "added"],
)
def test_words_of_the_library(
    source: str, through: str, words: str, wrong: str, where: Where
) -> None:
    """If a library opens a file repeatedly, the remedy's example is for reading if the program
    reads, and for writing if it writes. through: the library's function; words, wrong: text that
    the example must and must not contain."""
    start(where, Blamed("case-again", "py", "opened-again", source))
    found = findings(where)
    assert not any(wrong in (f["remedy"] or {}).get("example", "") for f in found)
    of_library = [f for f in found if through in ((f["line"] or {}).get("through") or "")]
    assert of_library and any(words in f["remedy"]["example"] for f in of_library)


@pytest.mark.parametrize(
    ("words", "body"),
    [
        ("writes a new state over the old one", 'open("state", "w").write(f"{n:9}" * 200)'),
        ("writes a new state over the old one", 'open("head", "r+").write(f"{n:9}")'),
        ("Read it once", 'open("values").read()'),
        ("Open once and keep", 'open("list", "a").write(f"{n:9}")'),
    ],
    ids=["state", "head", "values", "list"],
)
def test_what_each_open_moves(words: str, body: str, where: Where) -> None:
    """The remedy for repeated opens depends on what each open moves: it overwrites the file or
    its first bytes, reads the file, or appends. words: text of the remedy; body: the loop's
    statement."""
    source = 'open("head", "w").truncate(5000)\n'
    source += f'open("values", "w").write("a = 1\\n" * 200)\nfor n in range(8000):\n    {body}\n'
    start(where, Blamed("case-opens", "py", "opened-again", source))
    found = [f for f in findings(where) if f["name"] == "opened-again"]
    assert found and words in found[0]["remedy"]["text"], found


# A state of one line in a shell, and in C: a stream, whose position in the file is not known.
_PROGRESS = """
for ((n = 0; n < 3000; n++)); do
  echo "last=$n" > state
done
"""
_FPRINTF = """#include <cstdio>
int main() {
  for (int n = 0; n < 8000; n++) {
    FILE *state = std::fopen("state", "w");
    std::fprintf(state, "last=%d", n);
    std::fclose(state);
  }
}
"""
# Saves all steps so far at each step, by a stream of a descriptor.
_HISTORY = """
import numpy
history = []
for n in range(200):
    history.append(numpy.zeros(500))
    numpy.save("history.npy", numpy.array(history))
"""


@pytest.mark.parametrize(
    ("ending", "source", "diagnosis", "words"),
    [
        ("sh", _PROGRESS, "opened-again", "If each open writes a new state over the old one"),
        ("cc", _FPRINTF, "opened-again", "If each open writes a new state over the old one"),
        ("py", _HISTORY, "rewritten-whole", "save the whole file less often"),
    ],
    ids=["shell", "stream", "history"],
)
def test_state(ending: str, source: str, diagnosis: str, words: str, where: Where) -> None:
    """If a program saves its state at each step, the remedy keeps the state in a file that is
    written less often or kept open."""
    start(where, Blamed("case-state", ending, diagnosis, source))
    found = findings(where)
    assert found and found[0]["name"] == diagnosis, found
    assert words in found[0]["remedy"]["text"]


STAYS = (
    Told("computed", _COMPUTED),
    Told("pages", _PAGES),
    Told("steps", _STEPS),
    Told("lines", _LINES, ending="sh"),
)


@pytest.mark.parametrize("told", STAYS, ids=lambda told: told.name)
def test_computing_stays(told: Told, where: Where) -> None:
    """The time in which a program computes between calls, or waits for other programs, is not part
    of a potential saving."""
    start(where, Blamed(f"case-{told.name}", told.ending, told.diagnosis, told.source))
    # The starts of the programs have a finding of their own.
    found = [pair for pair in shares(findings(where)) if pair[0] != "process-each"]
    assert all(part < 0.1 for _, part in found), found
