"""`darshan try` never endangers the user's data: it refuses risky programs, limits its runs, and
may be ended at any time."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.command import finished, finished_in_bytes
from lab.compile import compile_c
from place import elsewhere, needs
from sample import turning

from .conftest import Try, bytes_of

# Signals that end a trial.
ENDS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGKILL)
# Overwrites its input, by a relative and by an absolute path.
CHANGES = """
import os, time
here = os.path.realpath(os.getcwd())
open("data", "w").write("changed")
open(os.path.join(here, "new"), "w").write("made")
os.path.exists("old") and os.unlink("old")
time.sleep(0.3)
"""


@pytest.fixture
def changing(trial: Try) -> tuple[Try, list[str]]:
    """Makes a folder with data, and a program that changes them. Returns the trial, and the
    program's command."""
    (trial.user / "data").write_text("precious")
    (trial.user / "old").write_text("old")
    (trial.user / "program.py").write_text(CHANGES)
    return trial, [sys.executable, "program.py"]


def leftovers(folder: Path) -> list[Path]:
    """Returns the folders of trials (.darshan-try-*) that are left next to the user's folder."""
    return list(folder.parent.glob(".darshan-try-*"))


def test_runs_change_a_copy(changing: tuple[Try, list[str]]) -> None:
    """With --copy, the program changes only the copy, which is removed."""
    trial, command = changing
    before = bytes_of(trial.user)
    done = trial.run("--only", "tmpdir", "--copy", ".", "--", *command)
    assert "the program writes no temporary file" in done.stdout, done
    assert bytes_of(trial.user) == before
    assert not leftovers(trial.user)


def test_without_a_copy_nothing_can_be_changed(changing: tuple[Try, list[str]]) -> None:
    """Without a log, the first run of `darshan try` may not write outside its folder: the kernel
    refuses such writes, the command fails, and the user's folder is unchanged."""
    trial, command = changing
    before = bytes_of(trial.user)
    done = trial.run("--all", "--", *command)
    assert done.returncode == 1
    assert "Read-only file system" in done.stderr and "--yes-repeat" in done.stderr
    assert bytes_of(trial.user) == before


def test_a_log_with_writes_elsewhere(trial: Try) -> None:
    """If the log has writes outside the folder, `darshan try` makes no run: the file to which the
    program appends has only the line of the recorded run."""
    kept = Path(f"/var/tmp/darshan-try-{os.getpid()}")
    program = (
        "import tempfile\n"
        "with tempfile.TemporaryFile() as f: f.write(b'x' * 9000)\n"
        f"open({str(kept)!r}, 'a').write('once\\n')\n"
    )
    command = [sys.executable, "-c", program]
    try:
        log = trial.log(*command)
        done = trial.run("--only", "tmpdir", "--copy", ".", log, "--", *command)
        assert kept.read_text() == "once\n"
        assert done.returncode == 1
        assert str(kept) in done.stderr and "--yes-repeat" in done.stderr, done
        trial.run("--only", "tmpdir", "--copy", ".", "--yes-repeat", log, "--", *command)
        assert kept.read_text().count("once\n") > 1
    finally:
        kept.unlink(missing_ok=True)


@pytest.mark.parametrize("shell", [False, True])
def test_a_program_that_submits_a_job(trial: Try, shell: bool) -> None:
    """If the program, or a program that it starts, submits a batch job, `darshan try` makes no
    further run. shell: whether a shell starts sbatch."""
    source = (
        '#include <stdio.h>\nint main(void) { FILE *f = fopen("queue", "a"); setbuf(f, NULL);'
        " for (int i = 0; i < 200000; i++) putc(49, f); return fclose(f); }\n"
    )
    compile_c(trial.user, source).rename(trial.user / "sbatch")
    command = ["sh", "-c", "./sbatch job; exit"] if shell else ["./sbatch", "job"]
    log = trial.log(*command, clean=True)
    done = trial.run("--only", "stdio-buffer", "--copy", ".", log, "--", *command)
    assert done.returncode == 1 and "each run starts sbatch" in done.stderr, done
    assert "run 1" not in done.stderr


def test_no_network(trial: Try) -> None:
    """A run of `darshan try` has no network; with --yes-repeat it has."""
    program = (
        "import socket, sys\n"
        "one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "try: one.connect(('192.0.2.1', 9))\n"
        "except OSError as error: sys.exit(str(error))\n"
    )
    done = trial.run("--all", "--", sys.executable, "-c", program)
    assert done.returncode == 1
    assert "unreachable" in done.stderr


def test_a_run_that_hangs_with_a_remedy(trial: Try) -> None:
    """A run that hangs with a remedy is killed with its child processes after three times the time
    without it, but not before two seconds; the result is "not applicable"."""
    program = (
        "import os, subprocess, tempfile, time\n"
        "with tempfile.NamedTemporaryFile() as f: f.write(b'x' * 9000)\n"
        "if tempfile.gettempdir().startswith('/dev/shm'):\n"
        f"    subprocess.Popen(['sleep', '987.{os.getpid()}'], start_new_session=True)\n"
        "    time.sleep(600)\n"
    )
    done = trial.run("--only", "tmpdir", "--", sys.executable, "-c", program)
    assert done.returncode == 1, done
    assert "not applicable: took more than" in done.stdout
    assert subprocess.run(["pgrep", "-f", f"sleep 987.{os.getpid()}"], check=False).returncode == 1


@pytest.mark.parametrize(
    ("number", "after"),
    turning(itertools.product(ENDS, (0.3, 0.8, 1.5, 2.5)), 0.5, "ends of trials"),
)
def test_an_end_at_any_moment(
    changing: tuple[Try, list[str]], number: signal.Signals, after: float
) -> None:
    """If `darshan try` is ended by a signal at any time, the user's folder is unchanged; only
    SIGKILL leaves the folder of the trial. after: seconds until the signal."""
    trial, command = changing
    (trial.user / "program.py").write_text(
        f"{CHANGES}\nimport tempfile\nwith tempfile.TemporaryFile() as f: f.write(b'x' * 9000)\n"
    )
    before = bytes_of(trial.user)
    words = trial.command("--only", "tmpdir", "--copy", ".", "--", *command)
    with subprocess.Popen(
        words, cwd=trial.user, env=trial.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as running:  # fmt: skip
        time.sleep(after)
        has_ended = running.poll() is not None  # on a quick machine, without a remedy that helps
        running.send_signal(number)
        assert running.wait(30) == (1 if has_ended else -number)
    assert bytes_of(trial.user) == before
    if number != signal.SIGKILL:
        assert not leftovers(trial.user)


@pytest.mark.parametrize("after", turning((0.0, 0.2, 0.5, 1.0, 2.0), 0.5, "kills of a run"))
def test_a_program_that_is_killed(trial: Try, after: float) -> None:
    """If the program of a run is killed by SIGKILL while it changes files, the user's folder is
    unchanged, and `darshan try` leaves nothing behind. after: seconds until the kill."""
    (trial.user / "data").write_text("precious")
    (trial.user / "program.py").write_text(
        "import tempfile, time\n"
        "with tempfile.TemporaryFile() as f: f.write(b'x' * 9000)\n"
        "open('data', 'w').write('changed')\n"
        "time.sleep(0.5)\n"
    )
    before, mark = bytes_of(trial.user), f"mark-{os.getpid()}"
    words = trial.command(
        "--only", "tmpdir", "--copy", ".", "--", sys.executable, "program.py", mark
    )
    with subprocess.Popen(
        words, cwd=trial.user, env=trial.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as running:  # fmt: skip
        find = ["pkill", "-KILL", "-f", f"^{sys.executable} program.py {mark}$"]
        time.sleep(after)
        while subprocess.run(find, check=False).returncode and running.poll() is None:
            time.sleep(0.02)
        said = running.communicate(timeout=100)[1]
        # 3: a run with the remedy was killed, so its exit status differs from the others'.
        assert running.returncode in (1, 3) and "run" in said, said
    assert bytes_of(trial.user) == before
    assert not leftovers(trial.user)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Yields the user's folder on a new tmpfs of 16 MiB, which is unmounted after the test."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place], check=True)
    (place / "user").mkdir()
    yield place / "user"
    subprocess.run(["umount", place], check=True)


@pytest.mark.needs("mount")
def test_a_disk_that_a_run_fills(trial: Try, disk: Path) -> None:
    """If a run of `darshan try` fills the disk, the program fails in its copy, a message says so,
    and the user's folder is unchanged."""
    (disk / "data").write_bytes(os.urandom(3 << 20))
    (disk / "program.py").write_text("open('data', 'wb').write(bytes(20 << 20))\n")
    before = bytes_of(disk)
    done = Try(trial.build, disk).run("--all", "--copy", ".", "--", sys.executable, "program.py")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr, done
    assert bytes_of(disk) == before
    assert not leftovers(disk)


@pytest.mark.needs("mount")
def test_a_full_disk(trial: Try, disk: Path) -> None:
    """If the copy of the folder does not fit on the disk, `darshan try` says so and exits with 1,
    and the folder is unchanged."""
    (disk / "data").write_bytes(os.urandom(12 << 20))
    before = bytes_of(disk)
    done = Try(trial.build, disk).run("--all", "--copy", ".", "--", "true")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert bytes_of(disk) == before
    assert not leftovers(disk)


def test_what_differs_by_itself_is_masked(trial: Try) -> None:
    """A line of output that differs between two runs without a remedy, such as the time of day, is
    not compared, and `darshan try` names the line."""
    program = (
        "import tempfile, time\n"
        "with tempfile.TemporaryFile() as f: f.write(b'x' * 9000)\n"
        "print('fixed'); print(time.time_ns()); print('end')\n"
    )
    done = trial.run("--only", "tmpdir", "--", sys.executable, "-c", program)
    assert "standard output: line 2 not compared" in done.stdout, done
    assert "changed the output" not in done.stdout


def test_a_changed_line_beside_a_masked_one(trial: Try) -> None:
    """A line that changes only with the remedy is detected, also next to one that differs in each
    run: the status is 3."""
    program = (
        "import tempfile, time\n"
        "with tempfile.TemporaryFile() as f: f.write(b'x' * 9000)\n"
        "print(time.time_ns()); print(tempfile.gettempdir().startswith('/dev/shm'))\n"
    )
    done = trial.run("--only", "tmpdir", "--", sys.executable, "-c", program)
    assert done.returncode == 3, done
    assert "changed the output: standard output differs" in done.stdout


def test_a_folder_that_cannot_be_copied(trial: Try) -> None:
    """If the folder of --copy cannot be copied, the message names the folder, the reason, and what
    to do; no run is made."""
    done = trial.run("--all", "--copy", "/", "--", "true")
    assert done.returncode == 1
    assert "cannot copy /: it has no parent folder to make the copy in" in done.stderr
    needs("root")  # to become a user who may not write
    trial.user.parent.chmod(0o755)
    trial.user.chmod(0o777)
    other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    command = trial.command("--all", "--copy", ".", "--", "true")
    reads = [*other, "head", "-c", "1", Path(command[0]).parent / "darshan-try"]
    if finished_in_bytes(reads, cwd=trial.user).returncode:
        elsewhere("another user cannot read the build or the test's folder")
    words = [*other, *command]
    refused = finished(words, cwd=trial.user, env=trial.environment)
    assert f"made in {trial.user.parent}, to which you may not write" in refused.stderr, refused
    assert refused.returncode == 1 and not leftovers(trial.user)


@pytest.mark.parametrize(
    "words", [["--only", "none", "--", "true"], ["--all"], ["--copy", "/none", "--", "true"]]
)
def test_usage_errors(trial: Try, words: list[str]) -> None:
    """Wrong options of `darshan try` end it with status 2."""
    assert trial.run(*words).returncode == 2
