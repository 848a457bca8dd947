"""The kernel's accounting of each process (USAGE records): every byte that came from storage is in
the record of one process, and the report explains it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lab.binding import processes, rows

MIB = 1 << 20
UNEXPLAINED = "Storage transferred bytes that no recorded call explains"
NOT_RECORDED = "Part of the I/O was not recorded"
# Writes as many files of 3 bytes as its argument says.
WRITER = """
import sys
for number in range(int(sys.argv[1])):
    with open(f"small-{number}", "w") as file:
        file.write(f"{number % 1000:03}")
"""
# Arguments: r or m, a file, a number of MiB. Drops the file's pages from the cache, and reads so
# much of it by calls (r) or through a mapping (m). Appends its pid and the kernel's count to the
# file "said".
READER = """
import mmap, os, resource, sys, time
how, path, size = sys.argv[1], sys.argv[2], int(sys.argv[3]) << 20
with open(path, "rb") as file:
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if how == "r":
        for at in range(0, size, 1 << 20):
            os.pread(file.fileno(), 1 << 20, at)
    elif how == "m":
        mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        mapped.madvise(mmap.MADV_RANDOM)
        for at in range(0, size, 4096):
            mapped[at]
had = resource.getrusage(resource.RUSAGE_SELF).ru_inblock * 512
with open("said", "a") as said:
    said.write(f"{os.getpid()} {had}\\n")
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Makes a folder with three files of 32 MiB, which are on the storage device, so that their
    pages can be dropped from the cache, and a program that reads them. Returns the folder."""
    (tmp_path / "reader.py").write_text(READER)
    for name in "abc":
        with (tmp_path / name).open("wb") as file:
            file.write(os.urandom(32 * MIB))
            os.fsync(file.fileno())
    return tmp_path


def run(build: Path, place: Path, *command: str, settings: dict[str, str] | None = None) -> Path:
    """Runs a command under `darshan run`. settings: of the runtime. Returns the log."""
    logs = place / "logs"
    subprocess.run(
        [build / "darshan", "run", "-o", logs, "--", *command],
        cwd=place,
        check=True,
        capture_output=True,
        env=os.environ | (settings or {}),
    )
    (log,) = logs.glob("*.darshan")
    return log


def said(place: Path) -> dict[int, int]:
    """Returns, by pid, the bytes from storage that the kernel counted for each process, as the
    process wrote them last into the file "said"."""
    return {int(pid): int(had) for pid, had in map(str.split, (place / "said").open())}


@pytest.mark.needs("storage")
def test_a_tree_counts_each_byte_once(build: Path, place: Path) -> None:
    """In a tree of children that are waited for and a program that calls exec, each byte from
    storage is in the USAGE record of one process."""
    reader = f"{sys.executable} reader.py"
    inner = f"{reader} m b 16; exec {reader} r c 8"
    log = run(build, place, "sh", "-c", f"{reader} r a 4; sh -c '{inner}'; exec {reader} m a 12")
    usage = {int(row["rank"]): row for row in rows(log, "USAGE")}
    words = said(place)
    seen = 0
    for row in processes(log).values():
        own = usage[int(row["rank"])]
        has = own["USAGE_STORAGE_START"] + own["USAGE_STORAGE_READ"]
        expected = words.get(int(row["PROCESS_PID"]))
        if expected is not None:
            seen += 1
            assert expected <= has <= expected + 4 * MIB
            assert own["USAGE_CHARS_READ"] < 16 * MIB  # not the children's bytes
    assert seen == len(words) == 4
    assert sum(row["USAGE_PROCESSES"] for row in usage.values()) >= 6


@pytest.mark.needs("storage")
def test_calls_and_mappings(build: Path, place: Path) -> None:
    """Bytes that are read through a mapping are in no counter of calls, but in the USAGE record of
    the process."""
    log = run(build, place, sys.executable, "reader.py", "m", "b", "20")
    (usage,) = rows(log, "USAGE")
    moved = sum(row["POSIX_BYTES_READ"] for row in rows(log, "POSIX"))
    assert moved < MIB
    assert 20 * MIB <= usage["USAGE_STORAGE_READ"] <= 24 * MIB
    assert usage["USAGE_MAJOR_FAULTS"] >= 20 * MIB / 4096 / 64
    assert usage["USAGE_F_BLOCKED_TIME"] > 0
    assert usage["USAGE_LOADED"] > MIB  # Python and its libraries


def test_bytes_of_excluded_files(build: Path, place: Path) -> None:
    """The USAGE record has the bytes of excluded files, in counters of their own."""
    (place / "config").write_text("NAME_EXCLUDE /b$ *\n")
    settings = {"DARSHAN_CONFIG_PATH": str(place / "config")}
    log = run(build, place, sys.executable, "reader.py", "r", "b", "8", settings=settings)
    (usage,) = rows(log, "USAGE")
    assert 8 * MIB <= usage["USAGE_EXCLUDED_READ"] < 16 * MIB  # also Python's own modules
    log.unlink()
    log = run(build, place, sys.executable, "reader.py", "r", "b", "8")
    (usage,) = rows(log, "USAGE")
    assert usage["USAGE_EXCLUDED_READ"] < 8 * MIB


def told(build: Path, log: Path) -> str:
    """Returns the text report of a log, on one line."""
    command = [build / "darshan-job-summary", "--text", log]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return " ".join(done.stdout.split())


@pytest.mark.needs("storage")
@pytest.mark.parametrize("among", ["", "sleep 0.1;"], ids=["alone", "in-a-tree"])
def test_time_on_storage_that_nobody_saw_is_not_fine(build: Path, place: Path, among: str) -> None:
    """If page faults of a mapped file wait for storage, the report says so, and not that the I/O is
    fine. among: other commands of the run."""
    reader = f"exec {sys.executable} reader.py m b 28"
    text = told(build, run(build, place, "sh", "-c", f"{among} {reader}"))
    faults, each = re.search(
        r"/b: ([0-9,]+) page faults waited for storage, each for (\S+) KiB", text
    ).groups()
    assert 28 * 256 <= int(faults.replace(",", "")) <= 30 * 256 and float(each) < 8
    assert "(MADV_WILLNEED, or MAP_POPULATE" in text and "The order is not known" in text
    assert NOT_RECORDED not in text and "is fine" not in text


@pytest.mark.needs("storage", "page-faults", "no-filter")
@pytest.mark.parametrize(
    ("steps", "title", "near"),
    [
        ("in-order", "used in order, but the kernel reads one at a time", 100),
        ("mixed", "used in no order", 0),
    ],
)
def test_the_order_of_pages_is_known(
    steps: str, title: str, near: int, build: Path, place: Path
) -> None:
    """With DARSHAN_PAGE_FAULTS=1, the report says in which order the program used the pages of a
    mapped file. steps: the order in which it reads; title, near: the expected finding, and its
    percentage of faults near the previous one."""
    if steps == "mixed":
        # A prime number of pages; most steps are larger than 2 MiB.
        source = READER.replace("mapped[at]", "mapped[at * 6151 % size]")
        (place / "reader.py").write_text(source)
    settings = {"DARSHAN_PAGE_FAULTS": "1"}
    log = run(build, place, sys.executable, "reader.py", "m", "b", "28", settings=settings)
    text = told(build, log)
    assert title in text
    every, share = re.search(
        r"order of ([0-9,]+) page faults is .*?([0-9]+) % by at", text
    ).groups()
    assert int(every.replace(",", "")) > 5000
    assert abs(int(share) - near) <= 2


@pytest.mark.needs("storage")
def test_pages_in_order_from_storage_are_named(build: Path, place: Path) -> None:
    """If a program reads a mapped file in order from storage, the report names these pages. It does
    not say that they are out of order, nor that the run has no problems."""
    source = READER.replace("mapped.madvise(mmap.MADV_RANDOM)", "pass")
    (place / "reader.py").write_text(source)
    text = told(build, run(build, place, sys.executable, "reader.py", "m", "b", "32"))
    if "Pages of mapped files came from storage" in text:  # else it hardly waited
        assert "is fine" not in text and NOT_RECORDED not in text
    assert "page faults waited for storage, each" not in text


@pytest.mark.needs("storage")
def test_pages_that_are_in_memory_are_fine(build: Path, place: Path) -> None:
    """If the mapped data is in the page cache, and only the start of the program reads from
    storage, the report says that the run has no problems."""
    (place / "b").write_bytes((place / "b").read_bytes())
    for path in (Path(sys.executable).resolve(), *Path(os.__file__).parent.glob("**/*.pyc")):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    source = READER.replace(
        "    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)\n", ""
    )
    (place / "reader.py").write_text(source + "time.sleep(0.2)\n")
    text = told(build, run(build, place, sys.executable, "reader.py", "m", "b", "28"))
    assert NOT_RECORDED not in text and "The calls on files are fine" in text


@pytest.mark.needs("storage")
@pytest.mark.parametrize("tool", ["python", "git"])
def test_pages_of_small_files_are_explained(build: Path, place: Path, tool: str) -> None:
    """Reading a file of 3 bytes from storage reads a page, and further pages for its name and
    inode: the report does not call these bytes unexplained."""
    (place / "writer.py").write_text(WRITER)
    command = [sys.executable, "writer.py", "2500"]
    if tool == "git":
        subprocess.run([sys.executable, "writer.py", "300"], cwd=place, check=True)
        subprocess.run(["git", "init", "-q", "."], cwd=place, check=True)
        command = ["sh", "-c", "exec git add small-*"]
    log = run(build, place, *command)
    stored = sum(row["USAGE_STORAGE_WRITTEN"] for row in rows(log, "USAGE"))
    moved = sum(row["POSIX_BYTES_WRITTEN"] for row in rows(log, "POSIX"))
    assert stored > moved + MIB  # else this test shows nothing
    text = told(build, log)
    assert UNEXPLAINED not in text and NOT_RECORDED not in text
