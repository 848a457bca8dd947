"""The damaged logs: each is a correct log with one defect."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from .content import standard_log
from .encode import compress_one, encode, job_content, name_content
from .model import NONE, ZLIB, Log, Module

# Offsets in bytes in a header of version 3.41.
NAME_OFF, NAME_LEN, COMPRESSION, MAGIC = 32, 40, 16, 8
# Bytes that a bomb inflates to, more than a tool may use.
BOMB = 640 << 20


@dataclass
class Bad:
    """A damaged log: its name, its bytes or a function that makes them, and what is wrong in it."""

    name: str
    made: bytes | Callable[[], bytes]  # a function if the log takes long to make
    why: str

    @cached_property
    def data(self) -> bytes:
        return self.made if isinstance(self.made, bytes) else self.made()


def module_entry(number: int) -> int:
    """Returns the offset in bytes of a module's entry in the module table, which is part of the
    header of version 3.41. number: the module's id."""
    return 48 + 16 * number


def small_log(compression: int = ZLIB) -> Log:
    """Returns a log with two records in each of three modules, which is small enough to test its
    truncation at every byte."""
    return standard_log({"STDIO": 2, "H5F": 3, "LUSTRE": 2}, files=2, compression=compression)


def patched(offset: int, *values: int, log: Log | None = None) -> bytes:
    """Returns the bytes of a log, by default the small one, with these 64-bit values at an
    offset."""
    data = bytearray(encode(log or small_log()))
    struct.pack_into(f"<{len(values)}Q", data, offset, *values)
    return bytes(data)


def rebuilt(job: bytes | None = None, names: bytes | None = None) -> bytes:
    """Returns the bytes of the small log without modules, with its stored (compressed) job or name
    region replaced. None: the region stays."""
    log = small_log()
    log.modules = []
    job = zlib.compress(job_content(log)) if job is None else job
    names = zlib.compress(name_content(log)) if names is None else names
    data = bytearray(encode(log)[:1328])
    struct.pack_into("<QQ", data, NAME_OFF, 1328 + len(job), len(names))
    return bytes(data) + job + names


def bomb(pattern: bytes = b"\0") -> bytes:
    """Returns a zlib stream of about a megabyte that decompresses to BOMB bytes of the repeated
    pattern. It repeats compressed bytes, because compressing so much would take seconds."""
    block = (pattern * ((1 << 20) // len(pattern) + 1))[: 1 << 20]
    packer = zlib.compressobj(9)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    head, again, checksum = packed[:2], packed[2:], 1
    for _ in range(BOMB >> 20):
        checksum = zlib.adler32(block, checksum)
    last = zlib.compress(b"")[2:-4]
    return head + again * (BOMB >> 20) + last + struct.pack(">I", checksum)


def wrong_headers() -> Iterator[Bad]:
    """Yields logs with a defect in the header or in its tables."""
    whole = encode(small_log())
    yield Bad("bad-empty-file", b"", "no byte at all")
    yield Bad("bad-version-only", whole[:8], "ends after the version")
    yield Bad("bad-half-header", whole[:700], "ends inside the header")
    yield Bad("bad-header-only", whole[:1328], "ends after the header")
    for version in ("3.30", "3.40", "3.42", "4.00", "2.06", "", "darshan", "3", "3.-1", "x3.41"):
        data = version.encode().ljust(8, b"\0") + whole[8:]
        yield Bad(f"bad-format-{version or 'none'}", data, "a format that never was")
    yield Bad("bad-magic", whole[:MAGIC] + b"\x38" + whole[MAGIC + 1 :], "another magic number")
    swapped = whole[:MAGIC] + whole[MAGIC : MAGIC + 8][::-1] + whole[MAGIC + 8 :]
    yield Bad("bad-order", swapped, "says big endian, is little endian")
    for method in (3, 255):
        data = whole[:COMPRESSION] + bytes([method]) + whole[COMPRESSION + 1 :]
        yield Bad(f"bad-compression-{method}", data, "unknown compression")
    for method in (1, 2):
        data = whole[:COMPRESSION] + bytes([method]) + whole[COMPRESSION + 1 :]
        yield Bad(f"bad-compression-{method}", data, "not what the streams are compressed with")


def wrong_jobs() -> Iterator[Bad]:
    """Yields logs with a defect in the job region."""
    job = job_content(small_log())
    yield Bad("bad-job-short", rebuilt(job=zlib.compress(job[:1080])), "no byte after the record")
    yield Bad("bad-job-tiny", rebuilt(job=zlib.compress(job[:100])), "half a job record")
    yield Bad("bad-job-nothing", rebuilt(job=zlib.compress(b"")), "an empty stream")
    yield Bad("bad-job-garbage", rebuilt(job=bytes(range(200))), "no stream at all")
    yield Bad("bad-job-cut", rebuilt(job=zlib.compress(job)[:-20]), "a stream without its end")
    # Random bytes do not compress, so the flip changes stored data and the checksum fails.
    noise = zlib.compress(job[:1080] + random.Random(1).randbytes(900).replace(b"\0", b"x"), 0)
    flipped = noise[:-10] + bytes([noise[-10] ^ 1]) + noise[-9:]
    yield Bad("bad-job-checksum", rebuilt(job=flipped), "a wrong checksum")


def wrong_names() -> Iterator[Bad]:
    """Yields logs with a defect in the name region."""
    whole = name_content(small_log())
    for cut in (1, 10):
        data = rebuilt(names=zlib.compress(whole[:-cut]))
        yield Bad(f"bad-names-cut-{cut}", data, "ends inside an entry")
    yield Bad("bad-names-id", rebuilt(names=zlib.compress(whole + b"1234567")), "half an id")
    yield Bad("bad-names-garbage", rebuilt(names=b"\xff" * 50), "no stream")
    yield Bad("bad-names-bomb", lambda: rebuilt(names=bomb(b"x")), "one name of 640 MiB")
    yield Bad("bad-names-past-end", patched(NAME_LEN, 1 << 40), "longer than the file")
    yield Bad("bad-names-overflow", patched(NAME_LEN, (1 << 64) - 1), "offset + length overflows")
    yield Bad("bad-names-far", patched(NAME_OFF, 1 << 62), "starts behind the end of the file")
    yield Bad("bad-names-in-header", patched(NAME_OFF, 8), "starts inside the header")
    counted = standard_log({"STDIO": 1}, version="3.00", names=[])
    lie = struct.pack("<QI", 7, (1 << 32) - 1) + b"/short"
    data = encode(counted)
    job = compress_one(ZLIB, job_content(counted), 0)
    head = bytearray(data[:360])
    struct.pack_into("<QQ", head, 24, 360 + len(job), len(zlib.compress(lie)))
    yield Bad("bad-names-length", bytes(head) + job + zlib.compress(lie), "a length of 4 GiB")


def unreadable() -> list[Bad]:
    """Returns the damaged logs that a reader cannot open at all."""
    return [*wrong_headers(), *wrong_jobs(), *wrong_names()]


def head(*fields: int) -> bytes:
    """Returns the little-endian bytes of the head of a record with id 1 and rank 0, followed by
    these 64-bit integers."""
    return struct.pack(f"<Qq{len(fields)}q", 1, 0, *fields)


def broken_records() -> Iterator[tuple[str, Module, str]]:
    """Yields, for each defect of a record, its name, a module with the broken content, and what is
    wrong in it."""
    huge = ((1 << 40), (1 << 59), (1 << 61), (1 << 62), (1 << 63) - 1, -1, -(1 << 63))
    for count in huge:
        heat = head() + struct.pack("<dq", 0.1, count) + bytes(16 + 160)
        yield f"heatmap-{count}", Module("HEATMAP", 1, raw=heat), "number of bins"
        comps = head(count, 1) + bytes(200)
        yield f"lustre-components-{count}", Module("LUSTRE", 2, raw=comps), "components"
        stripes = head(1, count) + struct.pack("<7q16s", 4096, 1, 0, 0, 0, -1, 0, b"") + bytes(80)
        yield f"lustre-stripes-{count}", Module("LUSTRE", 2, raw=stripes), "stripes"
        share = head(1, 1) + struct.pack("<7q16s", 4096, count, 0, 0, 0, -1, 0, b"") + bytes(8)
        yield f"lustre-share-{count}", Module("LUSTRE", 2, raw=share), "stripes of a component"
        width = head(1, 2, 3, 4096, count) + bytes(80)
        yield f"lustre-1-{count}", Module("LUSTRE", 1, raw=width), "stripes, version 1"
        if count < 0:
            continue  # an MDHIM record always has at least one server
        servers = head(0, 0, 0, 0, count) + bytes(32 + 80)
        yield f"mdhim-{count}", Module("MDHIM", 1, raw=servers), "servers"
    pair = head(2, 2) + struct.pack("<7q16s", 4096, 1 << 62, 0, 0, 0, 9, 0, b"") * 2 + bytes(16)
    yield "lustre-sum", Module("LUSTRE", 2, raw=pair), "stripes that overflow when added"


def half_readable() -> list[tuple[Bad, Log]]:
    """Returns pairs of a log with one damaged module, which can be opened, and the log of
    everything else."""
    out = []
    for name, module, why in broken_records():
        log = small_log()
        log.modules = [m for m in log.modules if m.name != module.name]
        rest = Log(**vars(log))
        log.modules = [*log.modules, module]
        out.append((Bad(f"bad-{name}", encode(log), why), rest))
    for what, entry in (("past-end", (1400, 1 << 40)), ("far", (1 << 62, 100)),
                        ("overflow", (1400, (1 << 64) - 1))):  # fmt: skip
        log = small_log()
        data = patched(module_entry(9), *entry)
        log.modules = [m for m in log.modules if m.name != "STDIO"]
        out.append((Bad(f"bad-region-{what}", data, "a region outside the file"), log))
    for what, tail in (("padding", bytes(8)), ("gzip", b"\x1f\x8b\x08"), ("half-stream", b"\x78")):
        data, log = with_stored("STDIO", tail, keep=True)
        out.append((Bad(f"bad-{what}", data, "bytes in a region after its streams"), log))
    data, log = with_stored("STDIO", b"\xee" * 99, keep=False)
    out.append((Bad("bad-stream", data, "a region that is not a stream"), log))
    return out


def with_stored(name: str, tail: bytes, keep: bool) -> tuple[bytes, Log]:
    """Returns the bytes of the small log with `tail` at the end of the stored region of STDIO, and
    the log that a reader must show. name: "STDIO"; keep: whether the region's own bytes are kept
    before the tail."""
    log = small_log()
    log.modules = [*(m for m in log.modules if m.name != name), log.modules[0]]
    assert log.modules[-1].name == name
    data = bytearray(encode(log))
    length = struct.unpack_from("<Q", data, module_entry(9) + 8)[0]
    if not keep:
        del data[-length:]
        length = 0
    data += tail
    struct.pack_into("<Q", data, module_entry(9) + 8, length + len(tail))
    if not keep:
        log.modules = log.modules[:-1]
    return bytes(data), log


def broken_annexes() -> Iterator[tuple[Bad, Log]]:
    """Yields pairs of a log with a damaged annex (the records behind the part that 3.5.0 knows),
    and the log without the annex."""
    log = small_log()
    log.annex = [Module("POSIX_EXT", 1, raw=bytes(256) * 3)]
    rest = Log(**vars(log) | {"annex": []})
    whole = encode(log)
    first, trailer = len(encode(rest)), len(whole) - 40
    # offset, width, value, whether the checksum is recomputed
    lies = {
        "checksum": (trailer + 32, 4, 1, False),
        "content": (first + 40, 1, 0x55, False),
        "blocks": (trailer + 12, 4, (1 << 32) - 1, False),
        "more-blocks": (trailer + 12, 4, 2, False),
        "version": (trailer + 8, 4, 99, False),
        "far": (trailer + 16, 8, 1 << 62, False),
        "in-header": (trailer + 16, 8, 0, False),
        "length": (trailer + 24, 8, (1 << 64) - 1, False),
        "short": (trailer + 24, 8, 1, True),
        "low-module": (first, 4, 1, True),
        "block-compression": (first + 8, 4, 9, True),
        "stored": (first + 16, 8, (1 << 64) - 1, True),
        "stream": (first + 33, 1, 0xFF, True),
    }
    for name, (place, width, value, mend) in lies.items():
        data = bytearray(whole)
        data[place : place + width] = value.to_bytes(width, "little")
        if mend:
            struct.pack_into("<I", data, trailer + 32, zlib.crc32(data[first:trailer]))
        yield Bad(f"bad-annex-{name}", bytes(data), "a damaged annex costs the annex alone"), rest


def many_names() -> bytes:
    """Returns the bytes of a log with a million names whose ids collide in a hash table that uses
    Fibonacci hashing: the ids invert its multiplication and agree in the bits that it uses."""
    undo = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    ids = [product * undo % (1 << 64) for product in range(1, 1000001)]
    return encode(standard_log({"STDIO": 2}, names=[(number, b"/n") for number in ids]))


def stored_bomb() -> bytes:
    """Returns the bytes of a log whose POSIX region decompresses to more empty records than fit
    into memory."""
    log = standard_log({}, compression=NONE)
    log.modules = [Module("POSIX", 4, raw=bomb())]
    data = bytearray(encode(log))
    # Only the module is a zlib stream, so the other regions are compressed again.
    packed = encode(standard_log({}))
    names = struct.unpack_from("<QQ", packed, NAME_OFF)
    where = struct.unpack_from("<QQ", data, module_entry(1))
    out = bytearray(packed)
    struct.pack_into("<QQ", out, module_entry(1), names[0] + names[1], where[1])
    struct.pack_into("<I", out, 1072 + 4, 4)
    return bytes(out) + bytes(data[where[0] : where[0] + where[1]])
