"""Makes random records of the modules, except APMPI, and logs of such records. The same arguments
and the same seed always give the same records."""

from __future__ import annotations

import random

from .layouts import LAYOUTS
from .model import Component, Counted, Dxt, Heatmap, Log, Lustre, Module, Record, Segment
from .record_id import record_id

# Modules with totals.
AGGREGATED = ("POSIX", "MPI-IO", "STDIO", "DFS", "DAOS")
# Layers with a heat map.
LAYERS = ("POSIX", "MPIIO", "STDIO", "DFS", "DAOS")
# Id of a DAOS pool in records.
POOL = bytes.fromhex("00112233445566778899aabbccddeeff")
# Id of a DAOS container in records.
CONTAINER = bytes.fromhex("f47ac10b58cc4372a5670e02b2c3d479")
# Values that are difficult to print with six decimals: ties, carries, tiny, huge.
AWKWARD = (
    0.0, -0.0, 5e-7, 1.5e-6, 2.5e-6, 0.0000004999999, 0.9999995, 0.99999949999, 1.0000005,
    123456.7890125, 4503599627370496.5, 9007199254740993.0, 1e15 + 0.3, 18446744073709551615.0,
    1e22, 1.7976931348623157e308, 5e-324, -1.0, -0.0000005, -123.4567895, 3.0517578125e-05,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
# Extreme values of counters.
EXTREMES = (0, 1, -1, 9, 10, 99, 100, (1 << 63) - 1, -(1 << 63), 10**18, 10**18 - 1, -(10**18))


def file_name(number: int) -> bytes:
    """Returns a path on one of the mount points of standard_log. number: that of the file."""
    roots = (b"/", b"/home/", b"/home2/", b"/scratch/deep/", b"/scratch/")
    return roots[number % len(roots)] + b"file-%d.dat" % number


def common_values(rng: random.Random, kind: str, prefix: str) -> dict[str, int]:
    """Returns the counters of up to four common values and their counts, in descending order of the
    counts; unused ones are zero. kind: the part of the counters' names, such as ACCESS."""
    used = rng.randint(0, 4)
    values = rng.sample((64, 512, 4096, 65536, 1048576, 47008), used) + [0] * (4 - used)
    counts = sorted((rng.randint(1, 9) for _ in range(used)), reverse=True) + [0] * (4 - used)
    out = {f"{prefix}_{kind}{i}_{kind}": value for i, value in enumerate(values, 1)}
    return out | {f"{prefix}_{kind}{i}_COUNT": count for i, count in enumerate(counts, 1)}


def time_value(rng: random.Random) -> float:
    """Returns a random time in seconds."""
    # A tenth of the times are zero; the others have more digits than are printed.
    return 0.0 if rng.random() < 0.1 else rng.random() * 10 ** rng.randint(-5, 4)


def counted(rng: random.Random, module: str, version: int, number: int, rank: int) -> Counted:
    """Returns a record of random counters that are plausible enough to aggregate. number: of the
    file, which determines the id."""
    layout = LAYOUTS[module][version]
    prefix = layout.counters[0].split("_")[0]
    counters = {name: rng.randrange(10 ** rng.randint(1, 10)) for name in layout.counters}
    for kind in ("STRIDE", "ACCESS"):
        if module in AGGREGATED and f"{prefix}_{kind}1_{kind}" in counters:
            counters |= common_values(rng, kind, prefix)
    for name in counters:
        if name.endswith(("BYTES_READ", "BYTES_WRITTEN")) and rng.random() < 0.3:
            counters[name] = 0
        elif name.endswith(("MMAPS", "STATS", "FLUSHES", "SYNCS", "DUPS")) and rng.random() < 0.3:
            counters[name] = -1
        elif name.endswith("_RANK"):
            counters[name] = rng.randrange(4)
        elif name.endswith("_ATOMIC"):
            counters[name] = rng.randrange(2)
    if "POSIX_RENAMED_FROM" in counters:
        counters["POSIX_RENAMED_FROM"] = rng.choice((0, (1 << 63) - 5))
    if "POSIX_FOPENS" in counters:
        counters["POSIX_FOPENS"] = int(number % 3 == 2)
    fcounters = {name: time_value(rng) for name in layout.fcounters}
    record = Counted(record_id(file_name(number)), rank, counters, fcounters)
    if layout.file_id:
        record.file_id = (1 << 64) - 1 - number
    if layout.tail == "servers":
        # A record without servers still has one slot for them.
        counters["MDHIM_SERVERS"] = number % 4
        record.servers = [rng.randrange(1000) for _ in range(max(1, number % 4))]
    if layout.tail in ("uuids", "object"):
        record.pool, record.container = POOL, CONTAINER
        record.object_id = ((1 << 63) + number, number)
    return record


def lustre(rng: random.Random, version: int, number: int, rank: int) -> Lustre:
    """Returns the Lustre record of a file, with random values: one component in version 1, up to
    three in version 2. number: of the file."""
    components, osts = [], []
    for i in range(1 if version == 1 else 1 + number % 3):
        count = rng.randint(1, 5)
        pool = (b"", b"flash", b"fifteen-letters")[i]
        flags = rng.choice((0, 0x10, 0x812, 0xFFF))
        pattern = rng.choice((0, 2, 4, 8, 3))
        component = Component(1 << (16 + i), count, pattern, flags, i << 20, (i + 1) << 20, i, pool)
        components.append(component)
        osts += [rng.randrange(-1, 300) for _ in range(count)]
    components[-1].end = -1
    return Lustre(record_id(file_name(number)), rank, components, osts, (248, 2, -1))


def segments(rng: random.Random, count: int, threads: bool) -> list[Segment]:
    """Returns random segments of a trace. threads: whether they have thread ids."""
    out = []
    for _ in range(count):
        start = rng.random() * 100
        thread = rng.choice((1, 7, 0x7F0012345678, (1 << 64) - 1)) if threads else 0
        offset = rng.randrange(1 << rng.randint(1, 33))
        length = rng.randrange(1 << rng.randint(0, 21))
        out.append(Segment(offset, length, start, start + rng.random(), thread))
    return out


def dxt(rng: random.Random, module: str, version: int, number: int, rank: int) -> Dxt:
    """Returns a random trace of a file. number: of the file."""
    threads = version >= (2 if module == "DXT_POSIX" else 3)
    writes, reads = (segments(rng, rng.randint(0, 6), threads) for _ in range(2))
    host = b"node%d" % rank if number % 2 else b"h" * 63
    return Dxt(record_id(file_name(number)), rank, host, writes, reads)


def heatmap(rng: random.Random, layer: str, rank: int, bins: int, width: float = 0.1) -> Heatmap:
    """Returns a heat map with random bins. layer: of LAYERS. width: of a bin in seconds."""
    writes, reads = ([rng.randrange(1 << 34) for _ in range(bins)] for _ in range(2))
    return Heatmap(record_id(b"heatmap:" + layer.encode()), rank, width, writes, reads)


def ranks_of(number: int) -> list[int]:
    """Returns the ranks that have a record of a file: -1 for a record shared by all, one rank, or
    two of them. number: of the file."""
    return ([-1], [number % 4], [0, 3])[number % 3]


def records(rng: random.Random, module: str, version: int, files: int) -> list[Record]:
    """Returns a module's records of `files` files, as an MPI job of four ranks leaves them."""
    if module == "HEATMAP":
        return [heatmap(rng, layer, rank, 6) for layer in LAYERS for rank in range(4)]
    if module == "BG/Q":
        record = counted(rng, module, version, 0, -1)
        record.id = record_id(b"darshan-bgq-record")
        return [record]
    out: list[Record] = []
    for number in range(files):
        for rank in ranks_of(number):
            if module == "LUSTRE":
                out.append(lustre(rng, version, number, rank))
            elif module.startswith("DXT"):
                out.append(dxt(rng, module, version, number, max(rank, 0)))
            else:
                out.append(counted(rng, module, version, number, rank))
    return out


def standard_log(versions: dict[str, int], files: int = 7, seed: int = 1, **log: object) -> Log:
    """Returns a log with records of these module versions (by module name) for `files` files, and
    with a name for each id. log: other properties of the log, as in model.Log."""
    rng = random.Random(seed)
    names = [file_name(number) for number in range(files)]
    names += [b"heatmap:" + layer.encode() for layer in LAYERS if "HEATMAP" in versions]
    defaults: dict[str, object] = {
        "names": [(record_id(name), name) for name in names],
        "mounts": [(b"/", b"ext4"), (b"/home", b"nfs"), (b"/scratch", b"lustre"),
                   (b"/scratch/deep", b"tmpfs"), (b"/dev/shm", b"tmpfs2")],
        "modules": [Module(m, v, records(rng, m, v, files)) for m, v in versions.items()],
    }  # fmt: skip
    return Log(**(defaults | log))  # type: ignore[arg-type]


def awkward_values(rng: random.Random, record: Counted, prefix: str) -> None:
    """Sets the counters of a record to few different values, so that every rule of aggregation has
    to handle equal values, -1 and 0. prefix: of the counter names."""
    for name in record.counters:
        if "STRIDE" in name or "ACCESS" in name or name.endswith("_RANK"):
            continue
        if name == "POSIX_FOPENS":
            record.counters[name] = 0
        elif rng.random() < 0.1:
            record.counters[name] = rng.choice((-1, -5, 0))
    for name in record.fcounters:
        if rng.random() < 0.2:
            record.fcounters[name] = rng.choice((0.0, -1.0, 1.0, 2.0))
    for kind in ("STRIDE", "ACCESS"):
        if f"{prefix}_{kind}1_{kind}" not in record.counters:
            continue
        # A zero may be between other values, but not first: MPI-IO has its own rule for that.
        values = [rng.randint(1, 5)]
        values += rng.sample([v for v in range(6) if v != values[0]], 3)
        for i, value in enumerate(values, 1):
            record.counters[f"{prefix}_{kind}{i}_{kind}"] = value
            record.counters[f"{prefix}_{kind}{i}_COUNT"] = rng.randint(0, 4) if value else 0


def aggregation_log(seed: int) -> Log:
    """Returns a log of all modules with totals, with random combinations of files and ranks."""
    rng = random.Random(seed)
    shapes = ([-1], [0], [0, 1, 2, 3], [0, 1], [2, 1], [3, -1])
    versions = {m: rng.choice(sorted(LAYOUTS[m])) for m in AGGREGATED}
    log = standard_log(versions, files=0, order=rng.choice("<>"))
    for module in log.modules:
        prefix = LAYOUTS[module.name][module.version].counters[0].split("_")[0]
        for number in range(rng.choice((1, 1, 2, 3, 20))):
            for rank in rng.choice(shapes):
                record = counted(rng, module.name, module.version, number, rank)
                awkward_values(rng, record, prefix)
                module.records.append(record)
    return log
