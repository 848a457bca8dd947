"""Ends a command after a signal: without a message, by the same signal, and without leftover
files."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)


class _Begun:
    """The temporary files and child processes that this process must remove or kill when it ends.
    holds: number of contexts in which signals are delayed. came: the signal that came meanwhile."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.children: set[subprocess.Popen[bytes]] = set()
        self.groups: set[subprocess.Popen[bytes]] = set()  # leaders of process groups
        self.holds = 0
        self.came: int | None = None


_begun = _Begun()


def _clean() -> None:
    """Kills the child processes and removes the temporary files of this process, then calls the
    exit functions of other modules."""
    for leader in _begun.groups:
        _kill_group(leader)
    for child in (*_begun.children, *_begun.groups):
        child.kill()
        # Not child.wait: the interrupted code may hold its lock.
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child.pid, 0)
    for path in _begun.paths:
        if os.path.isdir(path):
            remove_tree(path)
        else:
            with contextlib.suppress(OSError):
                os.unlink(path)
    # Cleans up for other modules, for example matplotlib's temporary folder.
    atexit._run_exitfuncs()


def _end(number: int, _frame: FrameType | None) -> None:
    """Handles a signal: kills child processes, removes temporary files and ends this process by the
    same signal. Within _held(), only remembers the signal. Raises no exception, because a callback
    from C would swallow it."""
    if _begun.holds:
        _begun.came = number
        return
    for other in _SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    try:
        _clean()
    finally:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def end(number: int) -> None:
    """Ends this process by the signal `number`, after killing its child processes and removing its
    temporary files. Does not return."""
    _end(number, None)


def leave(status: int) -> None:
    """Ends this process at once with this exit status, from any thread, after killing its child
    processes and removing its temporary files, also while another thread is in code that cannot be
    interrupted. Does not return."""
    try:
        _clean()
    finally:
        os._exit(status)


BESIDE = ".darshan-report-"  # prefix of temporary files


@contextlib.contextmanager
def _held() -> Iterator[None]:
    """A context in which signals are delayed, so that a new file or process is registered before a
    signal ends this process."""
    _begun.holds += 1
    try:
        yield
    finally:
        _begun.holds -= 1
        if not _begun.holds and _begun.came is not None:
            _end(_begun.came, None)


def prepare() -> None:
    """Installs signal handlers that clean up before this process ends. Ignored signals stay
    ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _end)


@contextlib.contextmanager
def folder(parent: str | None = None, prefix: str = "darshan-report-") -> Iterator[str]:
    """Creates a temporary folder that exists within the context, and yields its path. If a signal
    ends the command, the folder is removed, too. parent: None for the system's folder of temporary
    files."""
    with _held():
        path = tempfile.mkdtemp(prefix=prefix, dir=parent)
        _begun.paths.add(path)
    try:
        yield path
    finally:
        remove_tree(path)
        _begun.paths.discard(path)


def remove_tree(folder: str) -> None:
    """Removes a folder with its contents, even if their modes forbid it. Ignores errors."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder):
        _unlock(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _unlock(folder: str) -> None:
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
        with os.scandir(folder) as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    _unlock(entry.path)


@contextlib.contextmanager
def file_beside(target: str) -> Iterator[tuple[int, str]]:
    """Creates a temporary file in the folder of `target`, and yields its descriptor and path.
    Removes it after the context unless it was renamed."""
    with _held():
        # In the target's own folder, so that the rename is atomic.
        made = tempfile.mkstemp(dir=os.path.dirname(target), prefix=BESIDE)
        _begun.paths.add(made[1])
    try:
        yield made
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(made[1])
        _begun.paths.discard(made[1])


def run(command: list[str], where: str, environment: dict[str, str], seconds: float) -> int:
    """Runs a program in the folder `where` without input and output, and returns its exit status (a
    negative signal number if a signal killed it). A signal that ends this command kills the
    program. Raises OSError if it cannot be started; after `seconds`, kills it and raises
    TimeoutExpired."""
    with _held():
        child = subprocess.Popen(
            command,
            cwd=where,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _begun.children.add(child)
    try:
        return child.wait(seconds)
    finally:
        child.kill()  # no effect if it has exited
        child.wait()
        _begun.children.discard(child)


def _kill_group(leader: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, signal.SIGKILL)


def _has_ended(child: subprocess.Popen[bytes], within: float) -> bool:
    """Returns whether a child ends within this many seconds. Returns as soon as the child ends;
    subprocess would notice it only every 50 ms."""
    try:
        descriptor = os.pidfd_open(child.pid)
    except (AttributeError, OSError):  # an older kernel, or Python of an older libc
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(0.0, within))
        return child.returncode is not None
    try:
        asked = select.poll()
        asked.register(descriptor, select.POLLIN)
        return bool(asked.poll(max(0.0, within) * 1000))
    finally:
        os.close(descriptor)


def start_group(command: list[str], **how: Any) -> subprocess.Popen[bytes]:
    """Starts a program as the leader of a new session and process group, and returns it;
    wait_group() ends the group. how: arguments of Popen. Raises OSError."""
    with _held():
        leader = subprocess.Popen(command, start_new_session=True, **how)
        _begun.groups.add(leader)
    return leader


def wait_group(
    leader: subprocess.Popen[bytes], limit: float | None, watch: Callable[[], None] | None = None
) -> int:
    """Waits for the leader of a process group, kills the remaining processes of the group, and
    returns the leader's exit status. limit: seconds, after which the leader is killed and
    TimeoutExpired is raised; None: no limit. watch: called every second; may raise an exception,
    which kills the group."""
    ends = float("inf") if limit is None else time.monotonic() + limit
    try:
        while not _has_ended(leader, min(ends - time.monotonic(), 1.0)):
            if time.monotonic() >= ends:
                raise subprocess.TimeoutExpired(leader.args, limit or 0.0)
            if watch is not None:
                watch()
        return leader.wait()
    finally:
        _kill_group(leader)
        leader.wait()
        _begun.groups.discard(leader)
