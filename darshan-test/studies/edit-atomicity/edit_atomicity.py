"""Measures the cost of protecting an HDF5 file while h5edit adds nine small attributes, and finds
the reason for this cost."""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import statistics
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from instrumented import Counters, Lab, print_table

HERE = Path(__file__).resolve().parent
# The commands that add nine attributes.
NINE = HERE / "nine.h5edit"
# Levels of protection: no backup, one backup, a backup before each command, a journal of
# overwritten bytes.
LEVELS = ("no", "yes", "inc", "delta")
# Sizes of files in megabytes, as in the source.
SMALL = (15, 38, 76)
FULL = (*SMALL, 123, 310, 549, 2200)
# The programs store all metadata before this offset in bytes, so edits overwrite nothing behind it.
METADATA = 1 << 20
# Suffixes of the files that h5edit writes next to the file.
BACKUP_SUFFIXES = (".bck-new", ".undo")
# The known value of the source's table (H5edit with Backup Virtual File Driver, Atomicity
# Performance Study, 2014): the ratio of nine backups to one.
SOURCE_INC_YES = 9


def backup_names(name: str) -> list[str]:
    """Returns the names of the files that h5edit may write next to a file. name: of the file."""
    return [f".{name}{suffix}" for suffix in BACKUP_SUFFIXES]


@dataclass
class Measured:
    """Results for one input file and level of protection: times, and counters of the log. Processor
    times are in seconds, one per run; runs without and with the runtime alternate."""

    seconds: float  # seconds of the whole program without the runtime, minimum over the runs
    bare: list[float]  # processor time without the runtime
    instrumented: list[float]  # processor time with the runtime
    counters: dict[str, Counters]  # of POSIX, by the file's name without its folder

    def total(self, counter: str) -> float:
        """Returns the sum of a counter over all files of the log."""
        return sum(file.get(counter, 0) for file in self.counters.values())


@dataclass
class Study:
    """Edits files of several sizes by h5edit, without and with the runtime."""

    lab: Lab
    options: Sequence[str] = ()  # of h5edit
    sizes: Sequence[int] = field(default=SMALL)  # of the files, in megabytes

    def make(self, name: str, size: int) -> Path:
        """Makes an HDF5 file of about `size` bytes in the lab's folder, and syncs it. Returns its
        path."""
        path = self.lab.folder / name
        maker = self.lab.program("edit-atomicity/make-file")
        self.lab.run([maker, path, str(size)], instrumented=False)
        with path.open("rb") as stream:  # or the first edit that syncs pays for its making
            os.fsync(stream.fileno())
        return path

    def command(self, level: str, path: Path, commands: Path = NINE) -> list[str]:
        """Returns the command of h5edit for a level of protection (no, yes, inc or delta).
        commands: the file with the edits."""
        editor = self.lab.program("edit-atomicity/h5edit")
        return [editor, "--atomic", level, *self.options, str(path), str(commands)]

    def pair(self, path: Path, level: str, *, bare_first: bool = True) -> Measured:
        """Runs the edit without and with the runtime, each time on the same bytes, and measures
        both. bare_first: the order. Raises RuntimeError if they leave different bytes."""
        head, size = read_front(path), path.stat().st_size
        runs, left = {}, {}
        for instrumented in (not bare_first, bare_first):
            runs[instrumented] = self.lab.run(self.command(level, path), instrumented=instrumented)
            left[instrumented] = changed(path, size)
            reset(path, head, size)
        if left[True] != left[False]:
            raise RuntimeError(f"{path.name}, {level}: the file differs under instrumentation")
        log = runs[True].log
        assert log
        counters = self.lab.counters(log)
        log.unlink()
        return Measured(runs[False].seconds, [runs[False].cpu], [runs[True].cpu], counters)

    def table(self, rounds: int) -> dict[tuple[int, str], Measured]:
        """Measures all sizes and levels `rounds` times, in turn. Returns, by size in MB and level,
        the shortest time, and the processor times of all runs, which `added` needs."""
        best: dict[tuple[int, str], Measured] = {}
        for size in self.sizes:
            path = self.make("edited.h5", size * 1_000_000)
            for i in range(rounds):
                for level in LEVELS:
                    new = self.pair(path, level, bare_first=i % 2 == 0)
                    old = best.setdefault((size, level), new)
                    if old is not new:
                        old.seconds = min(old.seconds, new.seconds)
                        old.bare += new.bare
                        old.instrumented += new.instrumented
            path.unlink()
        return best


def read_front(path: Path) -> bytes:
    """Returns the first METADATA bytes of a file, which include all that an edit overwrites."""
    with path.open("rb") as stream:
        return stream.read(METADATA)


def changed(path: Path, size: int) -> str:
    """Returns a digest of all bytes that an edit may have changed: the first METADATA bytes, and
    those after `size`, the file's size before the edit."""
    with path.open("rb") as stream:
        front = stream.read(METADATA)
        stream.seek(size)
        return hashlib.sha256(front + stream.read()).hexdigest()


def reset(path: Path, head: bytes, size: int) -> None:
    """Undoes an edit: writes `head` to the beginning of the file and truncates it to `size`, which
    needs no copy of the whole file."""
    with path.open("r+b") as stream:
        stream.write(head)
        stream.truncate(size)


def added(measured: Iterable[Measured]) -> tuple[float, float]:
    """Returns the processor time that the runtime adds, and its standard error, both as fractions
    of the time without the runtime. Each round gives one difference, the sum over all results. The
    result is the median of the differences; its error follows from the range of their middle
    half."""
    runs = list(measured)
    bare = [sum(round_) for round_ in zip(*(m.bare for m in runs))]
    with_us = [sum(round_) for round_ in zip(*(m.instrumented for m in runs))]
    differences = [b - a for a, b in zip(bare, with_us)]
    whole = statistics.median(bare)
    if len(differences) < 2:
        return differences[0] / whole, math.inf
    low, _, high = statistics.quantiles(differences, n=4, method="inclusive")
    error = 0.93 * (high - low) / math.sqrt(len(differences))
    return statistics.median(differences) / whole, error / whole


def share_and_error(measured: Iterable[Measured]) -> str:
    """Returns the result of added() as text."""
    share, error = added(measured)
    return f"{100 * share:+.1f} %" + (f" +- {100 * error:.1f}" if math.isfinite(error) else "")


def time_rows(best: dict[tuple[int, str], Measured]) -> Iterator[list[str]]:
    """Yields a row of text for each size: the seconds of each level, their ratios, and what the
    runtime adds."""
    for size in sorted({size for size, _ in best}):
        of = {level: best[size, level] for level in LEVELS}
        ratios = [("yes", "no"), ("inc", "no"), ("inc", "yes"), ("delta", "no")]
        yield [
            f"{size} MB",
            *(f"{1000 * of[level].seconds:.1f} ms" for level in LEVELS),
            *(f"{of[a].seconds / of[b].seconds:.1f}" for a, b in ratios),
            share_and_error(of.values()),
        ]


def cause_rows(best: dict[tuple[int, str], Measured]) -> Iterator[list[str]]:
    """Yields a row of text for each size: megabytes read and written at each level."""
    for size in sorted({size for size, _ in best}):
        cells = [f"{size} MB"]
        for level in LEVELS:
            read, written = (
                best[size, level].total(f"BYTES_{what}") for what in ("READ", "WRITTEN")
            )
            cells.append(f"{read / 1e6:.3f} / {written / 1e6:.3f}")
        yield cells


def report(study: Study, rounds: int) -> None:
    """Measures the cases of the study, and prints its tables."""
    best = study.table(rounds)
    print(f"Nine commands, least of {rounds} runs; inc/yes of the source: near {SOURCE_INC_YES}")
    print("(what the runtime adds: processor time over the row, middle of pairs, standard error)\n")
    ratios = ("yes/no", "inc/no", "inc/yes", "delta/no")
    print_table(("file", *LEVELS, *ratios, "runtime adds"), list(time_rows(best)))
    print(f"The runtime adds to all of it: {share_and_error(best.values())}\n")
    print("Megabytes read / written (POSIX_BYTES_READ / POSIX_BYTES_WRITTEN, all files)\n")
    print_table(("file", *LEVELS), list(cause_rows(best)))


def main() -> None:
    """Runs the study as the command line says."""
    options = argparse.ArgumentParser(description=__doc__)
    size = options.add_mutually_exclusive_group()
    size.add_argument("--small", action="store_true", help="files up to 76 MB [this]")
    size.add_argument("--full", action="store_true", help="files up to 2,200 MB")
    options.add_argument("--out", type=Path, help="where to work [a new folder, removed]")
    options.add_argument("--build", type=Path, default=Path.cwd(), help="top of the build folder")
    options.add_argument("--rounds", type=int, default=3, help="runs of everything [3]")
    options.add_argument("--no-sync", action="store_true", help="h5edit does not call fsync")
    chosen = options.parse_args()
    if chosen.out:
        chosen.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="edit-atomicity.", dir=chosen.out) as folder:
        lab = Lab(chosen.build.resolve(), Path(folder).resolve())
        sync = ("--no-sync",) if chosen.no_sync else ()
        report(Study(lab, sync, FULL if chosen.full else SMALL), chosen.rounds)
