"""Logs of runs of many programs, which consist only of PROCESS records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .layouts import LAYOUTS
from .model import Counted, Log, Module
from .record_id import record_id

UNKNOWN, EXITED, KILLED, RUNNING = range(4)  # values of PROCESS_ENDED
MIB = 1 << 20
# Version of the PROCESS records.
VERSION = 2


@dataclass(frozen=True)
class Member:
    """A process of a run; its index in the list of processes is its rank. Times are in seconds
    since the start of the run."""

    commands: str  # several commands, joined by " -> ", if the process called exec
    parent: int = -1  # the parent's rank
    start: float = 0.0  # seconds of the run
    end: float = 1.0
    count: int = 1  # processes that the record stands for
    ended: int = EXITED
    status: int = 0
    failed: int | None = None  # failed processes; None: derived from status and ended
    launcher: bool = False
    job_ranks: int = 0
    opens: int = 0
    read: int = 0  # bytes, 64 KiB per call
    written: int = 0
    read_time: float = 0.0  # seconds
    write_time: float = 0.0
    meta_time: float = 0.0
    host: str = "node1"
    programs: int = 0  # number of commands; 0: as many as the arrows show

    @property
    def name(self) -> bytes:
        """Returns the name that the record has in the log."""
        return f"{self.host}: {self.commands}".encode("utf-8", "surrogateescape")


def record(rank: int, member: Member) -> Counted:
    """Returns the PROCESS record of a process. rank: its index in the list of processes."""
    bad = member.ended == KILLED or (member.ended == EXITED and member.status != 0)
    parent = 1000 + member.parent if member.parent >= 0 else 1
    integers = {
        "COUNT": member.count,
        "PID": 1000 + rank,
        "PARENT": parent,
        "PARENT_RANK": member.parent,
        "PROGRAMS": member.programs or member.commands.count(" -> ") + 1,
        "LAUNCHER": int(member.launcher),
        "JOB_RANKS": member.job_ranks,
        "ENDED": member.ended,
        "STATUS": member.status if member.ended in (EXITED, KILLED) else -1,
        "FAILED": int(bad) if member.failed is None else member.failed,
        "OPENS": member.opens,
        "READS": -(-member.read // 65536),
        "WRITES": -(-member.written // 65536),
        "BYTES_READ": member.read,
        "BYTES_WRITTEN": member.written,
        "WORLD_RANK": -1,
        "WORLD_SIZE": 0,
        "LAUNCH": 0,
    }
    times = {
        "F_START_TIMESTAMP": member.start,
        "F_END_TIMESTAMP": member.end,
        "F_READ_TIME": member.read_time,
        "F_WRITE_TIME": member.write_time,
        "F_META_TIME": member.meta_time,
    }
    layout = LAYOUTS["PROCESS"][VERSION]
    assert layout.counters == tuple(f"PROCESS_{name}" for name in integers)
    assert layout.fcounters == tuple(f"PROCESS_{name}" for name in times)
    return Counted(
        record_id(member.name),
        rank,
        {f"PROCESS_{name}": value for name, value in integers.items()},
        {f"PROCESS_{name}": value for name, value in times.items()},
    )


def processes(members: Sequence[Member]) -> tuple[Module, list[tuple[int, bytes]]]:
    """Returns the PROCESS module of the annex for these processes, and the id and name of each
    record."""
    records = [record(rank, member) for rank, member in enumerate(members)]
    module = Module("PROCESS", VERSION, list(records))
    names = {record_id(member.name): member.name for member in members}
    return module, list(names.items())


def tree_log(members: Sequence[Member], seconds: float, command: bytes = b"bash run.sh") -> Log:
    """Returns a log with PROCESS records of these processes, and no other records. seconds: the run
    time; command: the command line."""
    module, names = processes(members)
    nanoseconds = round(seconds * 1e9)
    return Log(
        start=(1700000000, 0),
        end=(1700000000 + nanoseconds // 10**9, nanoseconds % 10**9),
        nprocs=len(members),
        exe=command,
        names=list(names),
        annex=[module],
    )


def loop(cats: int) -> list[Member]:
    """Returns the processes of a shell that runs `cat` this many times, one after another."""
    step = 0.01
    shell = Member("bash loop.sh", end=step * (cats + 1), written=100, write_time=1e-4)
    return [shell] + [
        Member(f"bash loop.sh -> cat part-{i}", 0, step * i, step * (i + 0.9), opens=1,
               read=MIB, written=MIB, read_time=1e-3, write_time=2e-3, meta_time=1e-4)
        for i in range(cats)
    ]  # fmt: skip


def pipeline() -> list[Member]:
    """Returns the processes of a shell with a pipeline: gzip between a program that is killed and
    one that fails."""
    return [
        Member("bash -c dump | gzip | put", end=3.2),
        Member("bash -c dump | gzip | put -> dump --all data.db", 0, 0.1, 2.0, ended=KILLED,
               status=9, opens=3, read=40 * MIB, read_time=0.4),
        Member("bash -c dump | gzip | put -> gzip -9", 0, 0.1, 3.0),
        Member("bash -c dump | gzip | put -> put x.gz", 0, 0.1, 3.1, status=3, opens=1,
               written=9 * MIB, write_time=0.3, meta_time=0.01),
    ]  # fmt: skip


def workers(number: int) -> list[Member]:
    """Returns the processes of a Python program with this many forked workers, which read one data
    set."""
    main = Member("python3 train.py --epochs 3", end=10.0, opens=5, read=MIB, read_time=0.01)
    return [main] + [
        Member("python3 train.py --epochs 3", 0, 0.5 + 0.01 * i, 9.5, opens=1000, read=64 * MIB,
               read_time=2.0, meta_time=1.0)
        for i in range(number)
    ]  # fmt: skip


def mpi() -> list[Member]:
    """Returns the processes of a script that starts an MPI job of four ranks, each through another
    script."""
    found = [
        Member("bash job.sh", end=9.0),
        Member("bash job.sh -> mpirun -n 4 ./wrap.sh ./solver", 0, 0.5, 8.5, launcher=True),
    ]
    found += [Member("bash ./wrap.sh ./solver", 1, 0.8, 8.4, opens=2, read=300)] * 4
    # The ranks of a job have one row.
    found.append(Member("./solver in.dat", 2, 0.9, 8.3, count=4, job_ranks=4))
    return found


def strange() -> list[Member]:
    """Returns processes with circular or invalid parents, impossible times, and names with special
    characters, which readers must survive."""
    nan, inf = float("nan"), float("inf")
    return [
        Member("a", 0),
        Member("b", 2, start=5.0, end=1.0),
        Member("c", 1, start=nan, end=inf),
        Member("d", 99, start=-3.0, end=1e300, count=-5),
        Member("\x1b[31m<script>alert(1)</script> $x^{2}$_% \udcff\n\t", -7, ended=77, status=-9),
        Member("", 4, count=(1 << 63) - 1, ended=KILLED, status=9999),
        Member(" -> ", 5, read=-1, read_time=nan, write_time=-inf),
    ]
