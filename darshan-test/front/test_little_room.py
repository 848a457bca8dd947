"""Runs with a small file system for journals, or under a small limit for file sizes, leave one
complete log."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab.log import Row

from .conftest import Run

# Reads the rows of a log; see the fixture rows.
Rows = Callable[[Path], list[Row]]


def bytes_of(rows: list[Row], folder: Path) -> dict[str, tuple[int, int]]:
    """Returns the bytes read and written of each file in a folder, by its name in the folder, as
    the sum over POSIX and STDIO."""
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        path = Path(row.name) if row.module in {"POSIX", "STDIO"} else Path()
        if path.parent != folder or not row.counter.endswith(("S_READ", "S_WRITTEN")):
            continue
        read, written = found.get(path.name, (0, 0))
        value = int(row.text) if "_BYTES_" in row.counter else 0
        is_read = row.counter.endswith("READ")
        found[path.name] = (read + value, written) if is_read else (read, written + value)
    return found


@pytest.fixture
def small(environment: dict[str, str], request: pytest.FixtureRequest) -> Iterator[Path]:
    """Mounts a file system with the size of the parameter at the folder for journals, and returns
    the folder."""
    journals = Path(environment["DARSHAN_MMAP_LOGPATH"])
    size = f"size={request.param}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", journals], check=True)
    yield journals
    subprocess.run(["umount", journals], check=True)


@pytest.mark.needs("root", "mount")
@pytest.mark.parametrize("small", ["4k", "64k", "128k"], indirect=True)
def test_parts_lie_elsewhere(darshan: Run, small: Path, work: Path, rows: Rows) -> None:
    """If the journal of a living process fills the file system for journals, the records of other
    processes are written elsewhere, and the run's log has all of them."""
    script = "seq 1 10 > a; cat a > b; sort -r a > c; exit 3"
    done = darshan("run", "-o", "logs", "sh", "-c", script)
    (log,) = (work / "logs").iterdir()
    assert (done.returncode, done.stderr.decode()) == (3, f"darshan: log: {log}\n")
    text = rows(log)
    assert bytes_of(text, work) == {"a": (42, 21), "b": (0, 21), "c": (0, 21)}
    said = darshan("parse", log).stdout.decode()
    assert "metadata: processes = 4\n" in said
    assert "processes_without_records" not in said
    assert [path for path in small.iterdir() if path.is_dir()] == []
    assert list(Path("/dev/shm").glob("darshan-run.*.part.*")) == []


def test_rows_need_several_files(darshan: Run, work: Path, rows: Rows) -> None:
    """If the events of a run need more space than the limit for file sizes, they are written to
    several files, and the run's log has all processes."""
    (work / "a").write_bytes(bytes(100))
    script = "ulimit -f 8; for i in $(seq 1 40); do cat a > z; done"
    done = darshan("run", "-o", "logs", "bash", "-c", script)
    (log,) = (work / "logs").iterdir()
    assert (done.returncode, done.stderr.decode()) == (0, f"darshan: log: {log}\n")
    assert bytes_of(rows(log), work)["z"] == (0, 40 * 100)
    assert "metadata: processes = 42\n" in darshan("parse", log).stdout.decode()


def test_killed_without_a_journal(darshan: Run, work: Path, rows: Rows) -> None:
    """A process that is killed under a limit for file sizes smaller than a journal counts in the
    run's log as a process without records."""
    ends = "dd if=/dev/zero of=a bs=100 count=1 status=none; sh -c 'echo >b; kill -9 $$'; :"
    done = darshan("run", "-o", "logs", "bash", "-c", f"ulimit -f 8000; {ends}")
    (log,) = (work / "logs").iterdir()
    assert done.returncode == 0
    assert bytes_of(rows(log), work)["a"] == (0, 100)
    said = darshan("parse", log).stdout.decode()
    assert "metadata: processes = 3\n" in said
    assert "metadata: processes_without_records = 1\n" in said


def test_what_is_lost_is_counted(darshan: Run, work: Path) -> None:
    """Under a limit for file sizes smaller than a log, each process reports in one line that its
    records are lost. The run's log has the number of these processes."""
    (work / "a").write_bytes(bytes(1000))
    script = "ulimit -f 1; head -c 100 a > z; head -c 100 a | cat > y; :"
    done = darshan("run", "-o", "logs", "bash", "-c", script)
    (log,) = (work / "logs").iterdir()
    lines = done.stderr.decode().splitlines()
    warnings = {line for line in lines if line != f"darshan: log: {log}"}
    lost = r"cannot write the records of a process to \S+: File too large; the run's log lacks them"
    assert len(warnings) < len(lines) and warnings
    assert all(re.fullmatch(f"darshan_library_warning: {lost}", line) for line in warnings)
    said = darshan("parse", log).stdout.decode()
    assert "metadata: processes = 4\n" in said
    assert "metadata: processes_without_records = 4\n" in said
