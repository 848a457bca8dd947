"""The correct logs: the content of each, its purpose, and the options of darshan-parser that print
it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from . import apmpi, content, trees
from .content import counted, file_name, heatmap, standard_log
from .layouts import ANNEX_NAMES, LAYOUTS
from .model import (
    BZIP2,
    NONE,
    Apmpi,
    ApmpiHead,
    Component,
    Counted,
    Dxt,
    Heatmap,
    Log,
    Lustre,
    Module,
    Segment,
)  # fmt: skip
from .record_id import record_id


@dataclass
class Case:
    """A correct log: its name, its content, its purpose, the reason why PyDarshan 3.5.0 cannot read
    it ("": it can), and options for darshan-parser."""

    name: str
    log: Log
    why: str
    pydarshan: str = ""  # why PyDarshan 3.5.0 cannot read the log; empty: it can
    options: list[str] = field(default_factory=list)


# Module's version in each release of Darshan.
OLDEST = {"POSIX": 1, "MPI-IO": 1, "H5F": 1, "PNETCDF_FILE": 1, "BG/Q": 1}
R310 = OLDEST | {"POSIX": 3, "STDIO": 1, "BG/Q": 2, "LUSTRE": 1}
R311 = R310 | {"MPI-IO": 2}
R313 = R311 | {"DXT_POSIX": 1, "DXT_MPIIO": 1}
R317 = R313 | {"POSIX": 4, "MPI-IO": 3, "STDIO": 2, "H5F": 2, "PNETCDF_FILE": 2, "MDHIM": 1}
R320 = R317 | {"H5F": 3, "H5D": 1, "DXT_MPIIO": 2}
R330 = R320 | {"H5D": 2}
R340 = R330 | {"HEATMAP": 1}
R341 = R340 | {"PNETCDF_FILE": 3, "PNETCDF_VAR": 1}
R346 = R341 | {"LUSTRE": 2}
R350 = R346 | {"DFS": 1, "DAOS": 1}
NEXT = R350 | {"DXT_POSIX": 2, "DXT_MPIIO": 3}
# Release, its log format, and its module versions.
RELEASES = (
    ("3.0.0", "3.00", OLDEST), ("3.1.0", "3.10", R310), ("3.1.1", "3.10", R311),
    ("3.1.3", "3.10", R313), ("3.1.7", "3.10", R317), ("3.2.0", "3.20", R320),
    ("3.2.1", "3.21", R320), ("3.3.0", "3.21", R330), ("3.4.0", "3.21", R340),
    ("3.4.1", "3.41", R341), ("3.4.6", "3.41", R346), ("3.5.0", "3.41", R350),
    ("next", "3.41", NEXT),
)  # fmt: skip
# Modules and versions of logs for special cases.
SMALL = {"POSIX": 4, "MPI-IO": 3, "STDIO": 2, "LUSTRE": 2, "HEATMAP": 1}
NO_COMPONENTS = "crashes at a Lustre record without components"


def releases() -> Iterator[Case]:
    """Yields logs with all modules of each release, in both byte orders."""
    for release, log_format, versions in RELEASES:
        for order, word in (("<", "little"), (">", "big")):
            log = standard_log(versions, version=log_format, order=order, seed=len(release))
            why = f"all modules as {release} wrote them, {word} endian"
            yield Case(f"good-{release}-{word}", log, why)
    old = standard_log({"POSIX": 2}, version="3.10")
    yield Case("good-posix-2", old, "POSIX version 2, which no release wrote")
    old = standard_log({"POSIX": 2}, version="3.10", order=">")
    yield Case("good-posix-2-big", old, "the same, big endian")


def framings() -> Iterator[Case]:
    """Yields logs with other kinds of compression."""
    for word, order in (("little", "<"), ("big", ">")):
        log = standard_log(R350, compression=BZIP2, order=order)
        yield Case(f"good-bzip2-{word}", log, "bzip2, as darshan-convert writes it", "bzip2")
        log = standard_log(R350, compression=NONE, order=order)
        yield Case(f"good-uncompressed-{word}", log, "no compression")
    log = standard_log(R317, version="3.10", compression=BZIP2)
    yield Case("good-bzip2-3.10", log, "bzip2 in an old format", "bzip2")
    log = standard_log(SMALL, streams=7)
    yield Case("good-streams", log, "seven zlib streams per region, cut inside records")
    log = standard_log(SMALL, streams=7, compression=BZIP2, order=">")
    yield Case("good-streams-bzip2", log, "the same with bzip2", "bzip2")
    log = standard_log({"POSIX": 4, "LUSTRE": 2}, files=2, streams=1 << 30)
    yield Case("good-streams-bytes", log, "one zlib stream per byte")
    log = standard_log(SMALL, streams=5, empty_streams=True)
    yield Case("good-streams-empty", log, "empty streams between the others")
    log = standard_log(SMALL, streams=3, empty_streams=True, compression=BZIP2)
    yield Case("good-streams-empty-bzip2", log, "empty bzip2 streams", "bzip2")
    log = standard_log(SMALL, reverse=True, gap=13, idle=(4, 10))
    yield Case("good-regions", log, "regions in falling order, gaps, idle modules, trailing bytes")
    log = standard_log({"POSIX": 4}, files=800, streams=9)
    yield Case("good-many-files", log, "more records than fit in any buffer")
    log = standard_log(SMALL)
    log.modules[0].tail = bytes(100)
    yield Case("good-fragment", log, "a piece of a record after the last one is dropped")
    for stamp in (b"03.41", b"3.41x", b"3.41-abc"):
        log = standard_log({"POSIX": 4}, stamp=stamp)
        yield Case(f"good-stamp-{stamp.decode()}", log, "odd spelling of the version")


def unknown_modules() -> Iterator[Case]:
    """Yields logs with modules or versions that no reader knows."""
    log = standard_log(SMALL)
    log.modules += [
        Module("", 7, raw=b"not ours" * 50, number=18),
        Module("", 0, raw=bytes(10), number=63),
    ]
    yield Case("good-unknown-ids", log, "data under ids that nobody uses", "id >= 18")
    log = standard_log(SMALL)
    log.modules += [Module(m, 1, raw=b"skipped " * 40) for m in ("NULL", "APXC")]
    yield Case("good-no-handler", log, "known modules whose data nobody reads")
    for number in (0, 99):
        log = standard_log(SMALL)
        log.modules[0] = Module("POSIX", number, raw=bytes(704))
        yield Case(f"good-version-{number}", log, "a version that no reader knows")


def partial_flags() -> Iterator[Case]:
    """Yields logs whose modules ran out of memory for records."""
    show = ["--show-incomplete"]
    for log_format, order in (("3.41", "<"), ("3.41", ">"), ("3.10", "<"), ("3.10", ">")):
        log = standard_log(R317, version=log_format, order=order)
        for module in log.modules:
            module.partial = module.name in ("STDIO", "MPI-IO", "MDHIM")
        word = "little" if order == "<" else "big"
        why = "modules that ran out of room"
        yield Case(f"good-partial-{log_format}-{word}", log, why, options=show)
    log = standard_log({"POSIX": 4})
    log.modules.append(Module("STDIO", 2, raw=b"", partial=True))
    yield Case("good-partial-empty", log, "a partial bit without data", options=show)


def names() -> Iterator[Case]:
    """Yields logs with unusual file names or without names."""
    odd = [
        b"/home/tab\there\n\x1b[7m\xc2\x9b\x7f",
        b"/with space",
        b"/caf\xc3\xa9",
        b"no slash",
        b"/n" + b"x" * 4093,
    ]
    ids = [record_id(file_name(i)) for i in range(7)]
    log = standard_log({"POSIX": 4, "STDIO": 2}, names=list(zip(ids, odd)))
    yield Case("good-names-odd", log, "tabs, spaces, 4095 bytes; two ids without a name")
    log = standard_log({"POSIX": 4, "STDIO": 2}, names=[(i, b"/latin-\xe9\xff") for i in ids])
    yield Case("good-names-bytes", log, "names that are not UTF-8", "not UTF-8")
    twice = [(ids[0], b""), (ids[1], b"/first"), (ids[0], b"/late"), (ids[1], b"/second")]
    twice += [(ids[2], b""), (ids[3], b"/once"), (ids[2], b"")]
    log = standard_log({"POSIX": 4}, names=twice)
    yield Case("good-names-twice", log, "ids named again; empty names give way")
    log = standard_log({"POSIX": 4}, names=twice, version="3.00")
    yield Case(
        "good-names-twice-3.00", log, "the same with counted names", "aborts at an empty name"
    )
    log = standard_log({"POSIX": 4, "DFS": 1, "DAOS": 1, "BG/Q": 2}, names=None)
    yield Case("good-names-none", log, "no name region", "drops records without a name")
    log = standard_log({"POSIX": 4}, names=[(i, b"/n%d" % i) for i in range(20000)])
    log.names += [(i, b"/real") for i in ids]  # type: ignore[operator]
    yield Case("good-names-many", log, "20,000 names")


def jobs() -> Iterator[Case]:
    """Yields logs without records or with unusual properties of the job."""
    yield Case("good-empty", Log(), "no module ran")
    yield Case("good-empty-3.00", Log(version="3.00", order=">"), "the same, oldest format")
    yield Case("good-no-mounts", standard_log({"POSIX": 4}, mounts=[]), "no mount entry, so no exe")
    odd = [(b"/my disk", b"ext4"), (b"/aa", b"one"), (b"/bb", b"two"), (b"/h", b"x")]
    log = standard_log({"POSIX": 4}, mounts=odd)
    yield Case("good-mounts-odd", log, "a mount point cut at its space; equal lengths keep order")
    # The text after a newline in the command line looks like a mount entry.
    log = standard_log({"POSIX": 4}, exe=b"python -c\n\nimport os")
    yield Case("good-exe-lines", log, "a command line of several lines")
    full = b"lib_ver=3.5.0\nh=a=b;c=d\nempty=\n=no key\n"
    log = standard_log({"POSIX": 4}, metadata=full.ljust(1022, b"x") + b"\n")
    yield Case("good-metadata", log, "metadata to the last byte, line without =", "line without =")
    log = standard_log({"POSIX": 4}, metadata=b"lib_ver=3.5.0\nlast=no newline")
    yield Case("good-metadata-end", log, "no newline after the last line")
    yield Case("good-metadata-none", standard_log({"POSIX": 4}, metadata=b""), "no metadata")
    log = standard_log({"POSIX": 4}, exe=b"x" * (4096 - 1080 - 9), mounts=[(b"/", b"ext4")])
    log.exe = log.exe[: 4096 - 1080 - len(b"\next4\t/\0")]
    yield Case("good-job-full", log, "a job region of exactly 4096 bytes")
    log = standard_log({"POSIX": 4}, uid=-2, jobid=0, start=(1, 999999999), end=(2, 0))
    yield Case("good-job-odd", log, "negative uid, job id 0, the year 1970")


def extremes() -> Iterator[Case]:
    """Yields logs with extreme values."""
    log = standard_log({"H5D": 2, "H5F": 3, "PNETCDF_VAR": 1, "BG/Q": 2}, files=40)
    rng = random.Random(5)
    for module in log.modules:
        for record in module.records:
            assert isinstance(record, Counted)
            for name in record.counters:
                record.counters[name] = rng.choice(content.EXTREMES)
            for name in record.fcounters:
                record.fcounters[name] = rng.choice(content.AWKWARD)
    yield Case("good-extremes", log, "integers and doubles that are hard to print")
    log = standard_log({"H5D": 2}, files=60)
    for record in log.modules[0].records:
        assert isinstance(record, Counted)
        for i, name in enumerate(record.fcounters):
            # Values near the middle between two printed values test the rounding to six decimals.
            record.fcounters[name] = rng.randrange(10**9) / 1e6 + 5e-7 + rng.choice((0, 1e-15)) * i
            if i % 3 == 0:  # an odd number of 128ths is exactly in the middle
                record.fcounters[name] = (2 * rng.randrange(10**6) + 1) / 128
    yield Case("good-ties", log, "doubles close to the middle between two printed values")


def heatmaps() -> Iterator[Case]:
    """Yields logs with heat maps of different lengths."""
    rng = random.Random(3)
    shapes = ((8, 0.1), (9, 0.1), (7, 0.1), (9, 0.2), (10, 0.1), (6, 0.1), (8, 0.1), (1, 0.4))
    made = [heatmap(rng, "POSIX", i % 4, *shape) for i, shape in enumerate(shapes)]
    log = standard_log({"HEATMAP": 1})
    log.modules = [Module("HEATMAP", 1, list(made))]
    yield Case(
        "good-heatmap-repair",
        log,
        "lengths that differ by one from the first record's",
        "lengths differ",
    )
    log = standard_log({"HEATMAP": 1}, order=">")
    log.modules = [Module("HEATMAP", 1, list(made))]
    yield Case("good-heatmap-repair-big", log, "the same, big endian", "lengths differ")
    odd = Heatmap(record_id(b"my own heatmap"), 0, 1.0, [1, 2], [3, 4])
    log = standard_log({"POSIX": 4}, names=[(odd.id, b"my own heatmap")])
    log.modules = [Module("HEATMAP", 1, [odd])]
    yield Case("good-heatmap-foreign", log, "a heatmap under an id of its own")


def layouts() -> list[Lustre]:
    """Returns Lustre records of files with several components, each with its own striping."""
    three = [
        Component(65536, 1, 0, 0x10, 0, 65536, 1, b"flash"),
        Component(65536, 2, 0, 0x10, 65536, 1 << 20, 1),
        Component(1 << 20, 4, 4, 0, 1 << 20, -1, 1, b"disk"),
    ]
    on_mdt = [Component(4096, 0, 2, 0, 0, 4096), Component(4096, 3, 0, 0, 4096, -1)]
    unused = [Component(4096, 2), Component(-1, 2), Component(4096, 2)]
    ids = [record_id(file_name(i)) for i in range(6)]
    return [
        Lustre(ids[0], 0, three, [10, 11, 12, 13, 14, 15, -1]),
        Lustre(ids[1], 1, on_mdt, [7, 8, 9]),
        Lustre(ids[2], -1, unused, [1, 2, 3, 4, 5, 6]),
        Lustre(ids[3], 0, [], []),
        Lustre(ids[4], 0, [Component(-1, 1)], [3]),
        Lustre(ids[5], 3, [Component(4096, 1)], [3, 99, 100]),
    ]


def traces(version: int) -> list[Dxt]:
    """Returns traces of seven files, with segments inside the components of layouts() and across
    their boundaries. version: of the trace records."""
    edges = (0, 1, 65535, 65536, 131072, (1 << 20) - 1, 1 << 20, 5 << 20)
    lengths = (0, 1, 65536, 70000, 3 << 20)
    writes = [Segment(o, n, o / 1e6, o / 1e6 + 0.5, n + 1) for o in edges for n in lengths]
    reads = writes[3::4]
    if version == 1:
        writes, reads = ([Segment(s.offset, s.length, s.start, s.end) for s in each]
                         for each in (writes, reads))  # fmt: skip
    ids = [record_id(file_name(i)) for i in range(7)]
    return [Dxt(number, rank % 4, b"host", writes, reads) for rank, number in enumerate(ids)]


def lustre_and_dxt() -> Iterator[Case]:
    """Yields logs with striping over Lustre servers and with traces."""
    for order, word in (("<", "little"), (">", "big")):
        log = standard_log({}, order=order)
        log.modules = [Module("LUSTRE", 2, list(layouts()))]
        why = "composite layouts, unused components, no component"
        yield Case(f"good-lustre-{word}", log, why, NO_COMPONENTS)
        for version in (1, 2):
            log = standard_log({}, order=order)
            log.modules = [
                Module("LUSTRE", 2, list(layouts()[:5])),
                Module("DXT_POSIX", version, list(traces(version))),
            ]
            why = "traces of files on Lustre"
            yield Case(f"good-dxt-lustre-{version}-{word}", log, why, NO_COMPONENTS)


def communication() -> Iterator[Case]:
    """Yields logs with APMPI records, which count MPI calls, with and without waiting times."""
    names = [b"darshan-apmpi-header", b"APMPI"]
    for order, version, sync in (("<", "3.41", True), (">", "3.41", True), (">", "3.21", False)):
        rng = random.Random(6)
        log = standard_log({"POSIX": 4}, order=order, version=version)
        log.names += [(record_id(name), name) for name in names]  # type: ignore[operator]
        head = ApmpiHead(record_id(names[0]), 0, sync, (0.25, 1.5))
        ranks = [
            Apmpi(
                record_id(names[1]),
                rank,
                [rng.choice((0, 1, 10**9, (1 << 64) - 1)) for _ in apmpi.COUNTERS],
                [rng.random() for _ in apmpi.TIMES],
                [rng.random() for _ in apmpi.SYNC_TIMES],
                (rng.random(), rng.random()),
                b"node%d" % rank if rank else b"x" * 128,
            )
            for rank in range(3)
        ]
        log.modules.append(Module("APMPI", 1, [head, *ranks]))
        word = f"{'little' if order == '<' else 'big'}-{version}"
        yield Case(f"good-apmpi-{word}", log, "calls of MPI, counted by another runtime")


def daos() -> Iterator[Case]:
    """Yields logs with pools and containers of DAOS."""
    rng = random.Random(9)
    for order, word in (("<", "little"), (">", "big")):
        log = standard_log({"DFS": 1, "DAOS": 1}, order=order)
        made = [counted(rng, "DFS", 1, i, i) for i in range(3)]
        made[0].pool = bytes(16)
        made[1].container = bytes(16)
        other = counted(rng, "DAOS", 1, 5, 2)
        other.pool = other.container = bytes(16)
        log.modules[1].records.append(other)
        log.modules[0].records += made
        log.names.append((made[2].id + 1, b""))  # type: ignore[union-attr]
        made[2].id += 1
        yield Case(f"good-daos-{word}", log, "DFS records without uuids or with an empty name")


def annexes() -> Iterator[Case]:
    """Yields logs with an annex."""
    rng = random.Random(4)
    made = [counted(rng, "POSIX_EXT", 1, i, i % 4) for i in range(5)]
    for order, word, version in (("<", "little", 3), (">", "big", 4)):
        newer = [counted(rng, "POSIX_EXT", version, i, i % 4) for i in range(5)]
        log = standard_log(SMALL, order=order, annex=[Module("POSIX_EXT", version, newer)])
        yield Case(f"good-annex-{word}", log, "an annex after the last region")
        for age, pick in (("all", max), ("old", min)):
            every = [
                Module(name, version, [counted(rng, name, version, i, i % 4 - 1) for i in range(3)])
                for name, version in ((name, pick(LAYOUTS[name])) for name in ANNEX_NAMES)
            ]
            log = standard_log(SMALL, order=order, annex=every)
            yield Case(f"good-annex-{age}-{word}", log, f"every module of the annex, {age}")
    for name in ANNEX_NAMES:
        for version in list(LAYOUTS[name])[1:-1]:
            records = [counted(rng, name, version, i, i % 4) for i in range(5)]
            log = standard_log(SMALL, annex=[Module(name, version, records)])
            yield Case(f"good-annex-{name.lower()}-{version}", log, "a version between")
    log = standard_log(SMALL, compression=NONE, annex=[Module("POSIX_EXT", 1, list(made))])
    yield Case("good-annex-uncompressed", log, "the same, uncompressed")
    log = standard_log(SMALL, gap=100, annex=[Module("POSIX_EXT", 1, list(made))])
    yield Case("good-annex-gap", log, "bytes that belong to nobody before the annex")


def process_trees() -> Iterator[Case]:
    """Yields logs of runs with many processes."""
    for order, word in (("<", "little"), (">", "big")):
        log = trees.tree_log(trees.loop(200), 2.01)
        log.order = order
        yield Case(f"good-tree-{word}", log, "a shell and its 200 programs")
    log = trees.tree_log(trees.strange(), 9)
    yield Case("good-tree-strange", log, "processes that cannot be", "not UTF-8")


def journals() -> Iterator[Case]:
    """Yields logs in the layout of a running process's journal."""
    rng = random.Random(2)
    versions = {name: v for name, v in R350.items() if not name.startswith("DXT")}
    for order, word in (("<", "little"), (">", "big")):
        log = standard_log(versions, order=order, compression=NONE, live=True, end=(0, 0))
        log.idle = (10, 11)
        for module in log.modules:
            if module.name == "HEATMAP":
                module.records = [heatmap(rng, layer, 1, 200) for layer in content.LAYERS]
        yield Case(f"good-journal-{word}", log, "the journal of a running process")
        records = [counted(rng, "POSIX_EXT", 2, i, 1) for i in range(3)]
        log = Log(**vars(log) | {"annex": [Module("POSIX_EXT", 2, list(records))]})
        yield Case(f"good-journal-annex-{word}", log, "the same with an annex that may still grow")


GROUPS: tuple[Callable[[], Iterator[Case]], ...] = (
    releases, framings, unknown_modules, partial_flags, names, jobs, extremes, heatmaps,
    lustre_and_dxt, communication, daos, annexes, process_trees, journals,
)  # fmt: skip


@lru_cache(maxsize=1)
def good_cases() -> tuple[Case, ...]:
    """Returns every correct log, the same objects in each call. Fails if a version of a module is
    in no log."""
    cases = tuple(case for group in GROUPS for case in group())
    assert len({case.name for case in cases}) == len(cases)
    seen = {(m.name, m.version) for c in cases for m in c.log.modules + c.log.annex}
    missing = {(m, v) for m, versions in LAYOUTS.items() for v in versions} - seen
    assert not missing, f"no log holds {missing}"
    return cases
