"""For real logs, darshan-parser prints the values that are stored next to them.

The files next to each log have the values of its preamble, its rows of data, its totals and its
performance figures. They were made by a reader that has two known errors in old POSIX
records. Each line with such an error is listed here, with the value that the bytes of the log
contain. Every other line must be the same."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from tree import real_log_paths

from .tools import run

# Key of a line: wrong expected value, right value.
Slips = dict[str, tuple[bytes, bytes]]

ROW_SLIPS: dict[str, Slips] = {
    "mpi-io-test-ppc64-3.0.1": {
        "POSIX_F_META_TIME": (b"-0.000000", b"0.128771"),
        "POSIX_F_MAX_READ_TIME": (b"0.000000", b"0.213375"),
        "POSIX_F_MAX_WRITE_TIME": (b"0.000000", b"0.059676"),
    },
    "mpi-io-test-ppc64-3.1.2": {
        "POSIX_F_META_TIME": (b"0.000000", b"0.217089"),
        "POSIX_F_MAX_READ_TIME": (b"0.000000", b"0.215007"),
        "POSIX_F_MAX_WRITE_TIME": (b"0.000000", b"0.044176"),
        "POSIX_F_VARIANCE_RANK_TIME": (b"0.000000", b"0.001941"),
    },
    "mpi-io-test-ppc64-3.1.5": {
        "POSIX_F_META_TIME": (b"-221.521812", b"0.335247"),
        "POSIX_F_MAX_READ_TIME": (b"-0.000000", b"0.214242"),
        "POSIX_F_MAX_WRITE_TIME": (b"0.000000", b"0.023212"),
        "POSIX_F_VARIANCE_RANK_TIME": (b"0.000000", b"0.002723"),
    },
    "mpi-io-test-x86_64-3.1.0": {"POSIX_F_VARIANCE_RANK_TIME": (b"0.000000", b"0.000147")},
    "mpi-io-test-x86_64-3.1.3": {"POSIX_F_VARIANCE_RANK_TIME": (b"0.000000", b"0.000239")},
}

TOTAL_SLIPS: dict[str, Slips] = {
    "mpi-io-test-ppc64-3.0.1": {
        "total_POSIX_F_META_TIME": (b"-0.000000", b"0.128771"),
        "total_POSIX_F_MAX_READ_TIME": (b"0.000000", b"0.213375"),
        "total_POSIX_F_MAX_WRITE_TIME": (b"0.000000", b"0.059676"),
    },
    "mpi-io-test-ppc64-3.1.2": {
        "total_POSIX_F_META_TIME": (b"0.000000", b"0.217089"),
        "total_POSIX_F_MAX_READ_TIME": (b"0.000000", b"0.215007"),
        "total_POSIX_F_MAX_WRITE_TIME": (b"0.000000", b"0.044176"),
    },
    "mpi-io-test-ppc64-3.1.5": {
        "total_POSIX_MAX_READ_TIME_SIZE": (b"0", b"16777216"),
        "total_POSIX_F_META_TIME": (b"-221.521812", b"0.335247"),
        "total_POSIX_F_MAX_READ_TIME": (b"0.000000", b"0.214242"),
        "total_POSIX_F_MAX_WRITE_TIME": (b"0.000000", b"0.023212"),
    },
}

# The lines of the preamble that the .header files lack.
NOT_IN_HEADER = (b"# end_time_asci:", b"# header:", b"# job data:", b"# record table:", b"# ---")
HEADINGS = (b"# log file regions", b"# mounted file systems (mount point and fs type)")
PERF_KEYS = (
    b"# total_bytes: ",
    b"# unique files: slowest_rank: ",
    b"# shared files: time_by_slowest: ",
    b"# agg_time_by_slowest: ",
    b"# agg_perf_by_slowest: ",
)

LOGS = [pytest.param(path, id=path.name[: -len(".darshan")]) for path in real_log_paths()]
real_log = pytest.mark.parametrize("log", LOGS)


def printed(parser: Path, option: str | None, log: Path) -> list[bytes]:
    """Returns the lines that a tool prints for a log with an option (None: without one), including
    incomplete modules. Fails if the tool does."""
    done = run(parser, *([option] if option else []), "--show-incomplete", log)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.split(b"\n")[:-1]


def corrected(lines: list[bytes], slips: Slips, separator: bytes, key: int) -> list[bytes]:
    """Returns the expected lines with the right values in place of the errors that `slips` lists by
    name, and checks that each of these errors occurs. separator: between the columns; key: the
    index of the column with the name, before the value."""
    out, found = [], Counter[str]()
    for line in lines:
        fields = line.split(separator)
        name = fields[key].decode()
        if name in slips:
            wrong, right = slips[name]
            assert fields[key + 1] == wrong
            fields[key + 1] = right
            found[name] += 1
        out.append(separator.join(fields))
    assert found == Counter(dict.fromkeys(slips, 1))
    return out


def check_same(got: list[bytes], want: list[bytes]) -> None:
    """Fails with the first line that differs, because a comparison of whole lists would not show
    it."""
    for number, (a, b) in enumerate(zip(got, want)):
        assert a == b, f"line {number}"
    assert len(got) == len(want)


@real_log
def test_rows(log: Path, parser: Path) -> None:
    """darshan-parser prints each row of data as stored next to the real log."""
    got = [row for row in printed(parser, "--base", log) if row and not row.startswith(b"#")]
    with gzip.open(log.with_suffix(".rows.gz")) as file:
        want = file.read().split(b"\n")[:-1]
    # The expected rows come from a parser that was built without this module.
    got = [row for row in got if not row.startswith(b"APMPI\t")]
    check_same(got, corrected(want, ROW_SLIPS.get(log.stem, {}), b"\t", 3))


@real_log
def test_preamble(log: Path, parser: Path) -> None:
    """darshan-parser prints each value of the preamble as stored next to the real log, in the same
    order."""
    lines = printed(parser, "--perf", log)
    end = next(i for i, line in enumerate(lines) if line.startswith(HEADINGS[1]))
    end = next((i for i in range(end, len(lines)) if not lines[i]), len(lines))
    got = [
        line
        for line in lines[:end]
        if line and not line.startswith(NOT_IN_HEADER + HEADINGS) and b" module: " not in line
    ]
    check_same(got, log.with_suffix(".header").read_bytes().split(b"\n")[:-1])


@real_log
def test_totals(log: Path, parser: Path) -> None:
    """darshan-parser --total prints each total as stored next to the real log."""
    got = [row for row in printed(parser, "--total", log) if row.startswith(b"total_")]
    want = log.with_suffix(".total").read_bytes().split(b"\n")[:-1]
    check_same(got, corrected(want, TOTAL_SLIPS.get(log.stem, {}), b": ", 0))


@real_log
def test_performance(log: Path, parser: Path) -> None:
    """darshan-parser --perf prints each performance figure as stored next to the real log."""
    got = [line for line in printed(parser, "--perf", log) if line.startswith(PERF_KEYS)]
    check_same(got, log.with_suffix(".perf").read_bytes().split(b"\n")[:-1])


@real_log
def test_traces(log: Path, build: Path) -> None:
    """darshan-dxt-parser prints each segment of each trace as stored next to the real log."""
    lines = printed(build / "darshan-dxt-parser", None, log)
    got = [line for line in lines if line.startswith(b" X_")]
    expected = log.with_suffix(".dxt.gz")
    want = []
    if expected.exists():
        with gzip.open(expected) as file:
            want = file.read().split(b"\n")[:-1]
    check_same(got, want)


@real_log
def test_all_holds_the_parts(log: Path, parser: Path) -> None:
    """darshan-parser --all prints the lines that the single options print, and no other data."""
    everything = [row for row in printed(parser, "--all", log) if row and not row.startswith(b"#")]
    parts = [
        row
        for option in ("--base", "--total")
        for row in printed(parser, option, log)
        if row and not row.startswith(b"#")
    ]
    assert Counter(everything) == Counter(parts)


@pytest.mark.needs("real-logs")
def test_every_slip_belongs_to_a_log() -> None:
    """Each log for which errors are listed exists; otherwise they would never be checked."""
    names = {param.values[0].stem for param in LOGS}
    assert set(ROW_SLIPS) | set(TOTAL_SLIPS) <= names
