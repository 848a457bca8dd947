"""Writes run directories for tests: rows of the event file as runtime/format/run.h defines them,
and parts."""

from __future__ import annotations

import importlib
import os
import shutil
import struct
import zlib
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

SECOND = 1_000_000_000
MAGIC = 0x4E555244
ROW = struct.Struct("<IIiiiIqqQQ40s24s")


class Kind(IntEnum):
    START = 1
    FORKING = 2
    FORK_FAILED = 3
    SPAWNED = 4
    EXEC = 5
    END = 6
    REAPED = 7
    JOB = 8


def here() -> str:
    """Returns this host's name in the form that rows have."""
    return os.uname().nodename.split(".")[0][:23]


def pid_namespace() -> int:
    """Returns the number of this process's PID namespace."""
    return os.stat("/proc/self/ns/pid").st_ino


@dataclass
class Run:
    """A run directory. Times are nanoseconds after `base`, which is in nanoseconds since 1970."""

    folder: Path
    base: int = 1_700_000_000 * SECOND
    host: str = field(default_factory=here)
    namespace: int = field(default_factory=pid_namespace)

    def __post_init__(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True)

    @property
    def events(self) -> Path:
        return self.folder / "events"

    def row(
        self,
        kind: Kind,
        pid: int,
        at: int,
        *,
        parent: int = 1,
        status: int = 0,
        token: int = 0,
        job: int = 0,
        program: str = "",
        host: str | None = None,
        namespace: int | None = None,
    ) -> None:
        """Appends a row to the event file. at: its time in nanoseconds after `base`, for a START
        also the start of the program. status, token, job: fields of the row, see run.h. host,
        namespace: None for those of this process."""
        now = self.base + at
        row = ROW.pack(
            MAGIC,
            kind,
            pid,
            parent,
            status,
            token,
            now,
            now if kind == Kind.START else 0,
            self.namespace if namespace is None else namespace,
            job,
            program.encode()[:40],
            (self.host if host is None else host).encode()[:24],
        )
        with self.events.open("ab") as file:
            file.write(row)

    def process(
        self, pid: int, times: tuple[int, int], program: str, parent: int = 1, status: int = 0
    ) -> None:
        """Appends the rows of a process that starts, ends and is waited for. times: of its start
        and end, in nanoseconds after `base`. status: its exit status. A program with the name
        mpirun or mpiexec is marked as a launcher."""
        start, end = times
        launcher = int(program.split(".", maxsplit=1)[0] in ("mpirun", "mpiexec"))
        self.row(Kind.START, pid, start, parent=parent, program=program, status=launcher)
        self.row(Kind.END, pid, end, parent=parent, status=status)
        self.row(Kind.REAPED, pid, end, parent=parent, status=status << 8)

    def part(self, log: Path, pid: int, start: int, number: int = 0) -> Path:
        """Copies a log to the file of a part, for a program with this pid and start (nanoseconds
        after `base`). Returns the path of the copy. number: distinguishes parts of one pid and
        start."""
        path = self.folder / f"part.{pid}.{self.base + start}.{number}"
        shutil.copyfile(log, path)
        stamp(path, self.base + start, pid)
        return path

    def packed(self, log: Path, pid: int, start: int, number: int = 0) -> None:
        """Appends the log to the file `packed`, which processes share, as a part with this pid and
        start (nanoseconds after `base`)."""
        path = self.part(log, pid, start, number)
        with (self.folder / PACK).open("ab") as file:
            file.write(packed_log(path.read_bytes(), pid, self.base + start, number))
        path.unlink()


PACK, PACK_MAGIC = "packed", b"\xd7RUNPACK"
PACK_HEAD = struct.Struct("<8sQQQqiI")


def packed_log(log: bytes, pid: int, start: int, number: int = 0) -> bytes:
    """Returns the bytes of a log as they are in the file `packed`: with a head in front. start:
    nanoseconds since 1970."""
    # Tests without the Python binding import this file, too.
    hashed = importlib.import_module("darshan_report.library").load().darshan_id_of_name
    rest = struct.pack("<QQqiI", hashed(log, len(log)), len(log), start, pid, number)
    return PACK_MAGIC + struct.pack("<Q", hashed(rest, len(rest))) + rest + log


def packed_parts(folder: Path) -> list[str]:
    """Returns the names that the parts in a run directory's file `packed` would have as files."""
    file = folder / PACK
    data, at, found = file.read_bytes() if file.exists() else b"", 0, []
    while (at := data.find(PACK_MAGIC, at)) >= 0 and at + PACK_HEAD.size <= len(data):
        _, _, _, length, start, pid, number = PACK_HEAD.unpack_from(data, at)
        found.append(f"part.{pid}.{start}.{number}")
        at += PACK_HEAD.size + length
    return found


def start_of(journal: Path) -> int:
    """Returns the start of the program of a journal, in nanoseconds since 1970."""
    seconds, rest = struct.unpack_from("<qq", journal.read_bytes(), HEADER + 8)
    return int(seconds * SECOND + rest)


# Bytes of the log's header; the job region follows.
HEADER = 1328
# Offset of the table of regions in the header, and its length: names, then 64 modules, each with
# offset and length.
REGIONS_AT, REGIONS = 32, 65
ANNEX_TRAILER = 40


def stamp(path: Path, start: int, pid: int) -> None:
    """Changes the start (nanoseconds since 1970) and the process id of a finished log, without
    changing its run time."""
    data = bytearray(path.read_bytes())
    engine = zlib.decompressobj()
    job = bytearray(engine.decompress(bytes(data[HEADER:])))
    rest = data[len(data) - len(engine.unused_data) :]
    seconds = struct.unpack_from("<qqqq", job, 8)
    took = (seconds[2] - seconds[0]) * SECOND + seconds[3] - seconds[1]
    end = start + took
    struct.pack_into("<qqqq", job, 8, start // SECOND, start % SECOND, end // SECOND, end % SECOND)
    struct.pack_into("<q", job, 48, pid)  # the job id if there is no scheduler
    packed = zlib.compress(bytes(job), 9)
    moved = HEADER + len(packed) + len(rest) - len(data)
    for at in range(REGIONS_AT, REGIONS_AT + 16 * REGIONS, 16):
        offset, length = struct.unpack_from("<QQ", data, at)
        if length:
            struct.pack_into("<Q", data, at, offset + moved)
    if rest[-ANNEX_TRAILER:][:8] == b"DshAnnex":
        at = len(rest) - ANNEX_TRAILER + 16
        struct.pack_into("<Q", rest, at, struct.unpack_from("<Q", rest, at)[0] + moved)
    path.chmod(0o600)
    path.write_bytes(bytes(data[:HEADER]) + packed + bytes(rest))
