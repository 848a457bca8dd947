"""The line that the runtime prints on stderr if it cannot write the log never blocks or kills a
program."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.compile import compile_c
from lab.environment import instrumented
from lab.watch import SECONDS

PROGRAM = r"""
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  close(open("data", O_CREAT | O_WRONLY, 0600));
  return 3;
}
"""


def nowhere(folder: Path) -> Path:
    """Returns a folder path in which no log can be written, because its parent is a file."""
    (folder / "file").touch()
    return folder / "file" / "logs"


def filled_pipe(_: Path) -> tuple[int, list[int]]:
    """Returns the writing end of a full pipe, which would block every writer, and the descriptors
    that must stay open during the test: its reading end."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for size in (4096, 1):
        try:
            while True:
                os.write(writer, b"x" * size)
        except BlockingIOError:
            pass
    os.set_blocking(writer, True)
    return writer, [reader]


def dead_pipe(_: Path) -> tuple[int, list[int]]:
    """Returns a pipe without a reader, for standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer, []


def filled_socket(_: Path) -> tuple[int, list[int]]:
    """Returns a socket whose buffer is full, and the descriptor of its peer."""
    ours, peer = socket.socketpair()
    ours.setblocking(False)
    for size in (4096, 1):
        try:
            while True:
                ours.send(b"x" * size)
        except BlockingIOError:
            pass
    ours.setblocking(True)
    return ours.detach(), [peer.detach()]


def dead_socket(_: Path) -> tuple[int, list[int]]:
    """Returns a socket whose peer is closed."""
    ours, peer = socket.socketpair()
    peer.close()
    return ours.detach(), []


def full_file(folder: Path) -> tuple[int, list[int]]:
    """Returns a descriptor of a file that may not grow, because the child has a file size limit of
    0, and an empty list: no other descriptor must stay open."""
    return os.open(folder / "errors", os.O_CREAT | os.O_WRONLY, 0o600), []


def for_reading(_: Path) -> tuple[int, list[int]]:
    """Returns a descriptor that cannot be written to."""
    return os.open("/dev/null", os.O_RDONLY), []


WAYS = [filled_pipe, dead_pipe, filled_socket, dead_socket, full_file, for_reading]


@pytest.mark.parametrize("make", WAYS, ids=lambda make: make.__name__)
def test_nobody_waits_for_it(
    build: Path, tmp_path: Path, make: Callable[[Path], tuple[int, list[int]]]
) -> None:
    """If neither the log nor stderr can be written, the program exits normally."""
    program = compile_c(tmp_path, PROGRAM)
    journals = tmp_path / "journals"
    journals.mkdir()
    stderr, kept = make(tmp_path)

    def before() -> None:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        if make is full_file:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = subprocess.run(
        [program],
        cwd=tmp_path,
        env=instrumented(build, nowhere(tmp_path), journals),
        stdout=subprocess.PIPE,
        stderr=stderr,
        preexec_fn=before,
        timeout=SECONDS,
        check=False,
    )
    for descriptor in (stderr, *kept):
        os.close(descriptor)
    assert (done.returncode, done.stdout) == (3, b"")


def test_it_is_said_to_a_pipe_that_is_read(build: Path, tmp_path: Path) -> None:
    """If the log cannot be written, the runtime prints one line to a pipe that the test reads."""
    program = compile_c(tmp_path, PROGRAM)
    done = finished_in_bytes(
        [program],
        cwd=tmp_path,
        env=instrumented(build, nowhere(tmp_path), tmp_path),
        timeout=SECONDS,
    )
    assert done.returncode == 3
    assert done.stderr.count(b"\n") == 1 and b"cannot write the log to " in done.stderr
