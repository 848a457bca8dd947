"""Tests operations of liburing other than plain reads and writes: multishot requests, slots that
are opened and used at once, splices, chains. ring-cases.c has a case for each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lab.command import finished
from lab.compile import compile_c
from place import elsewhere
from run_case import parse

pytestmark = pytest.mark.needs("io_uring")

PROGRAM = Path(__file__).with_name("ring-cases.c")
SIZE = 10_000
NOT_KNOWN = 77

# The expected counters of the two files, by case; all other counters of this set are 0.
READ = {"OPENS": 1, "READS": 1, "BYTES_READ": 1000, "MAX_BYTE_READ": 999}
THREE = {"OPENS": 1, "READS": 3, "BYTES_READ": 3000, "MAX_BYTE_READ": 2999}
SPLICED = {"OPENS": 1, "READS": 1, "BYTES_READ": 3000, "MAX_BYTE_READ": 7095}
CASES: dict[str, tuple[dict[str, int], dict[str, int], int]] = {
    "poll-multishot": (THREE, {}, 3),
    "poll-once": (READ, {}, 1),
    "accept-multishot": (THREE, {}, 3),
    "direct-chain": (
        {"OPENS": 2, "READS": 2, "BYTES_READ": 2000, "MAX_BYTE_READ": 999},
        {"OPENS": 2, "WRITES": 2, "BYTES_WRITTEN": 1000, "MAX_BYTE_WRITTEN": 499},
        8,
    ),
    "direct-failed": (READ, {}, 1),
    "direct-any": (READ, {}, 2),
    "splice": (
        SPLICED,
        {"OPENS": 1, "WRITES": 1, "BYTES_WRITTEN": 3000, "MAX_BYTE_WRITTEN": 3099},
        2,
    ),
    "splice-fixed": (SPLICED, {}, 1),
    "fixed-buffers": (
        READ | {"MAX_BYTE_READ": 2999},
        {"OPENS": 1, "WRITES": 1, "BYTES_WRITTEN": 500, "MAX_BYTE_WRITTEN": 499},
        2,
    ),
    "link-broken": (
        READ | {"MAX_BYTE_READ": 9999},
        {"OPENS": 1, "WRITES": 1, "BYTES_WRITTEN": 500, "MAX_BYTE_WRITTEN": 499},
        3,
    ),
    "send-zerocopy": (THREE, {}, 3),
    "proxy": (
        {"OPENS": 1, "READS": 4, "BYTES_READ": 2000, "MAX_BYTE_READ": 1999},
        {"OPENS": 1, "WRITES": 4, "BYTES_WRITTEN": 2000, "MAX_BYTE_WRITTEN": 1999},
        8,
    ),
    "timed-wait": (READ, {}, 1),
}
NAMES = ("OPENS", "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_READ",
         "MAX_BYTE_WRITTEN")  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_c(tmp_path_factory.mktemp("rings"), PROGRAM, "-w", "-luring", name="ring-cases")


@pytest.mark.parametrize("case", list(CASES))
def test_case(case: str, program: Path, build: Path, tmp_path: Path) -> None:
    """The log of a case of ring-cases.c has the expected counters of its two files, and all of its
    requests."""
    for name in "ab":
        (tmp_path / name).write_bytes(os.urandom(SIZE))
    log = tmp_path / "a.darshan"
    done = finished(
        [build / "darshan", "run", "-o", tmp_path, program, case],
        cwd=tmp_path,
        env=os.environ | {"DARSHAN_LOGFILE": str(log), "DARSHAN_MMAP_LOGPATH": str(tmp_path)},
    )
    if done.returncode == NOT_KNOWN:
        elsewhere("this kernel has no such request of io_uring")
    assert done.returncode == 0, done.stderr
    made = parse(build / "darshan-parser", log)
    first, second, number = CASES[case]
    for path, expected in ((tmp_path / "a", first), (tmp_path / "b", second)):
        if expected:
            found = {n: int(made.value(str(path), f"POSIX_{n}")) for n in NAMES}
            assert found == dict.fromkeys(NAMES, 0) | expected, path.name
    assert made.total("POSIX_EXT_URING_SUBMITS") == number
    assert made.total("POSIX_EXT_URING_UNSEEN") == 0
