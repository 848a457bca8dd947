"""Removes one wrapper at a time: the case of its function must fail.

The test copies the library without the name of one symbol, so that the program calls the C library
instead. A case whose log still agrees with its expectations would be a test that cannot fail."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from lab.environment import preload
from run_case import (
    SKIPPED,
    case_names,
    disagreements,
    leave_out,
    parse,
    read_expectations,
    run_case,
)
from sample import turning

# The log does not depend on these wrappers: they only pass calls on.
PASSED_ON = {
    "io_setup": "no transfer",
    "io_destroy": "no transfer",
    "io_cancel": "kernels do not cancel file I/O",
    "fork": "the kernel tells the child that it is one, whatever made it",
    **dict.fromkeys(
        ("posix_spawn", "posix_spawnp", "system", "popen"), "the child tells its run by itself, too"
    ),
    **dict.fromkeys(
        ("wait", "waitpid", "wait3", "wait4", "waitid"),
        "how a child ended is in no record of files",
    ),
    "fts_children": "the folder is the same when it returns",
    "fts64_children": "the folder is the same when it returns",
    "dlopen": "counted in the metadata, which runs/test_deepbind.py reads",
    "setns": "what it changes needs privileges",
    "pivot_root": "what it changes needs privileges",
    "longjmp": "gives back what a frame that is left has begun: nothing, here",
    "_longjmp": "as longjmp",
    "siglongjmp": "as longjmp",
    "__longjmp_chk": "as longjmp",
    "prctl": "what it changes is what the runtime may do afterwards",
    "io_uring_queue_init": "calls io_uring_queue_init_params, which is counted",
    "io_uring_queue_init_mem": "calls io_uring_queue_init_params here, which is counted",
    "io_uring_queue_init_params": "calls io_uring_setup here, which is counted",
    **dict.fromkeys(
        (
            "io_uring_queue_exit",
            "io_uring_get_events",
            "io_uring_peek_batch_cqe",
            "__io_uring_sqring_wait",
            "epoll_wait",
            "epoll_pwait",
            "epoll_pwait2",
        ),
        "other calls, and the end of the process, look into rings as well",
    ),
}


def sections(image: bytes) -> dict[int, tuple[int, int]]:
    """Returns offset and size, in bytes, of the first section of each type (sh_type) of a 64-bit
    ELF file."""
    start = struct.unpack_from("<Q", image, 0x28)[0]
    size, count = struct.unpack_from("<HH", image, 0x3A)
    found = {}
    for i in range(count):
        _, kind, _, _, offset, length = struct.unpack_from("<IIQQQQ", image, start + i * size)
        found.setdefault(kind, (offset, length))
    return found


def without(library: bytes, name: str) -> bytes | None:
    """Returns the library without a symbol; None if it lacks the symbol."""
    dynamic_symbols, strings = 11, 3
    parts = sections(library)
    offset, length = parts[dynamic_symbols]
    texts = parts[strings][0]
    for at in range(offset, offset + length, 24):
        text = texts + struct.unpack_from("<I", library, at)[0]
        if library[text : text + len(name) + 1] == name.encode() + b"\0":
            changed = bytearray(library)
            struct.pack_into("<I", changed, at, 0)
            return bytes(changed)
    return None


NOTICED = [name for name in case_names("CASE") if name not in PASSED_ON]


@pytest.mark.parametrize("name", turning(NOTICED, 1 / 5, "sensitivity"))
def test_case_notices(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """Without the wrapper of its function, a case fails, or its log differs from its
    expectations."""
    library = without((build / "libdarshan.so").read_bytes(), name)
    assert library is not None, "not wrapped"
    (tmp_path / "libdarshan.so").write_bytes(library)
    run = run_case(build, name, tmp_path / "run", extra=preload(tmp_path / "libdarshan.so"))
    if run.status == SKIPPED:
        leave_out(run.stdout.decode().strip())
    log = None
    for path in run.logs:
        log = parse(parser, path, log)
    assert not log or disagreements(log, read_expectations(run.out)) or run.status != 0
