#!/usr/bin/env python3
"""Measures how long the ready queries of `darshan ask` take for a large lake, and in how much
memory. The command itself is started for each query, so the numbers include its start, the opening
of the lake and the output of the table. With --of, makes the large lake first.

    python3 darshan-test/bench/questions.py --times 50 --of SMALL-LAKE LARGE-LAKE
    python3 darshan-test/bench/questions.py LARGE-LAKE"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from has import need

need("numpy", "pyarrow", "darshan_report")

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from darshan_report.lake.ask.ready.questions import QUESTIONS
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.commits import Change, File, Snapshot

DARSHAN = Path(__file__).resolve().parents[2] / "build" / "darshan"
# Beginnings of the names of tables whose files are linked instead of rewritten.
_LINKED = ("files_", "totals_")
# Jobs up to which a month is not copied.
_FEW = 100


def _new(file: File, lake: str) -> str:
    """Returns a new path, relative to the lake, for the copy of a file of another lake, and creates
    its folders in the lake."""
    path = f"{os.path.dirname(file.path)}/{storage.new_name()}.parquet"
    storage.make_folders(lake, os.path.dirname(path))
    return path


def _renamed(table: pa.Table, number: int) -> pa.Table:
    """Returns the rows with other names of logs: their first four letters become the copy's number
    in hexadecimal."""
    names = pc.binary_replace_slice(table["log"].cast(pa.string()), 0, 4, f"{number:04x}")
    at = table.schema.get_field_index("log")
    return table.set_column(at, table.schema.field(at), names.combine_chunks().dictionary_encode())


def _linked(small: str, large: str, file: File) -> str:
    """Links a file of the small lake into the large one. Returns its new path."""
    path = _new(file, large)
    os.link(os.path.join(small, file.path), os.path.join(large, path))
    return path


def _rewritten(small: str, large: str, file: File, times: int) -> str:
    """Writes `times` copies of a file's rows into the large lake, with other names of logs. Returns
    the new path."""
    table = pq.ParquetFile(os.path.join(small, file.path)).read()
    whole = pa.concat_tables(_renamed(table, number) for number in range(times))
    path = _new(file, large)
    target = os.path.join(large, path)
    pq.write_table(whole.unify_dictionaries(), target, compression="zstd", row_group_size=100_000)
    return path


def multiplied(small: str, large: str, times: int) -> None:
    """Makes the lake `large` with `times` copies of the files of the lake `small`. Months with at
    most _FEW jobs are not copied."""
    storage.make(large, {})
    known, made = Snapshot(small), []
    months = {f.month for f in known.of("jobs") if f.rows > _FEW}
    for file in known.files.values():
        if file.month not in months:
            continue
        if file.table.startswith(_LINKED):
            paths = [(_linked(small, large, file), file.rows) for _ in range(times)]
        else:
            paths = [(_rewritten(small, large, file, times), file.rows * times)]
        for path, rows in paths:
            size = os.path.getsize(os.path.join(large, path))
            made.append(File(file.table, path, rows, size, file.first, file.last, file.shape))
    Snapshot(large).commit(Change("collect", made))


def _days(lake: str) -> tuple[str, str]:
    """Returns the first and the last day of a lake's jobs."""
    files = [f for f in Snapshot(lake).of("jobs") if f.first]
    return min(f.first for f in files), max(f.last for f in files)


def _asked(lake: str, *words: str) -> tuple[str, float, float, int]:
    """Runs a ready question by `darshan ask --json`. Returns its output, the elapsed seconds, the
    processor seconds, and the peak memory in MiB. words: the question and its options. Ends the
    program if the command fails."""
    command = [str(DARSHAN), "ask", lake, *words, "--json"]
    settings = {**os.environ, "DARSHAN_PYTHON": sys.executable}
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=settings, text=True) as asking:
        assert asking.stdout is not None
        said = asking.stdout.read()
        _, status, used = os.wait4(asking.pid, 0)
        asking.returncode = os.waitstatus_to_exitcode(status)
    if asking.returncode:
        raise SystemExit(f"{command} ended with {asking.returncode}")
    spent = used.ru_utime + used.ru_stime
    return said, time.monotonic() - begun, spent, used.ru_maxrss >> 10


def _questions(lake: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each ready query with its options."""
    first, last = _days(lake)
    middle = f"{first[:5]}{(int(first[5:7]) + int(last[5:7])) // 2:02}-15"
    more = {
        "before-after": ["--date", middle],
        "between": ["--from", f"{middle}T01:00", "--to", f"{middle}T05:00"],
        "files": ["--name", "%/mesh.h5"],
        "job": ["--job", "1000008"],
        "run": ["--job", "1000008"],
    }
    for question in QUESTIONS:
        yield question.name, [question.name, *more.get(question.name, [])]


def main() -> None:
    """Parses the command line and runs what it requests."""
    options = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    options.add_argument("lake")
    options.add_argument("--of", help="a small lake, to make this one of")
    options.add_argument("--times", type=int, default=50)
    chosen = options.parse_args()
    if chosen.of:
        multiplied(chosen.of, chosen.lake, chosen.times)
    rows: dict[str, int] = {}
    for file in Snapshot(chosen.lake).files.values():
        kind = "records" if file.table.startswith("files_") else file.table
        rows[kind] = rows.get(kind, 0) + file.rows
    print(", ".join(f"{rows[k]:,} {k}" for k in ("jobs", "layers", "findings", "records")))
    print(f"{'':<14}{'seconds':>9}{'of cores':>10}{'MiB':>6}{'rows':>7}")
    for name, words in _questions(chosen.lake):
        said, wall, spent, most = _asked(chosen.lake, *words)
        number = len(json.loads(said))
        print(f"{name:<14}{wall:>9.1f}{spent:>10.1f}{most:>6}{number:>7}", flush=True)


if __name__ == "__main__":
    main()
