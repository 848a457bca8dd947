"""The example programs of liburing, if its package has them: the log has every byte that they
copy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lab.compile import compile_c
from lab.watch import watch
from place import elsewhere

pytestmark = pytest.mark.needs("io_uring")

EXAMPLES = Path("/usr/share/doc/liburing-dev/examples")
PAGE = 4096
OWN = 256 << 10  # bytes that the journal and the log may take


def example(name: str, folder: Path) -> Path:
    """Compiles an example of liburing and returns the program; skips the test if the example is not
    installed."""
    source = EXAMPLES / f"{name}.c"
    if not source.exists():
        elsewhere(f"there is no {source}")
    return compile_c(folder, source, "-w", "-luring", name=name)


@pytest.mark.parametrize(
    ("name", "size", "block"),
    [
        ("io_uring-cp", 1_000_003, 32 << 10),
        ("link-cp", 1_000_003, 32 << 10),
        ("ucontext-cp", 3_000, 1024),  # its coroutines sleep after each block
    ],
)
def test_copy(name: str, size: int, block: int, build: Path, tmp_path: Path) -> None:
    """liburing's examples copy a file: bytes, calls and order of both files are right. The kernel's
    count of written bytes agrees if the file system has one."""
    data = os.urandom(size)
    command = [example(name, tmp_path), "in", "out"]
    outcome = watch(
        build, tmp_path, command, setup=lambda work: (work / "in").write_bytes(data) and None
    )
    assert outcome.status == 0, outcome.error
    assert (outcome.work / "out").read_bytes() == data
    calls = -(-size // block)
    for file, way, done in (("in", "READ", "READS"), ("out", "WRITTEN", "WRITES")):
        assert outcome.value(file, f"POSIX_BYTES_{way}") == size
        assert outcome.value(file, f"POSIX_MAX_BYTE_{way}") == size - 1
        assert outcome.value(file, f"POSIX_{done}") == calls
        assert outcome.value(file, "POSIX_EXT_URING_SUBMITS") == calls
    assert outcome.total("POSIX_EXT_URING_UNSEEN") == 0
    stored = outcome.total("USAGE_STORAGE_WRITTEN")
    assert stored <= 0 or size <= stored <= size + OWN


def test_direct_reads(build: Path, tmp_path: Path) -> None:
    """Reads with O_DIRECT by an example of liburing: bytes and calls are right, and the kernel's
    count of bytes from storage agrees."""
    command = [example("io_uring-test", tmp_path), "in"]
    size = 4 * PAGE
    outcome = watch(
        build, tmp_path, command, setup=lambda work: (work / "in").write_bytes(bytes(size)) and None
    )
    if b"Invalid argument" in outcome.stderr:
        elsewhere("this file system has no direct reads")
    assert outcome.status == 0, outcome.error
    assert outcome.value("in", "POSIX_BYTES_READ") == size
    assert outcome.value("in", "POSIX_READS") == 4
    assert outcome.total("POSIX_EXT_URING_UNSEEN") == 0
    stored = outcome.total("USAGE_STORAGE_READ")
    assert stored <= 0 or size <= stored
