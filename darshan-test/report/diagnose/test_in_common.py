"""Advice to keep a file open, or its contents in memory, is not given for files that several
processes use at the same time: one process would lose what the others write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.accesses.in_common import InCommon
from darshan_report.diagnose.facts import Facts
from darshan_report.diagnose.remedies.in_common import LOCKED, OUTPUT, STATE
from darshan_report.diagnose.run import diagnose, diagnose_facts
from darshan_report.measure.processes.processes import processes

from .build import Job, number_of, row, shared, write
from .cases import CASES

# Words of remedies by which a process would lose what others write meanwhile.
_LOSES = re.compile(
    r"open(ed)? (files? |each file |the file )?once"
    r"|keep[^.;:]* (open|memory|descriptor|handle|mapping|values|result)"
    r"|\b(collect|change|in)\b[^.;:]* memory|write[^.;:]* less often|remember",
    re.IGNORECASE,
)
# Findings whose remedies have such words and lose nothing, with the reason.
_LOSE_NOTHING = {
    "chunks-rewritten": "values that are not yet in the file; only one process writes it",
    "across-the-grain": "the values that a process reads of a block, for one use",
    "checkpoints-often": "a checkpoint is written as a whole, for a restart",
    "costly-lookups": "names, not contents",
    "element-wise": "each process writes what it has, in one call",
    "failed-lookups": "names, not contents; a program that waits for a file is told how",
    "fine": "pages of programs",
    "flush-per-chunk": "each process writes what it has, in one call",
    "hdf5-file-time": "all ranks open the file together, and HDF5 knows of all of them",
    "hdf5-opened-again": "the remedy says to flush for other processes",
    "loaded-whole": "the remedy keeps nothing in memory",
    "scattered-selection-reads": "the rows that a process reads, for one use",
    "header-moves": "the variables of a file that is created",
    "many-objects": "a layout of the data",
    "many-small-files": "temporary files of one process",
    "mapped-faults": "a mapping shows what others write",
    "mpi-io": "MPI-IO, by all ranks together",
    "program-files": "programs, which nobody changes",
    "shared-pointer": "the records of a step, of each process",
    "slowing-down": "nothing is kept",
    "small-accesses": "each process writes what it has, in one call",
    "tiny-collective": "collective calls, of all processes together",
    "variable-length": "a layout of the data",
    "waits-for-locks": "the remedy is about several processes",
    "written-in-turns": "the remedy is about several processes",
}
_OF_COMMON = (STATE.text, OUTPUT.text, LOCKED.text)


@pytest.mark.parametrize(
    ("name", "having"), [(n, h) for n, h, _ in CASES], ids=[n for n, _, _ in CASES]
)
def test_no_rule_loses_data(
    name: str, having: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If other processes read and wrote all files of a case, its findings either advise nothing
    that loses data or say how other processes use the files."""
    ids = frozenset(number_of(one.name) for one in having.rows)
    monkeypatch.setattr(Facts, "common", InCommon(states=ids))
    with open_log(write(having, tmp_path / "log.darshan")) as log:
        found = diagnose_facts(Facts(log, None, processes(log)))
    assert name in {finding.name for finding in found}
    for finding in found:
        text = finding.remedy.text
        said = text in _OF_COMMON or "Do not do this for" in text
        if not said and not finding.name.startswith(tuple(_LOSE_NOTHING)):
            assert not _LOSES.search(text), (finding.name, text)


def _told(job: Job, folder: Path) -> str:
    """Returns the remedy for files that are opened again and again."""
    with open_log(write(job, folder / "log.darshan")) as log:
        return next(f for f in diagnose(log) if f.name == "opened-again").remedy.text


def _opened(**counters: float) -> Job:
    """Returns a job whose four ranks open a file again and again."""
    return Job((shared("POSIX", "/a", OPENS=20_000, F_META_TIME=16.0, **counters),), nprocs=4)


def test_what_ranks_write_or_read(tmp_path: Path) -> None:
    """The advice for a file that ranks open again and again depends on its use: they append to it;
    they read it while others write it; or they read it after it is complete, or only read it, so
    that keeping it open loses nothing."""
    assert _told(_opened(WRITES=20_000, BYTES_WRITTEN=20_000), tmp_path) == OUTPUT.text
    times = {"F_READ_START_TIMESTAMP": 1.0, "F_WRITE_END_TIMESTAMP": 9.0}
    both = {"WRITES": 9_000, "BYTES_WRITTEN": 90_000, "READS": 60_000, "BYTES_READ": 600_000}
    assert _told(_opened(**both, **times), tmp_path) == STATE.text
    done = {"F_READ_START_TIMESTAMP": 2.0, "F_WRITE_END_TIMESTAMP": 1.0}
    assert _told(_opened(**both, **done), tmp_path) not in _OF_COMMON
    assert _told(_opened(READS=20_000, BYTES_READ=200_000), tmp_path) not in _OF_COMMON


@pytest.mark.parametrize(
    ("locked", "common"), [("/a", True), ("/a.lock", True), ("/b.lock", False), ("", False)]
)
def test_what_one_process_locks(locked: str, common: bool, tmp_path: Path) -> None:
    """If the only process of a run locks the file, or a file of its name with .lock, others may use
    the file: the advice for locked files is given. locked: the locked file; common: whether the
    advice is expected."""
    opened = row("POSIX", "/a", OPENS=5000, WRITES=5000, BYTES_WRITTEN=50_000, F_META_TIME=4.0)
    lock = (row("POSIX_EXT", locked, LOCKS=5000, F_LOCK_TIME=0.01),) if locked else ()
    assert (_told(Job((opened, *lock)), tmp_path) == LOCKED.text) == common


def test_what_sqlite_locks(tmp_path: Path) -> None:
    """The locks that SQLite takes on its database do not change the advice, because an open
    connection of SQLite sees what others write."""
    opened = row("POSIX", "/a.db", OPENS=5000, WRITES=5000, BYTES_WRITTEN=50_000, F_META_TIME=4.0)
    lock = row("POSIX_EXT", "/a.db", LOCKS=5000, F_LOCK_TIME=0.01)
    assert _told(Job((opened, lock)), tmp_path) not in _OF_COMMON


def test_what_hdf5_locks(tmp_path: Path) -> None:
    """HDF5 locks each file that it opens, until it closes it: that is no choice of the program."""
    opened = row("POSIX", "/a.h5", OPENS=5000, WRITES=5000, BYTES_WRITTEN=50_000, F_META_TIME=4.0)
    file = row("H5F", "/a.h5", OPENS=5000)
    for locks, told in ((10_000, False), (25_000, True)):
        lock = row("POSIX_EXT", "/a.h5", LOCKS=locks, F_LOCK_TIME=0.01)
        with open_log(write(Job((opened, file, lock)), tmp_path / "log.darshan")) as log:
            found = {finding.remedy.text for finding in diagnose(log)}
        assert (LOCKED.text in found) == told


def test_one_of_many_files(tmp_path: Path) -> None:
    """If all ranks use one of several files, the advice to open files once excepts this file."""
    own = row("POSIX", "/own", OPENS=5000, WRITES=5000, BYTES_WRITTEN=50_000, F_META_TIME=4.0)
    common = shared("POSIX", "/all", OPENS=400, WRITES=400, BYTES_WRITTEN=4000, F_META_TIME=0.5)
    told = _told(Job((own, common), nprocs=4), tmp_path)
    assert told.startswith("Open once") and "Do not do this for /all" in told


def test_one_of_many_is_locked(tmp_path: Path) -> None:
    """If a process locks one of several files, the advice to open files once says for this file:
    not without the lock."""
    own = row("POSIX", "/own", OPENS=5000, WRITES=5000, BYTES_WRITTEN=50_000, F_META_TIME=4.0)
    locked = row("POSIX", "/all", OPENS=400, WRITES=400, BYTES_WRITTEN=4000, F_META_TIME=0.5)
    lock = row("POSIX_EXT", "/all", LOCKS=400, F_LOCK_TIME=0.01)
    told = _told(Job((own, locked, lock)), tmp_path)
    assert told.startswith("Open once") and "Do not do this for /all without the lock" in told
    assert "other processes use" not in told
