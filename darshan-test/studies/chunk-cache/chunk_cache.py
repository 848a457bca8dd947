"""Measures how slow reads of a compressed variable are if the chunk cache has no room for a chunk:
the cases, a run of each without and with the runtime, and the table of results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from instrumented import Counters, Lab, Run

MIB = 1 << 20
VARIABLE = "temperature"
# Cache sizes of the source in bytes, where "source" is the published measurement that the study
# repeats. The source prints MiB: 1.0, 15.3, 33.4 and 64.8.
CACHES = (1 << 20, 16_000_000, 35_000_000, 68_000_000)
# Stands for the cache size that the library chooses.
OWN = 0
# Chunk lengths in time, latitude and longitude of the compressed files.
COMPRESSED = ((64, 128, 256), (256, 128, 256))
# Chunk lengths of the files that are not compressed.
PLAIN = tuple((steps, 64, 128) for steps in (4, 8, 16, 32, 64))
# Microseconds per later horizontal slice in the source, by steps per chunk and cache.
SOURCE = {
    (64, CACHES[0]): 211_280,
    (64, CACHES[1]): 4_558,
    (256, CACHES[0]): 850_607,
    (256, CACHES[3]): 3_562,
}


@dataclass(frozen=True)
class Size:
    """The size of the study: the length of the variable in time steps, and the numbers of slices
    and of time series to read. FULL reads the slices of whole chunks, so that mean times can be
    compared."""

    steps: int
    slices: int
    series: int


SMALL = Size(steps=256, slices=16, series=1)
FULL = Size(steps=1560, slices=512, series=4)


@dataclass(frozen=True)
class Case:
    """A file layout, the library that reads it, and a size of the chunk cache."""

    library: str  # hdf5 or netcdf
    chunk: tuple[int, int, int]
    level: int  # deflate level, 0: not compressed
    cache: int  # bytes

    @property
    def file(self) -> str:
        """Returns the name of the file that has this layout."""
        return "-".join(map(str, (*self.chunk, self.level))) + ".nc"


# Pairs of a problem and its fix: through HDF5 itself, and with netCDF's own fix.
PROBLEMS = [
    (Case("hdf5", COMPRESSED[0], 1, CACHES[0]), Case("hdf5", COMPRESSED[0], 1, CACHES[1])),
    (Case("hdf5", COMPRESSED[1], 1, CACHES[0]), Case("hdf5", COMPRESSED[1], 1, CACHES[3])),
    (Case("netcdf", COMPRESSED[0], 1, CACHES[0]), Case("netcdf", COMPRESSED[0], 1, OWN)),
    (Case("netcdf", COMPRESSED[1], 1, CACHES[0]), Case("netcdf", COMPRESSED[1], 1, OWN)),
]


def cases(everything: bool) -> list[Case]:
    """Returns the cases to measure: the problems and their repaired versions or, if `everything`,
    also all combinations that the source of the study measured."""
    pairs = [case for pair in PROBLEMS for case in pair]
    if not everything:
        return pairs
    compressed = [Case("hdf5", chunk, 1, cache) for chunk in COMPRESSED for cache in CACHES]
    plain = [Case("hdf5", chunk, 0, cache) for chunk in PLAIN for cache in CACHES]
    return compressed + [case for case in pairs if case.library == "netcdf"] + plain


@dataclass
class Measured:
    """The results of a case that was read without and with the runtime: what the reader printed,
    and the counters of the log."""

    case: Case
    bare: dict[str, float]  # the reader's output without the runtime, see numbers()
    ours: dict[str, float]  # with the runtime
    same: bool  # whether all output except times is equal
    posix: Counters  # of the file
    dataset: Counters  # H5D
    layers: Counters  # the calls below those of the dataset

    @property
    def read(self) -> float:
        """Returns the bytes that were read from the file system, according to POSIX_BYTES_READ."""
        return self.posix["BYTES_READ"]

    @property
    def read_again(self) -> float:
        """Returns how often each byte of the dataset that was read was read on average; 1 is
        once."""
        moved = self.layers["READ_POSIX_BYTES_READ"]
        # Scattered small reads are stored as ranges: gaps count as read, up to this error.
        return moved / min(moved, self.layers["DISTINCT_BYTES_READ"])


def numbers(run: Run) -> dict[str, float]:
    """Returns the numbers that a reader printed, by name; names that end in _us have
    microseconds."""
    return dict(zip(run.words[::2], map(float, run.words[1::2])))


def results(run: Run) -> list[tuple[str, str]]:
    """Returns the names and numbers that a reader printed, in order, without the times."""
    pairs = zip(run.words[::2], run.words[1::2])
    return [(name, value) for name, value in pairs if not name.endswith("_us")]


@dataclass
class Study:
    """Measures cases of the study in a lab, with files of one size."""

    lab: Lab
    size: Size

    def write(self, case: Case) -> Path:
        """Writes the file of a case without the runtime, unless it exists. Returns its path."""
        path = self.lab.folder / case.file
        if not path.exists():
            partial = path.with_suffix(".partial")
            layout = map(str, (self.size.steps, *case.chunk, case.level))
            program = self.lab.program("chunk-cache/write-field")
            self.lab.run([program, partial, *layout], instrumented=False)
            partial.rename(path)
        return path

    def command(self, case: Case) -> list[str]:
        """Returns the command that reads the file of a case, which is written if it does not
        exist."""
        amounts = map(str, (case.cache, self.size.slices, self.size.series))
        program = self.lab.program(f"chunk-cache/read-{case.library}")
        return [program, str(self.write(case)), *amounts]

    def measure(self, case: Case) -> Measured:
        """Reads the file of a case without, then with the runtime. Returns the results of both."""
        path = self.write(case)
        command = self.command(case)
        bare = self.lab.run(command, instrumented=False)
        ours = self.lab.run(command, instrumented=True)
        assert ours.log
        return Measured(
            case,
            numbers(bare),
            numbers(ours),
            results(bare) == results(ours),
            self.lab.counters(ours.log)[path.name],
            self.lab.counters(ours.log, "H5D")[VARIABLE],
            self.lab.counters(ours.log, "LAYERS")[VARIABLE],
        )


HEAD = (
    "through",
    "chunk",
    "deflate",
    "cache, MiB",
    "first slice, µs",
    "later slices, µs",
    "instrumented",
    "source",
    "series, µs",
    "instrumented",
    "asked, MB",
    "POSIX read, MB",
    "factor",
    "POSIX reads",
    "read again",
)


def row(measured: Measured) -> list[str]:
    """Returns a row of the table of results for a case, as cells of text."""
    case, bare, ours = measured.case, measured.bare, measured.ours
    source = SOURCE.get((case.chunk[0], case.cache)) if case.level else None
    return [
        case.library,
        "×".join(map(str, case.chunk)),  # noqa: RUF001
        str(case.level or "no"),
        f"{bare['cache'] / MIB:.1f}" + (" (own)" if case.cache == OWN else ""),
        f"{bare['slice_first_us']:,.0f}",
        f"{bare['slice_later_us']:,.0f}",
        f"{ours['slice_later_us']:,.0f}",
        f"{source:,}" if source else "",
        f"{bare['series_later_us']:,.0f}",
        f"{ours['series_later_us']:,.0f}",
        f"{ours['asked'] / 1e6:,.1f}",
        f"{measured.read / 1e6:,.1f}",
        f"{measured.read / ours['asked']:.2f}",
        f"{measured.posix['READS']:,.0f}",
        f"{measured.read_again:.1f}",
    ]


def mean_slice(result: dict[str, float], size: Size) -> float:
    """Returns the mean microseconds per slice, including the first slice, which has to read its
    chunk. result: numbers that the reader printed."""
    later = result["slice_later_us"] * (size.slices - 1)
    return (result["slice_first_us"] + later) / size.slices


COMPARISON = (
    "through",
    "steps per chunk",
    "mean slice, problem / cure",
    "source",
    "POSIX read, problem / cure",
)


def comparison(measured: dict[Case, Measured], size: Size) -> list[list[str]]:
    """Returns rows, as cells of text, of a table that compares each problem with its repaired
    version: the ratio of times here and in the source ("" if the source has none), and the ratio of
    bytes read."""
    rows = []
    for problem, cure in PROBLEMS:
        a, b = measured[problem], measured[cure]
        ratio = mean_slice(a.bare, size) / mean_slice(b.bare, size)
        steps = problem.chunk[0]
        known = [SOURCE.get((steps, case.cache)) for case in (problem, cure)]
        rows.append(
            [
                problem.library,
                str(steps),
                f"{ratio:,.0f}",
                f"{known[0] / known[1]:.0f}" if known[0] and known[1] else "",
                f"{a.read / b.read:.1f}",
            ]
        )
    return rows


def overhead(measured: dict[Case, Measured]) -> str:
    """Returns text on the processor time with the runtime relative to that without: the median of
    the cases' ratios, and the ratio of the sums over all cases."""
    times = [(r.bare["processor_us"], r.ours["processor_us"]) for r in measured.values()]
    middle = median(ours / bare for bare, ours in times)
    total = sum(ours for _, ours in times) / sum(bare for bare, _ in times)
    return f"processor time, instrumented / bare: {middle:.4f} (middle), {total:.4f} (sum)"
