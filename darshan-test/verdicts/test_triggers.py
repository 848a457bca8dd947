"""Every diagnosis has a program for which the runtime records its evidence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from corpus import ROWS, Row
from judge import HERE, C, Judge, needed
from lab.compile import compile_c
from lab.findings import open_report
from place import needs
from sample import turning

SHARE = 0.1
TRIES = 3  # attempts on a busy machine

BY_NAME = {row.name: row for row in ROWS}
# Findings that must come first for a corpus row, which test_verdicts.py checks.
FIRST = {next(iter(row.findings)) for row in ROWS if len(row.findings) == 1}


@dataclass(frozen=True)
class Trigger:
    """A row of the corpus whose log must have a finding, with what differs from the row: settings,
    thresholds, processors."""

    row: str
    settings: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, float], ...] = ()  # thresholds of the report
    crowded: bool = False  # the four ranks run on two processors


# Thresholds with which no rule for a pattern applies, so that a general finding speaks.
GENERAL = tuple(
    (name, 1e12)
    for name in (
        "operations", "opens.again", "stats.again", "sync.calls", "lists.again", "lists.entries",
        "objects.many", "collective.calls", "seeks.many", "stream.calls", "flush.calls",
        "files.many", "files.some", "again.factor", "grain.calls", "chunk.amplification",
        "calls.many", "sync.share", "metadata.share", "element.bytes",
    )
)  # fmt: skip
# Thresholds with which a call that takes little time is told, too.
CHEAP = (("io.fine", 0), ("stake.seconds", 0))
# Findings that come first for no row, or only as one of several.
BESIDE = {
    "aggregators": Trigger("blocks-c/one-aggregator/mpich"),
    "as-it-should-be-collective": Trigger("ranks-c/large-collective/mpich"),
    "as-it-should-be-sequential": Trigger("transfers-c/small-writes"),
    "balance": Trigger("transfers-c/large-writes"),
    "blocking-only": Trigger("ranks-c/independent-writes/mpich"),
    "costly-between": Trigger("between-py/sweeps"),
    "costly-buffers": Trigger(
        "streams-c/getc-buffered", limits=(*CHEAP, ("characters.many", 1e12))
    ),
    "costly-communication": Trigger("ranks-c/tiny-collective/mpich", limits=GENERAL),
    "costly-hdf5": Trigger("fields-c/elements", limits=GENERAL),
    "costly-listings": Trigger("names-c/walk-once"),
    "costly-lookups": Trigger("names-c/failed-access", limits=GENERAL),
    "costly-mappings": Trigger("transfers-c/map-at-once", limits=(*GENERAL, *CHEAP)),
    "costly-mpiio": Trigger("ranks-c/independent-writes/mpich", limits=(*GENERAL, *CHEAP)),
    "costly-opens": Trigger("names-c/stat-poll", limits=GENERAL),
    "costly-reads": Trigger("transfers-c/small-reads", limits=GENERAL),
    "costly-syncs": Trigger("sync-c/fsync-each", limits=GENERAL),
    "costly-writes": Trigger("transfers-c/small-writes", limits=GENERAL),
    "compared-whole": Trigger("readers-py/digests-of-all"),
    "conversion-reading": Trigger("words-py/text-in"),
    "conversion-writing": Trigger("words-py/text-out"),
    "deprecated-calls": Trigger("fields-c/old-calls"),
    "file-per-process": Trigger(
        "ranks-c/file-each-step/mpich", limits=(("perprocess.processes", 4),)
    ),
    "fine": Trigger("transfers-c/large-writes"),
    "imbalance-shared": Trigger("ranks-c/uneven-shared/mpich"),
    "incomplete": Trigger("names-c/read-many", (("DARSHAN_MODMEM", "1"),)),
    "asked-one-by-one-many": Trigger("passed-py/task-each"),
    "asked-one-by-one-manager": Trigger("passed-py/values-of-a-manager"),
    "kernel-work-tasks": Trigger("outside-py/task-each-line"),
    "kernel-work-copies": Trigger("outside-py/pieces-appended"),
    "kernel-work-mapped": Trigger("outside-py/map-copied"),
    "kernel-work-reads": Trigger("outside-py/users-asked"),
    "memory-alignment": Trigger("transfers-c/odd-buffers"),
    "program-files": Trigger("words-py/many-imports"),
    "random-access-read": Trigger("transfers-c/random-reads"),
    "random-access-write": Trigger("transfers-c/random-writes"),
    "ranks-outnumber-processors": Trigger("ranks-c/tiny-collective/mpich", crowded=True),
    "read-write-alternation": Trigger("transfers-c/update-in-place"),
    "sent-to-workers": Trigger("passed-py/blocks-to-workers"),
    "old-pickle": Trigger("readers-py/pickle-as-text"),
    "shared-file-contention": Trigger("blocks-c/odd-blocks/mpich"),
    "sleeps-between-look-ups-in-vain": Trigger("waits-py/never-made"),
    "sleeps-between-look-ups-of-others": Trigger("waits-sh/made-outside"),
    "pieces-rewritten": Trigger("between-py/pieces-packed"),
    "slow-text": Trigger("between-py/dates-of-lines"),
    "slowing-down": Trigger("transfers-c/search-from-start"),
    "storage-targets": Trigger("targets-c/all-targets"),
    "threads-in-turn": Trigger(
        "locks-c/lock-over-parse", limits=(("turns.least", 0.01), ("turns.waits", 0.01))
    ),
    "unaligned": Trigger("blocks-c/odd-blocks/mpich"),
    "unseen-mapped": Trigger("transfers-c/mapped"),
}
# Findings that a test in this file triggers.
TESTS = {
    "between-calls-pieces": "test_between_calls",
    "between-calls-records": "test_between_calls",
    "row-groups": "test_between_calls",
    "whole-tables": "test_between_calls",
    "gpu-compatibility": "test_gpu_direct",
    "loader-bound-training": "test_training",
    "long-imports": "test_before_training",
    "made-at-start": "test_before_training",
    "read-by-each-worker": "test_whole_set",
    "shared-across-fork": "test_inherited",
    "unseen-storage": "test_bytes_from_storage",
    "unseen-io-uring": "test_rings",
    "unseen-hdf5": "test_hdf5_inside",
    "unseen-programs": "test_static_program",
}


# Attempts of a program whose waits have another reason if other programs take the processors.
TRIES = 3


@pytest.fixture(scope="module")
def judge(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Builds the programs that the sample needs."""
    return Judge(build, tmp_path_factory.mktemp("triggers"))


@contextmanager
def on_two_processors(wanted: bool) -> Iterator[None]:
    """Processes that start within the context run on two processors, if wanted."""
    before = os.sched_getaffinity(0)
    try:
        if wanted:
            os.sched_setaffinity(0, sorted(before)[:2])
        yield
    finally:
        os.sched_setaffinity(0, before)


def findings(build: Path, log: Path, limits: tuple[tuple[str, float], ...] = ()) -> list[Any]:
    """Returns all findings of a log."""
    diagnose, limits_of, open_log = open_report(build)
    with open_log(log) as opened:
        return list(diagnose(opened, limits_of(dict(limits))))


def told(build: Path, log: Path, limits: tuple[tuple[str, float], ...] = ()) -> set[str]:
    """Returns the names of all findings of a log."""
    return {f.name for f in findings(build, log, limits)}


def all_names(build: Path) -> set[str]:
    """Returns the names of all findings: each has a case, which report/ tests against the rules."""
    open_report(build)
    sys.path.append(str(HERE.parent))
    from report.diagnose.cases import CASES  # noqa: PLC0415 - it imports the report

    return {name for name, _, _ in CASES}


def test_all_have_one(build: Path) -> None:
    """Each diagnosis has a program or a test that triggers it, and no other diagnosis is listed."""
    declared = [FIRST, set(BESIDE), set(TESTS)]
    missing = all_names(build) - set().union(*declared)
    assert not missing, f"no program triggers {', '.join(sorted(missing))}"
    assert set().union(*declared) <= all_names(build)
    assert {trigger.row for trigger in BESIDE.values()} <= set(BY_NAME)
    assert set(TESTS.values()) <= set(globals())


def circumstances(trigger: Trigger) -> Row:
    """Returns the row that the trigger names, with the trigger's settings added."""
    row = BY_NAME[trigger.row]
    return replace(row, settings=row.settings + trigger.settings)


@pytest.mark.parametrize("name", turning(sorted(BESIDE), SHARE, "triggers"))
def test_told(name: str, judge: Judge) -> None:
    """The report of a program's log has the diagnosis that the program triggers, in one of several
    tries. name: of the diagnosis."""
    trigger = BESIDE[name]
    row = circumstances(trigger)
    needs(*needed(row))
    found: set[Any] = set()
    for _ in range(TRIES):
        with on_two_processors(trigger.crowded):
            found = told(judge.build, judge.log_of(row), trigger.limits)
        if name in found:
            return
    pytest.fail(f"{row.name} is told as {', '.join(sorted(found))}")


def run_of(build: Path, folder: Path, *command: str | Path) -> Path:
    """Returns the log that darshan run makes of a command."""
    log = folder / "a.darshan"
    settings = {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(folder)}
    done = [str(build / "darshan"), "run", "-o", str(folder), *map(str, command)]
    subprocess.run(
        done, cwd=folder, env=os.environ | settings, check=True, stderr=subprocess.DEVNULL
    )
    return log


HDF5 = """
#include <hdf5.h>
int main(void) {
  hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  for (volatile long i = 0; i < 100000000; i++)
    ;
  return H5Fclose(file) < 0 || H5Fclose(H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT)) < 0;
}
"""


def test_hdf5_inside(judge: Judge, tmp_path: Path) -> None:
    """A program with static HDF5 is reported, and not called fine. A program that copies an HDF5
    file, or that uses the shared library, is not reported."""
    needs("hdf5")
    (tmp_path / "a.c").write_text(HDF5)
    headers = ["gcc", *C, *judge.setting("HDF5_CPPFLAGS"), "a.c", "-o"]
    for name, libraries in (("inside", "HDF5_STATIC_LIBS"), ("shared", "HDF5_LIBS")):
        command = [*headers, name, *judge.setting(libraries)]
        subprocess.run(command, cwd=tmp_path, check=True)
    for program, is_told in (
        (("./inside",), True),
        (("cp", "a.h5", "b.h5"), False),
        (("./shared",), False),
    ):
        log = run_of(judge.build, tmp_path, *program)
        found = findings(judge.build, log)
        assert ("unseen-hdf5" in {f.name for f in found}) == is_told, program
        titles = [f.title for f in found if f.name == "fine"]
        assert not (is_told and "Your I/O is fine" in titles)
        log.unlink()


def test_static_program(build: Path, tmp_path: Path) -> None:
    """A static program in a script is reported; a run of instrumented programs is not."""
    compile_c(tmp_path, "int main(void) { return 0; }\n", "-static", name="a")
    log = run_of(build, tmp_path, "sh", "-c", "./a; cat a.c > b; true")
    assert "unseen-programs" in told(build, log)
    log.unlink()
    log = run_of(build, tmp_path, "sh", "-c", "cat a.c > b; cat b; true")
    assert "unseen-programs" not in told(build, log)


def test_training(build: Path, tmp_path: Path) -> None:
    """A training that loads between its steps is reported; a training with long steps is not. The
    DataLoader is a stand-in (training/)."""
    folder = HERE.parent / "training"
    packages = f"PYTHONPATH={folder / 'standin'}"
    for scenario, expected in (("waiting", True), ("computing", False)):
        command = (sys.executable, str(folder / "epochs.py"), scenario)
        log = run_of(build, tmp_path, "env", packages, "PYTHONDONTWRITEBYTECODE=1", *command)
        assert ("loader-bound-training" in told(build, log)) == expected
        log.unlink()


def test_before_training(build: Path, tmp_path: Path) -> None:
    """A training whose imports take longer than an epoch, and that makes a file before its first
    epoch, has a notice for each; one that finds the file, with longer epochs, has none."""
    folder = HERE.parent / "training"
    packages = f"PYTHONPATH={folder / 'standin'}"
    program = folder / "before.py"
    for way, expected in (("all", True), ("little", False)):
        command = ("DARSHAN_SITES=1", sys.executable, str(program), way)
        log = run_of(build, tmp_path, "env", packages, "PYTHONDONTWRITEBYTECODE=1", *command)
        found = told(build, log)
        assert ("made-at-start" in found, "long-imports" in found) == (expected, expected)
        log.unlink()


def test_whole_set(build: Path, tmp_path: Path) -> None:
    """A training of two ranks that both read all files is reported; a training whose ranks each
    read a part is not."""
    folder = HERE.parent / "training"
    for number in range(4):
        (tmp_path / f"{number}.bin").write_bytes(bytes(8 << 20))
    for scenario, expected in (("whole", True), ("part", False)):
        one = f"{sys.executable} -B {folder / 'ranks_alone.py'} {scenario}"
        both = f"WORLD_SIZE=2 RANK=0 {one} & WORLD_SIZE=2 RANK=1 {one} & wait"
        log = run_of(build, tmp_path, "env", f"PYTHONPATH={folder / 'standin'}", "sh", "-c", both)
        assert ("read-by-each-worker" in told(build, log)) == expected
        log.unlink()


@pytest.mark.parametrize("kind", ["position", "hdf5"])
def test_inherited(build: Path, tmp_path: Path, kind: str) -> None:
    """Workers that read a file which the main process opened are reported; workers that open it
    themselves are not."""
    if kind == "hdf5":
        pytest.importorskip("h5py")
    folder = HERE.parent / "training"
    for scenario, expected in ((kind, True), (f"{kind}-own", False)):
        command = (sys.executable, "-B", str(folder / "inherited.py"), scenario)
        log = run_of(build, tmp_path, "env", f"PYTHONPATH={folder / 'standin'}", *command)
        assert ("shared-across-fork" in told(build, log)) == expected
        log.unlink()


def test_once_in_each_epoch(build: Path, tmp_path: Path) -> None:
    """Files that the workers of each epoch read once are not blamed on the number of processes. A
    file that every sample reads whole is, and the finding about the loop says it."""
    folder = HERE.parent / "training"
    for number in range(16):
        (tmp_path / f"{number}.bin").write_bytes(bytes(200 << 10))
    for scenario, expected in (("once", False), ("common", True)):
        command = (sys.executable, "-B", str(folder / "each_epoch.py"), scenario)
        settings = (f"PYTHONPATH={folder / 'standin'}", "DARSHAN_SITES=1")
        for attempt in range(1, TRIES + 1):
            log = run_of(build, tmp_path, "env", *settings, *command)
            found = {finding.name: finding for finding in findings(build, log)}
            log.unlink()
            told = "read a whole file" in found["loader-bound-training"].sentence
            if told == expected or attempt == TRIES:
                break
        assert (told, "read-by-each" in found) == (expected, expected)


LOGGED = """
import logging
logging.basicConfig(filename="log", level=logging.INFO, format="%(message)s")
for number in range(30000):
    logging.info(number)
"""
DIRECT = """
integer :: i
open(10, file='a.da', access='direct', recl=8, form='unformatted')
do i = 1, 3000000
  write(10, rec=i) real(i, 8)
end do
end
"""
COLUMNS = """
import sys, numpy, pandas
if len(sys.argv) > 1:
    pandas.DataFrame(numpy.zeros((50000, 90))).rename(columns=str).to_parquet("a.parquet")
else:
    print(sum(float(pandas.read_parquet("a.parquet")["7"].sum()) for n in range(20)))
"""
GROUPS = """
import pyarrow
from pyarrow.parquet import ParquetWriter
table = pyarrow.table({name: list(range(60)) for name in "abcd"})
with ParquetWriter("rows.parquet", table.schema) as writer:
    for number in range(2000):
        writer.write_table(table)
"""


def test_between_calls(build: Path, tmp_path: Path) -> None:
    """The time of a library between its calls is a notice if no problem contains it."""
    (tmp_path / "direct.f90").write_text(DIRECT)
    (tmp_path / "columns.py").write_text(COLUMNS)
    command = [sys.executable, str(tmp_path / "columns.py")]
    subprocess.run([*command, "make"], cwd=tmp_path, check=True)
    subprocess.run(["gfortran", "direct.f90", "-o", "direct"], cwd=tmp_path, check=True)
    for name, program, limits in (
        (
            "between-calls-pieces",
            (sys.executable, "-c", LOGGED),
            (("small.share", 2.0), ("conversion.share", 0.01)),
        ),
        ("row-groups", (sys.executable, "-c", GROUPS), (("stake.share", 0.01),)),
        ("between-calls-records", ("./direct",), ()),
        ("whole-tables", command, (("tables.bytes", 1000.0), ("again.factor", 1e12))),
    ):
        log = run_of(build, tmp_path, "--sites", *program)
        assert name in told(build, log, limits)
        log.unlink()


# Each page waits for storage of its own: what the kernel reads ahead comes while a process waits
# for a processor.
MAPPED = """
import ctypes, mmap, os, sys
RANDOM = mmap.MADV_RANDOM
with open("a", "r+b") as file:
    size = os.fstat(file.fileno()).st_size
    if sys.argv[1] == "seen":
        mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        mapped.madvise(RANDOM)
    else:  # by number, which nobody hears of
        call = ctypes.CDLL(None).syscall
        call.restype = ctypes.c_void_p
        at = call(9, None, ctypes.c_size_t(size), 1, 1, file.fileno(), ctypes.c_long(0))
        call(28, ctypes.c_void_p(at), ctypes.c_size_t(size), RANDOM)
        mapped = (ctypes.c_char * size).from_address(at)
    for at in range(0, size, 4096):
        mapped[at]
"""


def only_on_storage(path: Path, size: int) -> None:
    """Writes a file that the page cache does not have."""
    with path.open("wb") as file:
        file.write(os.urandom(size))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@pytest.mark.needs("storage")
@pytest.mark.parametrize("how", ["seen", "unseen"])
def test_bytes_from_storage(how: str, build: Path, tmp_path: Path) -> None:
    """Page faults of a mapped file read bytes that no call transferred. The finding is not
    reported if the runtime saw the mapping, nor for a small file."""
    for size, is_told in ((32, True), (0, False)):
        only_on_storage(tmp_path / "a", (size << 20) + 4096)
        log = run_of(build, tmp_path, sys.executable, "-c", MAPPED, how)
        found = told(build, log)
        assert ("unseen-storage" in found) == (is_told and how == "unseen")
        assert ("unseen-mapped" in found) == (is_told and how == "seen")
        log.unlink()


@pytest.mark.parametrize("path", ["compat", "direct"])
def test_gpu_direct(
    path: str, build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that a stand-in of cuFile moved by POSIX calls are reported."""
    source, library = HERE.parent / "gds", tmp_path / "libcufile.so.0"
    monkeypatch.setenv("STANDIN_PATH", path)
    for words in (
        ["-shared", "-fPIC", f"-Wl,-soname,{library.name}", source / "library.c", "-o", library],
        [source / "every.c", library, f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "every"],
    ):
        subprocess.run(["gcc", "-pthread", *map(str, words)], check=True)
    log = run_of(build, tmp_path, tmp_path / "every")
    limits = (("stake.seconds", 0.0), ("stake.share", 0.0))
    assert ("gpu-compatibility" in told(build, log, limits)) == (path == "compat")


RING = r"""
#include <liburing.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static char text[4096];
/* Tells the kernel as liburing does, or by an instruction of its own. */
static long submit(struct io_uring *ring, int unseen) {
  unsigned *tail = ring->sq.ktail;
  long done;
  register long wait __asm__("r10") = 1, mask __asm__("r8") = 0, size __asm__("r9") = 8;
  if (!unseen) return io_uring_submit(ring);
  ring->sq.array[*tail & 7] = ring->sq.sqe_head++ & 7;
  __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
  __asm__ volatile("syscall"
                   : "=a"(done)
                   : "a"(SYS_io_uring_enter), "D"(ring->ring_fd), "S"(1), "d"(1), "r"(wait),
                     "r"(mask), "r"(size)
                   : "rcx", "r11", "memory");
  return done;
}
int main(int argc, char **argv) {
  struct io_uring ring;
  struct io_uring_cqe *result;
  int unseen = argc > 1 && atoi(argv[1]), fd = open("data", O_RDWR | O_CREAT, 0600);
  if (io_uring_queue_init(8, &ring, 0) < 0) return 2;
  for (int i = 0; i < 500; i++) {
    io_uring_prep_write(io_uring_get_sqe(&ring), fd, text, sizeof(text), i * (long)sizeof(text));
    if (submit(&ring, unseen) != 1 || io_uring_wait_cqe(&ring, &result)) return 3;
    if (result->res != sizeof(text)) return 4;
    io_uring_cqe_seen(&ring, result);
  }
  io_uring_queue_exit(&ring);
  return 0;
}
"""


@pytest.mark.needs("processor:x86_64", "io_uring")
def test_rings(build: Path, tmp_path: Path) -> None:
    """Requests that the program submits by its own system call are reported; requests of liburing
    are not."""
    program = compile_c(tmp_path, RING, "-luring", name="ring", first=["gcc", "-O1"])
    log = run_of(build, tmp_path, program, "1")
    diagnose, limits_of, open_log = open_report(build)
    with open_log(log) as opened:
        (found,) = [f for f in diagnose(opened, limits_of({})) if f.name == "unseen-io-uring"]
    assert "500 of 500 io_uring requests were not seen" in found.sentence
    advice = found.remedy.text
    assert "read_bytes and write_bytes" in advice
    assert "rchar and wchar do not include" in advice
    log.unlink()
    log = run_of(build, tmp_path, program, "0")
    assert "unseen-io-uring" not in told(build, log)
