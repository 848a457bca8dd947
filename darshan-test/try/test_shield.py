"""A run of `darshan try` cannot reach other processes and files of the user, and a trial does not
change them."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from darshan_report.show.signal_exit import remove_tree
from darshan_report.trial.running.stopped import Stopped, TooLongError
from place import elsewhere, needs

from .conftest import Try, bytes_of
from .test_safety import leftovers

# Code that writes a temporary file, so that the remedy tmpdir is tried.
TEMPORARY = "import tempfile\nwith tempfile.TemporaryFile() as f: f.write(b'x' * 9000)\n"
# Ends a process of the user, changes a file through its view, and leaves memory behind.
REACHES = (
    TEMPORARY
    + """
import contextlib, ctypes, os, signal, sys
process, file, key = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with contextlib.suppress(OSError): os.kill(process, signal.SIGTERM)
with contextlib.suppress(OSError): open(f"/proc/{process}/root{file}", "a").write("changed")
ctypes.CDLL(None).shmget(key, 4096, 0o1666)
libc = ctypes.CDLL(None)
libc.mount(None, b"/", None, 32 | 4096, None)  # read and write again
with contextlib.suppress(OSError): open(file, "a").write("changed")
"""
)


def test_a_run_reaches_no_other_process(trial: Try, tmp_path: Path) -> None:
    """A run can neither end another process nor change a file through /proc of that process, and
    shared memory that the run leaves is removed."""
    kept, key = tmp_path / "kept", os.getpid() + (1 << 24)
    kept.write_text("kept")
    with subprocess.Popen(["sleep", "100"]) as other:
        words = [sys.executable, "-c", REACHES, str(other.pid), str(kept), str(key)]
        done = trial.run("--only", "tmpdir", "--copy", ".", "--budget", "3", "--", *words)
        assert "baseline" in done.stdout and "is removed" not in done.stdout, done
        assert other.poll() is None
        other.kill()
    assert kept.read_text() == "kept"
    assert ctypes.CDLL(None).shmget(key, 0, 0) == -1


def test_a_command_of_setup_cannot_change_the_folder(trial: Try) -> None:
    """The command of --setup can read the user's folder to fill the folder of a run, but cannot
    write there."""
    (trial.user / "data").write_text("precious")
    before = bytes_of(trial.user)
    for command, said in (
        ("cp $DARSHAN_TRY_FROM/data . && rm -f $DARSHAN_TRY_FROM/data", "Read-only file system"),
        (
            "cp $DARSHAN_TRY_FROM/data . && echo 1 > $TMPDIR/mine",
            "the files that the program reads have",
        ),
    ):
        done = trial.run("--only", "will-need", "--setup", command, "--", "cat", "data")
        assert said in done.stdout + done.stderr, done
    assert bytes_of(trial.user) == before


def test_folders_that_the_program_locks(trial: Try) -> None:
    """`darshan try` of an ordinary user compares and removes files and folders from which the
    program removed all permissions."""
    needs("root")  # to become another user
    trial.user.parent.chmod(0o777)
    os.chown(trial.user, 65534, 65534)
    program = "echo a > $TMPDIR/a; mkdir -p a/b; echo b > a/b/c; chmod 0 a/b/c a/b a; chmod 500 ."
    other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    words = trial.command("--only", "tmpdir", "--copy", ".", "--budget", "3", "--", "sh", "-c")
    if subprocess.run(
        [*other, "test", "-r", words[0], "-a", "-x", trial.user], check=False
    ).returncode:
        elsewhere("another user cannot read the build or the test's folder")
    done = trial.run_words([*other, *words, program])
    assert "same output" in done.stdout or "undecided" in done.stdout, done
    assert not leftovers(trial.user)


def test_a_run_that_stops_itself() -> None:
    """A run that stops itself by SIGSTOP, which nobody would continue, is detected; a run that
    sleeps is not mistaken for it."""
    for command, is_stopped in (("kill -STOP $$", True), ("sleep 50", False)):
        with subprocess.Popen(["sh", "-c", f"sh -c '{command}'; :"], start_new_session=True) as one:
            try:
                _wait_for_state(one.pid, "T" if is_stopped else "S")
                look = Stopped(one.pid)
                for _ in range(4):
                    look()
                if is_stopped:
                    with pytest.raises(TooLongError, match="stopped itself"):
                        look()
                else:
                    look()
            finally:
                os.killpg(one.pid, 9)


def _wait_for_state(process: int, state: str) -> None:
    """Waits, without a limit, until the only child of a process is in this state, a letter as in
    /proc/PID/stat."""
    while True:
        found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        if found and Path(f"/proc/{found[0]}/stat").read_text().split(") ")[1][0] == state:
            return


def test_a_folder_is_removed_whatever_its_modes(tmp_path: Path) -> None:
    """remove_tree removes a folder without permissions, with its content."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "c").write_text("c")
    for path in (inner, inner.parent):
        path.chmod(0)
    remove_tree(str(tmp_path / "a"))
    assert not (tmp_path / "a").exists()
