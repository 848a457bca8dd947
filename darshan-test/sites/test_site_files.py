"""The files in the record of a call site: those with most calls and those with most bytes, and an
estimate of the number of all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lab.log import Row, parsed, rows_in
from mpi.launch import Runner

from .where import SECONDS, Where, at, line_of

# Two loops that write two files in the same way, and a loop that writes a dozen files.
SOURCE = """
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char name[20];
  int a = open("a.bin", O_WRONLY | O_CREAT, 0600), b = open("b.bin", O_WRONLY | O_CREAT, 0600);
  for (int i = 0; i < 20000; i++)
    if (write(a, "one", 3) < 0) return 1; /* a */
  for (int i = 0; i < 20000; i++)
    if (write(b, "two", 3) < 0) return 1; /* b */
  for (int i = 0; i < 12; i++) {
    sprintf(name, "%d.txt", i);
    int file = open(name, O_WRONLY | O_CREAT, 0600); /* open */
    for (int k = 0; k < 10 * (12 - i); k++)
      if (write(file, name, 7) < 0) return 1; /* many */
    close(file);
  }
  return 0;
}
"""

DATASETS = """
import h5py, numpy
with h5py.File("data.h5", "w") as file:
    first, second = (file.create_dataset(name, (60, 10), "f8") for name in ("first", "second"))
    for row in range(60):
        first[row] = numpy.ones(10)  # first
    for row in range(20):
        second[row] = numpy.ones(10)  # second
"""


def _files(where: Where) -> dict[str, Any]:
    """Returns the files of the marked lines of the program, as the log has them."""
    found = where.run(where.compile(source=SOURCE))
    source = where.folder / "program.c"
    return {
        mark: at(found, source, line_of(SOURCE, f"/* {mark} */")) for mark in ["a", "b", "many"]
    }


def test_files_of_sites(where: Where) -> None:
    """A line's files are listed with their calls and bytes; if a line uses many files, those with
    most bytes are listed."""
    found = _files(where)
    for mark in "ab":
        (file,) = found[mark]["files"]
        assert Path(file.pop("file")).name == f"{mark}.bin"
        assert file == {"calls": 20_000, "bytes": 60_000}
        assert found[mark]["distinct_files"] == 1
    most = found["many"]["files"]
    assert [Path(file["file"]).name for file in most] == ["0.txt", "1.txt"]
    assert [(file["calls"], file["bytes"]) for file in most] == [(120, 840), (110, 770)]
    assert 7 <= found["many"]["distinct_files"] <= 17  # ids may share bits


def test_later_files_replace_smaller_ones(where: Where) -> None:
    """In a list that is full, a file that is used later replaces a listed one if it has more calls
    in succession."""
    source = SOURCE.replace("10 * (12 - i)", "10 * (1 + i)")
    found = where.run(where.compile(source=source))
    many = at(found, where.folder / "program.c", line_of(source, "/* many */"))
    assert [Path(file["file"]).name for file in many["files"]] == ["11.txt", "10.txt"]
    assert [file["bytes"] for file in many["files"]] == [840, 770]


def test_processes_add_up(where: Where) -> None:
    """If two processes of a run write a file from the same line, its calls and bytes in the list
    are summed."""
    program = where.compile(source=SOURCE)
    found = where.run("sh", "-c", f"{program} & {program} & wait")
    line = at(found, where.folder / "program.c", line_of(SOURCE, "/* a */"))
    (file,) = line["files"]
    assert (file["calls"], file["bytes"], line["distinct_files"]) == (40_000, 120_000, 1)


def test_the_text_names_files(where: Where) -> None:
    """The text of `darshan where` has the files of a line in a row below the line."""
    _files(where)
    text = where.ask().stdout
    assert "  files: a.bin\n" in text and "  files: b.bin\n" in text
    assert "  files: 0.txt and about " in text


def test_datasets(where: Where) -> None:
    """For a line with HDF5 calls, the listed files are datasets, with the number of calls."""
    script = where.folder / "script.py"
    script.write_text(DATASETS)
    found = where.run(sys.executable, script)
    for name, rows in (("first", 60), ("second", 20)):
        (file,) = at(found, script, line_of(DATASETS, f"# {name}"))["files"]
        assert Path(file["file"]).name == name
        assert file["calls"] == rows
        assert f"  files: data.h5:/{name}\n" in where.ask().stdout


def test_a_finding_is_at_the_line_of_its_file(where: Where) -> None:
    """If two lines make equally many calls on two files, a finding about one of the files names the
    line that used it."""
    source = SOURCE.replace("20000", "300000")
    where.run(where.compile(source=source))
    report = where.folder / "report.json"
    subprocess.run(
        [where.program.build / "darshan", "report", "--json", "-o", report, where.log],
        capture_output=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    findings = json.loads(report.read_text())["findings"]
    (small,) = (one for one in findings if one["name"].startswith("small-accesses-write"))
    named = [Path(row["record"]).name for row in small["evidence"] if row["record"]]
    (file,) = {name for name in named if name in {"a.bin", "b.bin"}}
    assert small["line"]["place"]["line"] == line_of(source, f"/* {file[0]} */")
    assert "on these files" in small["line"]["text"]


def test_the_page_names_files(where: Where) -> None:
    """The web page of a report has a table of the lines with their files."""
    where.run(where.compile(source=SOURCE))
    page = where.folder / "page.html"
    subprocess.run(
        [where.program.build / "darshan", "report", "--html", "-o", page, where.log],
        capture_output=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    rows = page.read_text().split("File with most bytes, or calls")[1].split("</table>")[0]
    for name in ("a.bin", "b.bin", "0.txt", "1.txt"):
        assert f"/{name}<" in rows


# Each rank makes the runs of calls that its argument lists: the letter of a file, calls, bytes.
JOB = """
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int files[26];
static int named(char letter) {
  char name[] = "data/?";
  int *file = &files[letter - 'a'];
  name[5] = letter;
  if (*file == 0) *file = open(name, O_WRONLY | O_CREAT, 0600);
  return *file;
}
int main(int argc, char **argv) {
  static char bytes[4096];
  int rank, calls, size, length;
  char letter;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (char *run = argv[1 + rank]; sscanf(run, "%c%d:%d,%n", &letter, &calls, &size, &length) == 3;
       run += length)
    for (int i = 0; i < calls; i++)
      if (pwrite(named(letter), bytes, size, 0) != size) exit(1); /* put */
  return MPI_Finalize();
}
"""
Runs = list[tuple[str, int, int]]  # file, calls, bytes of each


def _job(where: Where, runner: Runner, ranks: list[Runs]) -> list[Row]:
    """Runs an MPI job whose ranks make these calls from one line; returns the rows of its log."""
    source = where.folder / "job.c"
    source.write_text(JOB)
    words = ["".join(f"{a}{calls}:{size}," for a, calls, size in runs) for runs in ranks]
    job = runner.run(
        len(ranks), [str(runner.build(str(source), "-g")), *words], {"DARSHAN_SITES": "1"}
    )
    assert job.code == 0, job
    (log,) = job.logs
    return rows_in(parsed(runner.parser, log))


def _lists(rows: list[Row]) -> tuple[dict[str, list[tuple[str, int]]], int]:
    """Returns, for the only call site that calls pwrite, its list of files by calls and by bytes
    (pairs of name and number), and the number of bits that are set in its estimate of all files."""
    names = {row.record % 2**64: Path(row.name).name for row in rows if row.module == "POSIX"}
    mine = [row for row in rows if row.module == "SITES" and row.name.startswith("pwrite;")]
    assert {row.rank for row in mine} == {-1}, "the ranks have one record"
    value = {row.short: int(row.value) for row in mine}
    lists = {}
    for measure in ("CALLS", "BYTES"):
        found = [
            (value[f"FILE{n}_BY_{measure}"] % 2**64, value[f"FILE{n}_{measure}"])
            for n in range(1, 5)
        ]
        assert found == sorted(found, key=lambda one: -one[1])
        lists[measure] = [(names[file], amount) for file, amount in found if file]
    return lists, bin(value["FILE_BITS"] % 2**64).count("1")


def _truth(ranks: list[Runs]) -> dict[str, Counter[str]]:
    """Returns the true calls and bytes of all ranks, each by file."""
    found: dict[str, Counter[str]] = {"CALLS": Counter(), "BYTES": Counter()}
    for file, calls, size in (run for runs in ranks for run in runs):
        found["CALLS"][file] += calls
        found["BYTES"][file] += calls * size
    return found


def _random_runs(random: Random, files: str) -> Runs:
    """Returns random calls: file, number of calls, and bytes of each."""
    return [
        (random.choice(files), random.randint(1, 9), random.randint(1, 4000)) for _ in range(60)
    ]


@pytest.mark.parametrize(
    "files", [("abc", "bcd"), ("ab", "abcd", "d"), ("abcd", "dcba")], ids="-".join
)
def test_files_of_ranks_merge_exactly(files: tuple[str, ...], where: Where, runner: Runner) -> None:
    """If ranks use at most four files in total, the merged record has the exact calls and bytes of
    each. files: the letters of the files of each rank."""
    random = Random(str(files))
    ranks = [_random_runs(random, letters) for letters in files]
    rows = _job(where, runner, ranks)
    lists, bits = _lists(rows)
    truth = _truth(ranks)
    assert {measure: dict(found) for measure, found in lists.items()} == truth
    ids = {row.record % 2**64 for row in rows if row.module == "POSIX" and "/data/" in row.name}
    assert len(ids) == len(truth["CALLS"])
    assert bits == len({one >> 58 for one in ids})


def test_files_of_ranks_are_lower_bounds(where: Where, runner: Runner) -> None:
    """If ranks use more files than a record lists, no listed file has more calls or bytes than it
    really had, and the file with most calls is listed first."""
    random = Random("many")
    ranks = [[*_random_runs(random, "abcdefghij"), ("k", 5000, 8)] for _ in range(2)]
    lists, _ = _lists(_job(where, runner, ranks))
    for measure, truth in _truth(ranks).items():
        assert len(lists[measure]) == 4
        assert all(amount <= truth[file] for file, amount in lists[measure])
    assert lists["CALLS"][0] == ("k", 10_000)
