"""A log in memory: the content of a log without any encoding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

# Methods of compression, as numbers in the header.
ZLIB, BZIP2, NONE = 0, 1, 2


@dataclass
class Counted:
    """A record of named counters: its id and rank, the counters of its module's version, and fields
    that some modules have besides."""

    id: int
    rank: int
    counters: dict[str, int]
    fcounters: dict[str, float]
    file_id: int = 0  # H5D, PNETCDF_VAR
    servers: list[int] = field(default_factory=list)  # MDHIM
    pool: bytes = bytes(16)  # DFS, DAOS
    container: bytes = bytes(16)
    object_id: tuple[int, int] = (0, 0)  # DAOS: hi, lo


@dataclass
class Component:
    """A range of a file on Lustre with one striping: stripe size in bytes, stripe count, pattern,
    flags, start and end offset (-1: the end of the file), mirror id and pool."""

    size: int
    count: int
    pattern: int = 0
    flags: int = 0
    start: int = 0
    end: int = -1
    mirror: int = 0
    pool: bytes = b""


@dataclass
class Lustre:
    """The striping of a file: its components, and the servers (OSTs) of all components one after
    another."""

    id: int
    rank: int
    components: list[Component]
    osts: list[int]
    # Version 1 only: OSTS, MDTS, STRIPE_OFFSET; its striping is components[0].
    old: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True)
class Segment:
    """A read or write in a trace: offset and length in bytes, start and end in seconds of the run.
    offset, thread: 0 if unused."""

    offset: int
    length: int
    start: float
    end: float
    thread: int = 0


@dataclass
class Dxt:
    """The trace of a file in a rank."""

    id: int
    rank: int
    host: bytes
    writes: list[Segment]
    reads: list[Segment]


@dataclass
class Heatmap:
    """The heat map of a layer in a rank: bytes of each bin. width: of a bin in seconds."""

    id: int
    rank: int
    width: float
    writes: list[int]
    reads: list[int]


@dataclass
class ApmpiHead:
    """The first record of APMPI, which has values of the whole job: whether waiting times are
    recorded, and the variances of two times over the ranks."""

    id: int
    rank: int
    sync: bool
    variances: tuple[float, float]


@dataclass
class Apmpi:
    """The MPI calls of a rank, in the order of the names in apmpi.py."""

    id: int
    rank: int
    counters: list[int]
    times: list[float]
    sync_times: list[float]
    totals: tuple[float, float]
    processor: bytes


Record = Union[Counted, Lustre, Dxt, Heatmap, Apmpi, ApmpiHead]


@dataclass
class Module:
    """A module's part of a log: its name, the version of its records, and the records. raw: bytes
    to store in place of the records; None: the records are stored."""

    name: str
    version: int
    records: list[Record] = field(default_factory=list)
    partial: bool = False
    raw: bytes | None = None
    number: int | None = None  # module id, if name is not in MODULE_IDS
    tail: bytes = b""  # a fragment of a record after the last complete one


@dataclass
class Log:
    """All contents of a log, and how its bytes are arranged. order: "<" for little-endian, ">" for
    big-endian. start, end: seconds since 1970 and nanoseconds. mounts: path and type. names: id and
    name of records; None for no name region."""

    version: str = "3.41"
    stamp: bytes = b""  # the version field as written, if it differs from version
    order: str = "<"
    compression: int = ZLIB
    uid: int = 1000
    start: tuple[int, int] = (1700000000, 250000000)
    end: tuple[int, int] = (1700000012, 750000000)
    nprocs: int = 4
    jobid: int = 4242
    metadata: bytes = b"lib_ver=3.5.0\n"
    exe: bytes = b"./app -x 1"
    mounts: list[tuple[bytes, bytes]] = field(default_factory=lambda: [(b"/", b"ext4")])
    names: list[tuple[int, bytes]] | None = field(default_factory=list)
    modules: list[Module] = field(default_factory=list)
    annex: list[Module] = field(default_factory=list)
    live: bool = False  # has the layout of a running process's journal
    # The arrangement of bytes in the file, which must not matter to readers.
    streams: int = 1
    empty_streams: bool = False  # an empty stream before each
    level: int | None = None  # of compression; None: stored and compressed streams alternate
    reverse: bool = False  # module regions in reverse order
    gap: int = 0  # bytes between module regions and after the last one
    idle: tuple[int, ...] = ()  # modules that were active but have no data
