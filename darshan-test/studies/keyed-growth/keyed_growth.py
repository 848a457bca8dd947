"""Measures whether the cost of adding a record to a file with keys (a table of SQLite with nine
indexes) depends on the size of the file, and why."""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from instrumented import Counters, Lab, Run, print_table

# Bytes of a record, including nine keys of 30 bytes.
RECORD = 998
BATCHES = 14
# Records of a batch, as in the source.
FULL = 305_000
SMALL = FULL // 50
# SQLite's default cache in KiB.
DEFAULT_CACHE = 2000  # KiB, SQLite's default
# By records of a batch: KiB of cache that hold all pages of the file.
ROOM = {SMALL: 256 << 10, FULL: 4 << 20}
# Offset in bytes behind which a file with empty tables has no content.
FRONT = 1 << 20
# Offset in bytes from which the sparse file grows.
HOLE_END = (4 << 30) + (1 << 20)


@dataclass
class Batch:
    """The numbers that `grow` printed about one batch of records."""

    number: int
    begun: float  # seconds since the epoch
    seconds: float
    size: int  # bytes of the file after the batch


@dataclass
class Traffic:
    """The bytes and calls of one process, according to the kernel or a log, without those of its
    output."""

    bytes_read: float
    bytes_written: float
    reads: float
    writes: float


@dataclass
class Growth:
    """The measurements of all batches, without and with the runtime, added by one process, or each
    by a separate process."""

    bare: list[Batch]  # without the runtime
    ours: list[Batch]  # with the runtime
    kernel: list[Traffic]  # by the kernel, for each process without the runtime
    counters: list[dict[str, Counters]]  # for each log: of POSIX, by the file's name
    logs: list[Path]
    cpu: float  # processor time with the runtime, divided by that without


def batches(run: Run) -> list[Batch]:
    """Parses the batches from the output of `grow`. Returns them in order."""
    words, found = run.words, []
    for at in range(0, len(words), 5):
        if words[at] == "batch":
            number, begun, seconds, size = words[at + 1 : at + 5]
            found.append(Batch(int(number), float(begun), float(seconds), int(size)))
    return found


def kernel_traffic(run: Run) -> Traffic:
    """Parses the kernel's counts from the last line of the output of `grow`. Raises RuntimeError if
    the kernel does not count."""
    if run.words[-5] != "kernel":
        raise RuntimeError("this kernel does not count I/O of processes (/proc/self/io)")
    return Traffic(*map(float, run.words[-4:]))


def logged_traffic(counters: dict[str, Counters]) -> Traffic:
    """Returns the traffic of all files in a log, that is of the database and its journal. counters:
    of POSIX, by file."""

    def total(counter: str) -> float:
        return sum(file[counter] for file in counters.values())

    return Traffic(*map(total, ("BYTES_READ", "BYTES_WRITTEN", "READS", "WRITES")))


def put_hole(path: Path, end: int) -> None:
    """Changes the header of an SQLite file so that the file seems to have pages up to offset `end`,
    which do not exist; new pages are allocated behind them.

    The header has the number of pages at byte 28. It is valid because no other program than its
    writer has changed the file."""
    with path.open("r+b") as stream:
        stream.seek(16)
        page = int.from_bytes(stream.read(2), "big")
        stream.seek(28)
        stream.write((end // page).to_bytes(4, "big"))
        stream.truncate(end)


def digest_around_hole(path: Path, end: int) -> str:
    """Returns a digest of a file's bytes, without those between FRONT and `end`, the end of the
    hole; 0: the file has no hole."""
    hashed = hashlib.sha256()
    with path.open("rb") as stream:
        hashed.update(stream.read(FRONT if end else -1))
        if end:
            stream.seek(end)
            while block := stream.read(1 << 20):
                hashed.update(block)
    return hashed.hexdigest()


@dataclass
class Study:
    """Lets a file with keys grow by batches of records, without and with the runtime."""

    lab: Lab
    records: int  # of a batch
    cache: int = DEFAULT_CACHE  # KiB
    hole: int = 0  # offset of the end of a hole in the file; 0: no hole
    batches: int = BATCHES

    def make(self, name: str) -> Path:
        """Makes the database with empty tables, and with the hole if the study has one. Returns its
        path."""
        path = self.lab.folder / name
        path.unlink(missing_ok=True)
        self.lab.run(self.command(path, 0, 0), instrumented=False)
        if self.hole:
            put_hole(path, self.hole)
        return path

    def command(self, path: Path, first: int, count: int) -> list[str]:
        """Returns the command of `grow` that adds `count` batches, beginning with batch number
        `first`."""
        program = self.lab.program("keyed-growth/grow")
        return [program, str(path), str(first), str(count), str(self.records), str(self.cache)]

    def grow(self, per_process: int) -> Growth:
        """Adds all batches without and with the runtime, `per_process` batches in each process.
        Returns the measurements. Fails if the runtime changes the file."""
        runs: dict[bool, list[Run]] = {}
        left = {}
        for instrumented in (False, True):
            path = self.make("keyed.db")
            runs[instrumented] = [
                self.lab.run(self.command(path, first, per_process), instrumented=instrumented)
                for first in range(0, self.batches, per_process)
            ]
            left[instrumented] = digest_around_hole(path, self.hole)
            path.unlink()
        if left[True] != left[False]:
            raise RuntimeError("the file differs under instrumentation")
        logs = [run.log for run in runs[True] if run.log]
        return Growth(
            bare=[batch for run in runs[False] for batch in batches(run)],
            ours=[batch for run in runs[True] for batch in batches(run)],
            kernel=[kernel_traffic(run) for run in runs[False]],
            counters=[self.lab.counters(log) for log in logs],
            logs=logs,
            cpu=sum(run.cpu for run in runs[True]) / sum(run.cpu for run in runs[False]),
        )


@dataclass
class Heat:
    """The heat map in the log of one process: bytes that POSIX moved in each bin, over time."""

    width: float  # of a bin, in seconds
    read: list[float]  # bytes of each bin
    written: list[float]

    def between(self, start: float, end: float) -> tuple[float, float]:
        """Returns the bytes read and the bytes written between two times, in seconds since the
        start of the run; bins that are partly inside count in proportion."""

        def part(bins: list[float]) -> float:
            shares = (
                max(0.0, min(end / self.width, i + 1) - max(start / self.width, i))
                for i in range(len(bins))
            )
            return sum(share * amount for share, amount in zip(shares, bins))

        return part(self.read), part(self.written)


def heat_of(lab: Lab, log: Path) -> Heat:
    """Returns the heat map of POSIX in a log, read from the rows of darshan-parser."""
    counters = lab.counters(log, "HEATMAP")["heatmap:POSIX"]

    def bins(kind: str) -> list[float]:
        count = sum(name.startswith(f"{kind}_BIN_") for name in counters)
        return [counters[f"{kind}_BIN_{i}"] for i in range(count)]

    return Heat(counters["F_BIN_WIDTH_SECONDS"], bins("READ"), bins("WRITE"))


def heat_rows(growth: Growth, heat: Heat) -> Iterator[list[str]]:
    """Yields a row of text for each batch of one process: its times, and the bytes of the heat map
    during it. The heat map's time 0, the process's start, is taken as the begin of the first
    batch."""
    start = growth.ours[0].begun
    for batch in growth.ours:
        begun = batch.begun - start
        read, written = heat.between(begun, begun + batch.seconds)
        yield [
            str(batch.number + 1),
            f"{begun:.2f}",
            f"{batch.seconds:.2f}",
            f"{read / 1e6:,.0f}",
            f"{written / 1e6:,.0f}",
            f"{(read + written) / 1e6 / batch.seconds:,.0f}",
        ]


def slope(found: list[Batch]) -> float:
    """Returns the mean time of the last four batches, divided by that of the four in the middle; 1
    means that the cost does not grow."""
    half = len(found) // 2
    middle = found[half - 2 : half + 2]
    return mean(b.seconds for b in found[-4:]) / mean(b.seconds for b in middle)


def batch_rows(growth: Growth, records: int) -> Iterator[list[str]]:
    """Yields a row of text for each batch: its time per record, and the numbers of its log.
    records: in a batch."""
    for bare, ours, counters in zip(growth.bare, growth.ours, growth.counters):
        moved, file = logged_traffic(counters), counters["keyed.db"]
        yield [
            str(bare.number + 1),
            f"{bare.size / 1e6:,.0f}",
            f"{1e6 * bare.seconds / records:.1f}",
            f"{1e6 * ours.seconds / records:.1f}",
            f"{moved.bytes_read / records:,.0f}",
            f"{moved.bytes_written / records:,.0f}",
            f"{moved.reads / records:.1f}",
            f"{moved.writes / records:.1f}",
            f"{(file['F_READ_TIME'] + file['F_WRITE_TIME']) * 1e6 / records:.1f}",
            f"{file['MAX_BYTE_WRITTEN']:,.0f}",
        ]


BATCH_HEAD = (
    "batch",
    "file, MB",
    "µs per record",
    "instrumented",
    "bytes read",
    "written",
    "reads",
    "writes",
    "µs in POSIX",
    "POSIX_MAX_BYTE_WRITTEN",
)


def report(lab: Lab, records: int, hole: int) -> None:
    """Measures the cases of the study, and prints its tables."""
    study = Study(lab, records, hole=hole)
    apart = study.grow(1)
    print(f"A process and a log per batch of {records:,} records of {RECORD} bytes, nine keys,")
    print(f"cache of {DEFAULT_CACHE} KiB; source: as long for each batch, up to 7.2 GB\n")
    print_table(BATCH_HEAD, list(batch_rows(apart, records)))
    print(f"last four batches over the middle four: {slope(apart.bare):.2f} times as long")
    print(f"processor time, instrumented over bare: {apart.cpu:.3f}\n")
    rows, heat = [], []
    for cache in (DEFAULT_CACHE, ROOM[records]):
        growth = Study(lab, records, cache, hole).grow(BATCHES)
        heat = heat or list(heat_rows(growth, heat_of(lab, growth.logs[0])))
        moved = logged_traffic(growth.counters[0])
        asked = RECORD * records * BATCHES
        rows.append(
            [
                f"{cache / 1024:,.0f} MiB",
                f"{sum(b.seconds for b in growth.bare):.2f}",
                f"{sum(b.seconds for b in growth.ours):.2f}",
                f"{slope(growth.bare):.2f}",
                f"{moved.bytes_read / asked:.2f}",
                f"{moved.bytes_written / asked:.2f}",
                f"{growth.cpu:.3f}",
            ]
        )
    print("All batches in one process: the problem, a small cache, and its cure\n")
    head = ("cache", "seconds", "instrumented", "last / middle")
    print_table((*head, "read per byte added", "written per byte added", "processor time"), rows)
    print("The first of these two over time, from the heat map of its log\n")
    print_table(("batch", "begins, s", "takes, s", "MB read", "MB written", "MB/s"), heat)


def main() -> None:
    """Runs the study as the command line says."""
    options = argparse.ArgumentParser(description=__doc__)
    size = options.add_mutually_exclusive_group()
    size.add_argument("--small", action="store_true", help="a fiftieth of the source [this]")
    size.add_argument(
        "--full", action="store_true", help="as many records as the source: 8 GB of disk"
    )
    options.add_argument("--hole", action="store_true", help="begin behind a hole of 4 GiB")
    options.add_argument("--out", type=Path, help="where to work [a new folder, removed]")
    options.add_argument("--build", type=Path, default=os.environ.get("DARSHAN_BUILD"))
    chosen = options.parse_args()
    if not chosen.build:
        options.error("name the build folder by --build or DARSHAN_BUILD")
    if chosen.out:
        chosen.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="keyed-growth.", dir=chosen.out) as folder:
        lab = Lab(Path(chosen.build).resolve(), Path(folder).resolve())
        report(lab, FULL if chosen.full else SMALL, HOLE_END if chosen.hole else 0)
