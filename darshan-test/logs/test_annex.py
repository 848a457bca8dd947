"""If the annex of a log is damaged, darshan-parser prints everything except the annex, and a
warning of one line."""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from .catalogue import good_cases
from .encode import encode
from .model import Log
from .rows import rows
from .tools import data_lines, run

# Head of a block: module, version, compression, flags, stored and decompressed bytes.
BLOCK = "<4I2Q"
# Magic text, version, number of blocks, offset, length, checksum, flags.
TRAILER = "<8s2I2Q2I"
BLOCK_SIZE, TRAILER_SIZE = struct.calcsize(BLOCK), struct.calcsize(TRAILER)
POSIX_EXT, LIVE, PARTIAL, NONE = 64, 1, 1, 2


@functools.cache
def log_named(name: str) -> Log:
    """Returns a log of the catalogue."""
    return next(case.log for case in good_cases() if case.name == name)


def parts(data: bytes) -> tuple[bytes, bytes, list[int | bytes]]:
    """Returns the bytes of a log before its annex, the bytes of the annex's blocks, and the fields
    of its trailer."""
    trailer = list(struct.unpack(TRAILER, data[-TRAILER_SIZE:]))
    offset, length = trailer[3], trailer[4]
    return data[:offset], data[offset : offset + length], trailer


def built(body: bytes, blocks: bytes, **changes: int) -> bytes:
    """Returns the bytes of the log `body` with an annex of the given blocks and a valid trailer.
    changes: fields of the trailer with other values."""
    fields = {"version": 1, "count": 1, "offset": len(body), "length": len(blocks)}
    fields |= {"checksum": zlib.crc32(blocks), "flags": 0} | changes
    return body + blocks + struct.pack(TRAILER, b"DshAnnex", *fields.values())


def block(module: int, content: bytes, **changes: int) -> bytes:
    """Returns the bytes of an uncompressed block of the annex. module: its id; content: its
    records. changes: fields of the block's head with other values."""
    fields = {"module": module, "version": 1, "compression": NONE, "flags": 0}
    fields |= {"stored": len(content), "raw": len(content)} | changes
    return struct.pack(BLOCK, *fields.values()) + content


def damaged() -> Iterator[tuple[str, bytes]]:
    """Yields, for each defect of the annex, its name and the bytes of a log that has it."""
    body, blocks, _ = parts(encode(log_named("good-annex-little")))
    huge = (1 << 64) - 1
    yield "checksum", built(body, blocks, checksum=zlib.crc32(blocks) ^ 1)
    yield "bit", built(body, blocks[:-1] + bytes([blocks[-1] ^ 1]), checksum=zlib.crc32(blocks))
    yield "version", built(body, blocks, version=2)
    yield "offset", built(body, blocks, offset=huge)
    yield "offset-header", built(body, blocks, offset=0)
    yield "length", built(body, blocks, length=huge)
    yield "length-sum", built(body, blocks, length=huge - len(body))
    yield "blocks", built(body, blocks, count=2)
    yield "blocks-many", built(body, blocks, count=(1 << 32) - 1)
    yield "blocks-few", built(body, blocks, count=0)
    for what, one in {
        "module": block(3, b""),
        "stored": block(POSIX_EXT, bytes(99), stored=100),
        "stored-huge": block(POSIX_EXT, bytes(99), stored=huge),
        "raw": block(POSIX_EXT, bytes(99), raw=100),
        "compression": block(POSIX_EXT, bytes(99), compression=7),
    }.items():
        yield f"block-{what}", built(body, one)
    twice = block(POSIX_EXT, b"")
    yield "block-twice", built(body, twice + twice, count=2)


def parsed(parser: Path, folder: Path, data: bytes) -> tuple[list[bytes], bytes]:
    """Returns the rows that darshan-parser prints for a log with these bytes, and its output on
    stderr. Fails if its status is not 0."""
    path = folder / "log"
    path.write_bytes(data)
    done = run(parser, "--base", "--show-incomplete", path)
    assert done.returncode == 0, done.stderr.decode()
    return data_lines(done.stdout), done.stderr


@functools.cache
def plain_rows() -> list[bytes]:
    """Returns the rows of good-annex-little without those of its annex."""
    return [row for row in rows(log_named("good-annex-little")) if not row.startswith(b"POSIX_EXT")]


@pytest.mark.parametrize("data", [pytest.param(data, id=what) for what, data in damaged()])
def test_damage_costs_the_annex_only(data: bytes, parser: Path, tmp_path: Path) -> None:
    """For a damaged annex, darshan-parser prints the rest of the log, and a warning of one line
    that names the annex."""
    got, said = parsed(parser, tmp_path, data)
    assert got == plain_rows()
    assert said.count(b"\n") == 1
    assert b"annex" in said


def test_damage_is_nobodys_concern_without_the_annex(parser: Path, tmp_path: Path) -> None:
    """With --no-annex, darshan-parser does not read a damaged annex, prints no warning and exits
    with 0."""
    path = tmp_path / "log"
    path.write_bytes(dict(damaged())["checksum"])
    done = run(parser, "--no-annex", path)
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_trailer_no_annex(parser: Path, tmp_path: Path) -> None:
    """Bytes after a log that do not end with the annex's trailer are not an annex, and cause no
    warning."""
    body, blocks, _ = parts(encode(log_named("good-annex-little")))
    got, said = parsed(parser, tmp_path, body + blocks + b"x" * TRAILER_SIZE)
    assert (got, said) == (plain_rows(), b"")


def test_live_annex(parser: Path, tmp_path: Path) -> None:
    """In a journal, whose blocks have spare space, darshan-parser shows only the first raw_len
    bytes of a block as records."""
    body, blocks, _ = parts(encode(log_named("good-annex-uncompressed")))
    records = blocks[BLOCK_SIZE:]
    room = records + b"\xee" * 5000
    live = block(POSIX_EXT, room, raw=len(records))
    got, said = parsed(parser, tmp_path, built(body, live, checksum=0, flags=LIVE))
    assert (got, said) == (rows(log_named("good-annex-uncompressed")), b"")


def test_unknown_and_partial_blocks(parser: Path, tmp_path: Path) -> None:
    """darshan-parser accepts the blocks of the annex in any order, and names an unknown module in a
    message. Without --show-incomplete, it ends with 255 at a partial module of the annex."""
    body, blocks, _ = parts(encode(log_named("good-annex-little")))
    unknown = block(99, b"whatever it is")
    got, said = parsed(parser, tmp_path, built(body, unknown + blocks, count=2))
    assert got == rows(log_named("good-annex-little"))
    assert b"99" in said
    head = list(struct.unpack(BLOCK, blocks[:BLOCK_SIZE]))
    head[3] = PARTIAL
    partial = built(body, struct.pack(BLOCK, *head) + blocks[BLOCK_SIZE:])
    got, said = parsed(parser, tmp_path, partial)
    assert (got, said) == (rows(log_named("good-annex-little")), b"")
    stopped = run(parser, "--base", tmp_path / "log")
    assert stopped.returncode == 255
    assert data_lines(stopped.stdout) == plain_rows()


def test_names_of_processes(parser: Path, tmp_path: Path) -> None:
    """darshan-parser escapes the command line in a PROCESS record, so that it cannot forge rows or
    control a terminal; --no-annex omits the record."""
    path = tmp_path / "log"
    path.write_bytes(encode(log_named("good-tree-strange")))
    done = run(parser, path)
    (row,) = (x for x in data_lines(done.stdout) if b"PROCESS_STATUS\t-1\t" in x and b"script" in x)
    fields = row.split(b"\t")
    assert fields[5] == b"node1: \\x1b[31m<script>alert(1)</script> $x^{2}$_% \xff\\n\\t"
    bare = run(parser, "--no-annex", path)
    assert (bare.returncode, data_lines(bare.stdout), bare.stderr) == (0, [], b"")
