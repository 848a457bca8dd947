"""The I/O layers that a log can show, from the application downwards. Each row has the counters of
each kind of operation. A test looks up every name in the C tables."""

from __future__ import annotations

from ...classes import dataclass


@dataclass(frozen=True)
class Layer:
    """A module as a layer of I/O: its name, the prefix and names of its counters, its title in
    reports, and the kinds of its operations."""

    module: str  # printed name
    prefix: str  # prefix of its counters
    title: str
    things: str  # what a record represents, in the plural
    # For each kind of operation: its label, and the counters whose sum, minus those of the third
    # element, is its number; without the prefix.
    operations: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    rated: bool = False  # darshan-parser --perf gives a rate for it
    base: bool = False  # a lowest layer: its bytes do not pass through another base layer
    size_names: str = ""  # its size histograms: SIZE_READ_<this>0_100 ...

    def counter(self, name: str) -> str:
        """Returns the full name of a counter of this layer, "POSIX_READS" for "READS"."""
        return f"{self.prefix}_{name}"


LAYERS = (
    Layer(
        "H5D",
        "H5D",
        "HDF5 datasets",
        "datasets",
        (
            ("open", ("OPENS",), ()),
            ("read", ("READS",), ()),
            ("write", ("WRITES",), ()),
            ("flush", ("FLUSHES",), ()),
        ),
        size_names="AGG_",
    ),
    Layer(
        "H5F", "H5F", "HDF5 files", "files", (("open", ("OPENS",), ()), ("flush", ("FLUSHES",), ()))
    ),
    Layer(
        "PNETCDF_VAR",
        "PNETCDF_VAR",
        "PnetCDF variables",
        "variables",
        (
            ("open", ("OPENS",), ()),
            ("independent read", ("INDEP_READS",), ()),
            ("independent write", ("INDEP_WRITES",), ()),
            ("collective read", ("COLL_READS",), ()),
            ("collective write", ("COLL_WRITES",), ()),
            ("non-blocking read", ("NB_READS",), ()),
            ("non-blocking write", ("NB_WRITES",), ()),
        ),
        size_names="AGG_",
    ),
    Layer(
        "PNETCDF_FILE",
        "PNETCDF_FILE",
        "PnetCDF files",
        "files",
        (
            ("create", ("CREATES",), ()),
            ("open", ("OPENS",), ()),
            ("redefine", ("REDEFS",), ()),
            ("wait", ("INDEP_WAITS", "COLL_WAITS"), ()),
            ("sync", ("SYNCS",), ()),
        ),
    ),
    Layer(
        "MPI-IO",
        "MPIIO",
        "MPI-IO",
        "files",
        (
            ("open", ("INDEP_OPENS", "COLL_OPENS"), ()),
            ("independent read", ("INDEP_READS",), ()),
            ("independent write", ("INDEP_WRITES",), ()),
            ("collective read", ("COLL_READS",), ()),
            ("collective write", ("COLL_WRITES",), ()),
            ("split read", ("SPLIT_READS",), ()),
            ("split write", ("SPLIT_WRITES",), ()),
            ("non-blocking read", ("NB_READS",), ()),
            ("non-blocking write", ("NB_WRITES",), ()),
            ("view", ("VIEWS",), ()),
            ("sync", ("SYNCS",), ()),
        ),
        rated=True,
        size_names="AGG_",
    ),
    Layer(
        "DFS",
        "DFS",
        "DAOS files (DFS)",
        "files",
        (
            ("open", ("OPENS", "GLOBAL_OPENS"), ()),
            ("lookup", ("LOOKUPS",), ()),
            ("read", ("READS", "READXS"), ()),
            ("write", ("WRITES", "WRITEXS"), ()),
            ("stat", ("STATS", "GET_SIZES"), ()),
            ("remove", ("REMOVES", "PUNCHES"), ()),
        ),
        rated=True,
        base=True,
    ),
    Layer(
        "DAOS",
        "DAOS",
        "DAOS objects",
        "objects",
        (
            ("open", ("OBJ_OPENS", "ARRAY_OPENS", "KV_OPENS"), ()),
            ("read", ("OBJ_FETCHES", "ARRAY_READS", "KV_GETS"), ()),
            ("write", ("OBJ_UPDATES", "ARRAY_WRITES", "KV_PUTS"), ()),
            ("stat", ("ARRAY_STATS", "ARRAY_GET_SIZES"), ()),
        ),
        rated=True,
    ),
    Layer(
        "GDS",
        "GDS",
        "GPU direct",
        "files",
        (
            ("open", ("OPENS",), ()),
            ("read", ("READS",), ()),
            ("write", ("WRITES",), ()),
            ("batch read", ("BATCH_READS",), ()),
            ("batch write", ("BATCH_WRITES",), ()),
            ("non-blocking read", ("NB_READS",), ()),
            ("non-blocking write", ("NB_WRITES",), ()),
        ),
    ),
    Layer(
        "STDIO",
        "STDIO",
        "STDIO streams",
        "files",
        (
            ("open", ("OPENS",), ()),
            ("read", ("READS",), ()),
            ("write", ("WRITES",), ()),
            ("seek", ("SEEKS",), ()),
            ("flush", ("FLUSHES",), ()),
        ),
        rated=True,
        base=True,
    ),
    Layer(
        "POSIX",
        "POSIX",
        "POSIX",
        "files",
        (
            # OPENS also counts descriptors from fileno and dup. Logs of versions that did not count
            # these separately have -1 for them, which counts as 0.
            ("open", ("OPENS",), ("FILENOS", "DUPS")),
            ("stat", ("STATS",), ()),
            ("seek", ("SEEKS",), ()),
            ("read", ("READS",), ()),
            ("write", ("WRITES",), ()),
            ("mmap", ("MMAPS",), ()),
            ("sync", ("FSYNCS", "FDSYNCS"), ()),
            ("rename", ("RENAME_SOURCES",), ()),
        ),
        rated=True,
        base=True,
    ),
)

# The size classes of every histogram: the end of the counter's name, and text. An upper bound
# belongs to its class.
SIZES: tuple[tuple[str, str], ...] = (
    ("0_100", "0-100 B"),
    ("100_1K", "101 B-1 KiB"),
    ("1K_10K", "1-10 KiB"),
    ("10K_100K", "10-100 KiB"),
    ("100K_1M", "100 KiB-1 MiB"),
    ("1M_4M", "1-4 MiB"),
    ("4M_10M", "4-10 MiB"),
    ("10M_100M", "10-100 MiB"),
    ("100M_1G", "100 MiB-1 GiB"),
    ("1G_PLUS", "over 1 GiB"),
)
