"""The thresholds of all diagnoses, in one table; a file may override them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from ..classes import dataclass


class LimitError(Exception):
    """A file of thresholds that cannot be used; the text has the path, the line and the reason."""


@dataclass(frozen=True)
class Limit:
    """One threshold: its value in a unit, what it decides, and where it comes from."""

    name: str
    value: float
    unit: str
    meaning: str
    source: str


_DRISHTI = "public rule set of Drishti 0.8"
_HERE = "the studies of this project"
_JUDGEMENT = "judgement: below it a change is not worth the work"

LIMITS = (
    Limit(
        "stake.share",
        0.05,
        "of run time",
        "least part of the processes' time that a problem has to cost",
        _JUDGEMENT,
    ),
    Limit(
        "stake.seconds", 0.05, "s", "least time per process that a problem has to cost", _JUDGEMENT
    ),
    Limit(
        "stake.large",
        300,
        "s",
        "time per process from which on a problem is reported, whatever its share of the run",
        _JUDGEMENT,
    ),
    Limit(
        "io.fine",
        0.05,
        "of run time",
        "share of time in I/O below which there is nothing to change",
        _JUDGEMENT,
    ),
    Limit(
        "row.share",
        0.02,
        "of run time",
        "share of time in one kind of I/O from which on it is reported, if it is also row.seconds "
        "long",
        _JUDGEMENT,
    ),
    Limit(
        "row.seconds",
        1,
        "s",
        "time per process in one kind of I/O from which on it is reported: see row.share",
        _JUDGEMENT,
    ),
    Limit(
        "rate.good",
        1 << 30,
        "bytes/s",
        "rate that one process can expect of large transfers; only the time that they take "
        "beyond it counts as lost",
        "one stream to a local disk",
    ),
    Limit(
        "rate.job",
        100 << 30,
        "bytes/s",
        "rate that all processes of a job can expect together",
        "a large parallel file system, not the largest; not used where the log shows what the "
        "job reaches",
    ),
    Limit(
        "rate.large",
        1 << 20,
        "bytes",
        "least mean transfer of the files from which the rate that a job reaches is taken",
        _JUDGEMENT,
    ),
    Limit(
        "rate.phase",
        1 << 30,
        "bytes",
        "least bytes that each process moved in such files, for their rate to be taken",
        "beyond what a page cache hides",
    ),
    Limit(
        "small.bytes",
        100 * 1024,
        "bytes",
        "a transfer up to this size is small (an edge of the size histogram)",
        f"{_DRISHTI} has 1 MiB; {_HERE}",
    ),
    Limit(
        "small.share",
        0.1,
        "of transfers",
        "share of small transfers from which on they count",
        _DRISHTI,
    ),
    Limit("operations", 1000, "calls", "fewer calls are no pattern", _DRISHTI),
    Limit(
        "alignment.share",
        0.1,
        "of transfers",
        "share of transfers that do not start on a block of the file system",
        _DRISHTI,
    ),
    Limit("random.share", 0.2, "of transfers", "share that goes backwards in the file", _DRISHTI),
    Limit(
        "switches.share",
        0.3,
        "of transfers",
        "share that changes between reading and writing",
        _JUDGEMENT,
    ),
    Limit(
        "program.seconds",
        1e-3,
        "s",
        "a program file that takes less is cheap to import",
        "30 to 200 \u00b5s on a local disk, milliseconds on a shared file system",
    ),
    Limit("again.factor", 2, "times", "how often the same bytes may be moved", _HERE),
    Limit(
        "again.mostly",
        5,
        "times",
        "from here on bytes moved again are what costs, not the size of the transfers",
        _JUDGEMENT,
    ),
    Limit(
        "training.wait",
        0.1,
        "of the epochs",
        "part of a training's epochs below which a wait for data is not worth a change",
        _JUDGEMENT,
    ),
    Limit(
        "training.again",
        16 << 20,
        "bytes in an epoch",
        "bytes that workers or ranks read of a data set after the first of them has read it; "
        "less is only an index",
        _JUDGEMENT,
    ),
    Limit(
        "faults.many",
        1000,
        "page faults",
        "fewer page faults of a process that wait for storage are no pattern",
        _JUDGEMENT,
    ),
    Limit(
        "faults.page",
        32 * 1024,
        "bytes",
        "most bytes from storage for each page fault of random access",
        "read-ahead of a sequential program brings 128 KiB or more",
    ),
    Limit(
        "faults.seconds",
        2e-4,
        "s",
        "time of a page fault that waits for storage",
        "a solid-state disk; others take longer",
    ),
    Limit("again.bytes", 1 << 20, "bytes", "least bytes moved again", _JUDGEMENT),
    Limit(
        "chunk.small",
        16 * 1024,
        "bytes",
        "a chunk below this size costs more in its index than in its data",
        "HDF5 user guide: 10 KiB to 1 MiB",
    ),
    Limit(
        "variable.factor",
        3,
        "times",
        "different bytes below a dataset for each byte of its elements: they are references",
        "a reference has 16 bytes, its value in the heap 16 and more",
    ),
    Limit("chunk.amplification", 4, "times", "bytes moved for a byte asked for", _HERE),
    Limit("flush.calls", 10, "flushes", "fewer flushes of one file are no pattern", _JUDGEMENT),
    Limit(
        "flush.bytes",
        1 << 20,
        "bytes",
        "bytes written between two flushes below which a flush costs more in calls than in bytes",
        "what takes a millisecond at a good rate",
    ),
    Limit("objects.many", 100, "objects", "fewer objects in one file are no pattern", _JUDGEMENT),
    Limit(
        "loop.item",
        2e-6,
        "s",
        "what an interpreter or a library takes for an item, besides its calls",
        "0.3 µs for a method of Python, 1.2 µs for a name in glob",
    ),
    Limit(
        "loop.open",
        1e-3,
        "s",
        "what a library takes before it opens a file, besides its calls",
        "0.3 ms in to_csv and 0.6 ms in read_csv of pandas",
    ),
    Limit(
        "conversion.rate",
        1 << 20,
        "bytes/s",
        "a library formats, parses or compresses no more slowly: what is beyond is computing",
        "lzma 1 to 2, json.dump 17, read_csv 100 MB/s",
    ),
    Limit(
        "conversion.compiled",
        4 << 20,
        "bytes/s",
        "C++ and Fortran format and parse no more slowly: what is beyond is computing",
        "11 to 25 MB/s of numbers with 8 digits, on a busy machine",
    ),
    Limit(
        "conversion.reading",
        0.25,
        "of run time",
        "the same for parsing: only the program that wrote a file can change its format",
        _JUDGEMENT,
    ),
    Limit(
        "conversion.share",
        0.1,
        "of run time",
        "time between a library's calls, in which it formats, parses or compresses, that is much",
        _JUDGEMENT,
    ),
    Limit(
        "pieces.bytes",
        512,
        "bytes",
        "a library that moves no more with each call works on items of a few values",
        "124 in Parquet with row groups of 60 rows; 4 KiB and more are pages and buffers",
    ),
    Limit(
        "pieces.seconds",
        20e-6,
        "s",
        "what a library takes for such a piece, besides its call: what is beyond is computing",
        "11 \u00b5s in Parquet with row groups of 60 rows, on a busy machine",
    ),
    Limit(
        "tables.bytes",
        64 << 20,
        "bytes",
        "tables read whole that are worth a question for the columns that are used",
        "decoded in a fifth of a second",
    ),
    Limit(
        "records.rate",
        32 << 20,
        "bytes/s",
        "Fortran moves unformatted records no more slowly: a loop that does, computes",
        "80 MB/s in records of one number, on a busy machine",
    ),
    Limit(
        "element.bytes",
        1024,
        "bytes",
        "a call on a dataset that moves no more costs more in HDF5 than in its bytes",
        "microseconds in HDF5 for each call, in the chunk cache, too",
    ),
    Limit(
        "python.seconds",
        75e-6,
        "s",
        "what h5py and netCDF4 take for an access by index, HDF5 apart",
        "50 to 150 \u00b5s, measured with both",
    ),
    Limit("grain.calls", 32, "calls", "POSIX calls for one call on a dataset", _HERE),
    Limit(
        "compression.rate",
        8 << 20,
        "bytes/s",
        "a filter that packs chunks more slowly is worth another level",
        "deflate at level 9 packs 2 to 8 MB of noisy numbers in a second, at level 1 30 to 100 MB",
    ),
    Limit(
        "compression.fast",
        32 << 20,
        "bytes/s",
        "rate at which a low level of compression packs; what is beyond is at stake",
        "deflate at level 1 with noisy numbers",
    ),
    Limit(
        "compression.gain",
        0.9,
        "of bytes",
        "stored over logical bytes above which compression gains little",
        "204 MB became 185 MB in the netCDF-4 chunk study",
    ),
    Limit("copy.factor", 4, "times", "bytes copied per byte changed", _HERE),
    Limit("copy.bytes", 1 << 20, "bytes", "least bytes copied", _JUDGEMENT),
    Limit("metadata.share", 0.3, "of I/O time", "share of I/O time in metadata calls", _JUDGEMENT),
    Limit(
        "checkpoint.bytes",
        64 << 10,
        "bytes",
        "least mean size of a checkpoint; smaller files are settings or logs",
        _JUDGEMENT,
    ),
    Limit("checkpoint.saves", 3, "saves", "fewer checkpoints have no interval", _JUDGEMENT),
    Limit(
        "checkpoint.failures",
        86_400,
        "s",
        "mean time between failures, from which the interval of checkpoints is computed",
        "an assumption: one failure a day; set that of your machine",
    ),
    Limit(
        "checkpoint.trial",
        60,
        "s",
        "a shorter run may be a trial, whose checkpoints count only if they take checkpoint.share",
        _JUDGEMENT,
    ),
    Limit(
        "checkpoint.share",
        0.1,
        "of run time",
        "share of a short run that checkpoints must take: see checkpoint.trial",
        _JUDGEMENT,
    ),
    Limit("files.small", 1 << 20, "bytes", "a file up to this size is small", _DRISHTI),
    Limit(
        "files.some",
        100,
        "files",
        "so many files are many if they are written and cost much",
        _JUDGEMENT,
    ),
    Limit("files.share", 0.1, "of run time", "metadata time of files that is much", _JUDGEMENT),
    Limit("files.many", 1000, "files", "more files are many", _JUDGEMENT),
    Limit(
        "perprocess.processes",
        1000,
        "processes",
        "from here on a file per process strains the metadata server",
        "advice of computing centres",
    ),
    Limit("opens.again", 10, "opens", "opens of one file by one process that are many", _JUDGEMENT),
    Limit(
        "open.waits",
        60,
        "s",
        "metadata time for an open that only a program at the other end of a pipe takes",
        _JUDGEMENT,
    ),
    Limit(
        "stats.again",
        100,
        "calls",
        "stat calls for one file by one process that are many",
        _JUDGEMENT,
    ),
    Limit(
        "lists.again",
        100,
        "listings",
        "listings of folders by one process that are many",
        _JUDGEMENT,
    ),
    Limit(
        "lists.entries",
        100_000,
        "entries",
        "entries that one process lists again, of however few folders",
        _JUDGEMENT,
    ),
    Limit("seeks.many", 100_000, "seeks", "fewer seeks cost nothing", _JUDGEMENT),
    Limit(
        "collective.calls",
        30,
        "calls",
        "fewer collective calls by a process are no pattern",
        _JUDGEMENT,
    ),
    Limit("collective.share", 0.5, "of transfers", "least share of collective transfers", _DRISHTI),
    Limit(
        "aggregate.bytes",
        1 << 20,
        "bytes",
        "mean POSIX transfer that collective buffering should reach",
        "default cb_buffer_size is 4 to 16 MiB",
    ),
    Limit(
        "sieving.share", 0.1, "of bytes", "bytes read below for bytes that were only written", _HERE
    ),
    Limit(
        "imbalance.share",
        0.3,
        "of the mean",
        "by how much the slowest process is above the mean, in time and in bytes",
        f"{_DRISHTI}, which takes it of the slowest",
    ),
    Limit(
        "imbalance.chance",
        5,
        "s",
        "a process that is slower than the mean by less, for the same work, may be so by chance",
        _JUDGEMENT,
    ),
    Limit(
        "byall.share",
        0.9,
        "of a file",
        "part of a file that each process reads, on average, where all read the file",
        _JUDGEMENT,
    ),
    Limit(
        "byeach.processes",
        3,
        "processes",
        "fewer processes of a program that read the same file are no pattern",
        _JUDGEMENT,
    ),
    Limit(
        "repeated.processes",
        10,
        "processes",
        "fewer processes of a program with different arguments, which read the same file or list "
        "the same folder, are no pattern",
        _JUDGEMENT,
    ),
    Limit(
        "each.processes",
        100,
        "processes",
        "fewer processes that a program starts, for a file or an item each, are no pattern",
        _JUDGEMENT,
    ),
    Limit(
        "each.files",
        4,
        "files",
        "a process that opens more files was not started for one file",
        _JUDGEMENT,
    ),
    Limit(
        "each.start",
        20e-3,
        "s",
        "a program takes no longer to start, where the log does not have its processor time",
        "1 to 10 ms on an idle or a busy machine",
    ),
    Limit(
        "each.processor",
        5e-3,
        "s",
        "processor time that a compiled program takes to start; 4 to 20 times that for an "
        "interpreter",
        "1 to 4 ms with the runtime, 20 to 60 ms for Python",
    ),
    Limit(
        "oneprocess.share",
        0.9,
        "of bytes",
        "share of the bytes from which on one process moves them alone",
        _JUDGEMENT,
    ),
    Limit(
        "oneprocess.read",
        256 << 20,
        "bytes",
        "up to this much one process may read for all, and send it to them",
        "what a broadcast takes a fraction of a second for",
    ),
    Limit(
        "oneprocess.waited",
        16 << 20,
        "bytes",
        "the same, if the log shows that the others wait meanwhile (see ranks-wait-for-io)",
        "settings and tables; what each process needs a part of is larger",
    ),
    Limit(
        "calls.many",
        100_000,
        "calls",
        "from here on what a program does around each call may take longer than the calls",
        "0.2 to 10 µs each, by language",
    ),
    Limit(
        "stream.calls",
        100,
        "calls",
        "fewer times that a stream went to the file are no pattern",
        _JUDGEMENT,
    ),
    Limit("stream.buffer", 4096, "bytes", "buffer that the C library gives a stream", "glibc"),
    Limit(
        "stream.latency",
        30e-6,
        "s",
        "a call that takes less was answered from memory: fewer of them gain little",
        _HERE,
    ),
    Limit(
        "sync.calls", 100, "calls", "fewer calls of fsync and the like are no pattern", _JUDGEMENT
    ),
    Limit("sync.share", 0.3, "of I/O time", "share of I/O time in fsync and the like", _JUDGEMENT),
    Limit(
        "lock.share",
        0.05,
        "of run time",
        "least part of the run that a process has to wait for locks of one file",
        _JUDGEMENT,
    ),
    Limit(
        "lock.call",
        50e-6,
        "s",
        "mean time of a call that sets or releases a lock below which it waited for nobody",
        "1 \u00b5s on a local file system; a turn with another process takes milliseconds",
    ),
    Limit(
        "waiting.share",
        0.3,
        "of HDF5 time",
        "share of time in calls on HDF5 files that is waiting in MPI",
        _HERE,
    ),
    Limit(
        "waiting.mpiio",
        0.7,
        "of MPI-IO time",
        "share of time in MPI-IO calls that is not in POSIX calls below",
        _JUDGEMENT,
    ),
    Limit(
        "targets.factor",
        3,
        "times",
        "how much longer a byte may take on one storage target than on most",
        "a failing target of a public log is 40 times as slow",
    ),
    Limit(
        "targets.files",
        3,
        "files",
        "fewer files on a storage target say little about it",
        _JUDGEMENT,
    ),
    Limit(
        "unseen.share",
        0.05,
        "of bytes",
        "mapped bytes per byte transferred from which on they are reported",
        _JUDGEMENT,
    ),
    Limit(
        "slowing.factor",
        3,
        "times",
        "by how much the rate may fall from the first to the last third of the traffic",
        "a keyed file stays flat up to 7.2 GB",
    ),
)


class Limits(Mapping[str, float]):
    """The thresholds by name, with the values that a file changed."""

    def __init__(self, changed: Mapping[str, float] | None = None) -> None:
        self._rows = {limit.name: limit for limit in LIMITS}
        self._changed = dict(changed or {})
        # A dict, because the rules look up several hundred values for each log.
        self._values = {name: row.value for name, row in self._rows.items()}
        self._values.update((n, v) for n, v in self._changed.items() if n in self._rows)

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, name: str) -> Limit:
        """Returns the row of a threshold with the value in force."""
        row = self._rows[name]
        if name not in self._changed:
            return row
        return Limit(name, self[name], row.unit, row.meaning, "changed by the user")


def read_limits(path: str | os.PathLike[str]) -> Limits:
    """Reads thresholds from lines `name = number`; raises LimitError with path and line."""
    known = {limit.name for limit in LIMITS}
    changed: dict[str, float] = {}
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                text = line.partition("#")[0].strip()
                if not text:
                    continue
                name, equals, value = (part.strip() for part in text.partition("="))
                if not equals or name not in known:
                    raise LimitError(
                        f"{os.fspath(path)}:{number}: there is no threshold {name}; "
                        "--list-thresholds prints all"
                    )
                try:
                    changed[name] = float(value)
                except ValueError:
                    raise LimitError(
                        f"{os.fspath(path)}:{number}: {value!r} is not a number"
                    ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise LimitError(f"{os.fspath(path)}: {error}") from None
    return Limits(changed)
