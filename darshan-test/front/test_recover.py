"""`darshan recover` makes logs from the journals of killed processes, and leaves those of living
processes alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.environment import PRELOAD, not_preloaded, preload, settings, switched_off, through_env
from lab.log import Row
from runs.events import MAGIC, ROW

from .conftest import SECONDS, Run
from .test_terminal import at_terminal

# Reads the rows of a log; see the fixture rows.
Rows = Callable[[Path], list[Row]]
# Leaves the journal of a killed process; see the fixture leave.
Leave = Callable[..., Path]
HOUR = 3600
EIGHT_DAYS = 8 * 24 * 3600
# Writes 1,000 bytes to a file, and runs until its standard input ends.
_LIVE = """
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(fd, bytes(1000))
print("ready", flush=True)
sys.stdin.read()
"""


def write_and_die(folder: Path) -> str:
    """Returns a shell script that writes 6 bytes to a file in the folder and kills its shell."""
    return f"echo 12345 > {folder}/file; kill -9 $$"


@pytest.fixture
def journals(environment: dict[str, str]) -> Path:
    """Returns the folder for journals."""
    return Path(environment["DARSHAN_MMAP_LOGPATH"])


@pytest.fixture
def observed(build: Path, environment: dict[str, str], work: Path) -> dict[str, str]:
    """Returns environment variables by which a program is recorded without `darshan run`, each
    process on its own."""
    return {
        **environment,
        **settings(build, work / "logs", DARSHAN_JOB_TREE="0"),
    }


def settle(folder: Path) -> None:
    """Sets the times of all journals below a folder to eight days ago."""
    for path in folder.rglob("*.darshan"):
        os.utime(path, times=(0, time.time() - EIGHT_DAYS))


@pytest.fixture
def leave(observed: dict[str, str], work: Path, journals: Path) -> Leave:
    """Returns a function that runs a recorded program which is killed, and returns the path of its
    journal."""

    def run() -> Path:
        before = set(journals.iterdir())
        subprocess.run(["sh", "-c", write_and_die(work)], env=observed, cwd=work, check=False)
        (journal,) = set(journals.iterdir()) - before
        return journal

    return run


@pytest.fixture
def living(observed: dict[str, str], work: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a recorded process that has written 1,000 bytes and waits for the end of its input."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", _LIVE, work / "live"],
        env=observed,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process


def written(rows: list[Row]) -> dict[str, str]:
    """Returns the bytes written by file name, as text, without files of 0 bytes."""
    return {
        row.name: row.text
        for row in rows
        if row.counter.endswith("_BYTES_WRITTEN") and row.text != "0"
    }


def test_log_of_a_killed_process(
    darshan: Run, leave: Leave, journals: Path, work: Path, rows: Rows
) -> None:
    """From the journal of a killed process, the command makes a log with its bytes, and prints the
    log's path."""
    leave()
    settle(journals)
    done = darshan("recover", "-o", "logs")
    (log,) = (work / "logs").iterdir()
    assert done.stdout.decode() == f"logs/{log.name}: made of 1 journal\n"
    assert (done.returncode, done.stderr) == (0, b"")
    assert written(rows(log)) == {str(work / "file"): "6"}
    assert list(journals.iterdir()) == []
    again = darshan("recover", "-o", "logs")
    assert (again.returncode, again.stdout, again.stderr) == (0, b"", b"")


@pytest.mark.parametrize("variables", [{}, {"SLURM_JOB_ID": "7"}])
def test_one_log_of_a_run_whose_top_was_killed(
    darshan: Run,
    observed: dict[str, str],
    work: Path,
    rows: Rows,
    variables: dict[str, str],
) -> None:
    """The command makes one log of a run whose first process was killed, also if this process
    (dash) starts children by vfork. variables: with and without a batch job."""
    journals = Path(observed["DARSHAN_MMAP_LOGPATH"])
    environment = {**observed, **variables, "DARSHAN_JOB_TREE": "1"}
    script = "echo 12345 > top; /bin/echo 7 > other; kill -9 $$"
    subprocess.run(["dash", "-c", script], env=environment, cwd=work, check=False)
    assert [path.is_dir() for path in journals.iterdir()] == [True]
    done = darshan("recover", "-o", "logs")
    (log,) = (work / "logs").iterdir()
    assert done.stdout.decode() == f"logs/{log.name}: made of a run of 2 processes\n"
    assert {str(work / "top"): "6", str(work / "other"): "2"}.items() <= written(rows(log)).items()
    assert list(journals.iterdir()) == []


def test_front_that_was_killed(
    build: Path, darshan: Run, environment: dict[str, str], journals: Path, work: Path
) -> None:
    """If only `darshan run` was killed, the command writes the run's log to the folder that
    `darshan run` would have used, and no other file remains."""
    script = f"echo 12345 > {work}/file; /bin/kill -9 $PPID"
    front = [build / "darshan", "run", "-o", "asked", "sh", "-c", script]
    finished_in_bytes(front, cwd=work, env=environment)
    (left,) = (work / "asked").iterdir()
    assert left.is_dir()
    for _ in range(100):
        done = darshan("recover", variables={"DARSHAN_LOGPATH": str(work / "other")})
        if done.stdout:
            break
        time.sleep(0.05)  # the shell is still exiting
    (log,) = (work / "asked").iterdir()
    assert done.stdout.decode() == f"{log}: made of a run of 2 processes\n"
    assert not (work / "other").exists()
    assert list(journals.iterdir()) == []


def test_dry_run_does_nothing(darshan: Run, leave: Leave, journals: Path, work: Path) -> None:
    """With --dry-run, the command prints which log it would make, and changes nothing."""
    journal = leave()
    settle(journals)
    done = darshan("recover", "--dry-run", "-o", "logs")
    assert done.returncode == 0
    assert done.stdout.startswith(b"would make logs/")
    assert journal.exists()
    assert not (work / "logs").exists()


def test_the_living_are_left_alone(
    darshan: Run, living: subprocess.Popen[bytes], journals: Path, work: Path, rows: Rows
) -> None:
    """The journal of a living process is not touched, however old it is, and the process makes its
    own log at its end."""
    (journal,) = journals.iterdir()
    before = journal.stat()
    settle(journals)
    done = darshan("recover", "-o", "recovered")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert f"{journal}: skipped" in darshan("recover", "-n").stdout.decode()
    assert journal.stat().st_ino == before.st_ino
    living.communicate(timeout=SECONDS)
    (log,) = (work / "logs").iterdir()
    assert written(rows(log))[str(work / "live")] == "1000"
    assert not (work / "recovered").exists()


def test_journal_that_a_clean_up_took(
    living: subprocess.Popen[bytes], journals: Path, work: Path, rows: Rows
) -> None:
    """If the journal of a living process is removed, the process still writes a complete log when
    it ends."""
    (journal,) = journals.iterdir()
    journal.unlink()
    _, said = living.communicate(timeout=SECONDS)
    assert (living.returncode, said) == (0, None)
    (log,) = (work / "logs").iterdir()
    assert written(rows(log))[str(work / "live")] == "1000"


def test_two_at_once(
    build: Path, leave: Leave, environment: dict[str, str], journals: Path, work: Path
) -> None:
    """If three commands run at the same time, each of 20 journals gives exactly one log, and none
    reports an error."""
    for _ in range(20):
        leave()
    settle(journals)
    command = [build / "darshan", "recover", "-o", "logs"]
    started = [
        subprocess.Popen(
            command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(3)
    ]
    said = [process.communicate(timeout=SECONDS) for process in started]
    assert [process.returncode for process in started] == [0] * 3
    assert [err for _, err in said] == [b""] * 3
    lines = b"".join(out for out, _ in said).decode().splitlines()
    assert len(lines) == 20
    logs = {f"logs/{path.name}" for path in (work / "logs").iterdir()}
    assert {line.partition(":")[0] for line in lines} == logs
    assert list(journals.iterdir()) == []


def test_log_that_was_made_before_the_journal_could_go(
    darshan: Run, leave: Leave, journals: Path, work: Path
) -> None:
    """If the log of a journal exists already, no second log is made, and the journal is removed."""
    journal = leave()
    kept = work / "kept"
    shutil.copy(journal, kept)
    settle(journals)
    darshan("recover", "-o", "logs")
    shutil.copy(kept, journal)
    settle(journals)
    assert darshan("recover", "-o", "logs").returncode == 0
    assert len(list((work / "logs").iterdir())) == 1
    assert list(journals.iterdir()) == []


@pytest.mark.needs("runs:unshare -p -f --mount-proc")
def test_strangers_may_live(
    build: Path, leave: Leave, environment: dict[str, str], journals: Path, work: Path
) -> None:
    """In another PID namespace, the command leaves a journal alone for a week, because it is
    unknown whether its process lives. Then it makes the log."""
    journal = leave()
    os.utime(journal, times=(0, time.time() - HOUR))

    def recover() -> subprocess.CompletedProcess[bytes]:
        command = [
            "unshare",
            "-p",
            "-f",
            "--mount-proc",
            build / "darshan",
            "recover",
            "-o",
            "logs",
        ]
        return finished_in_bytes(command, cwd=work, env=environment, timeout=SECONDS)

    done = recover()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert journal.exists()
    settle(journals)
    assert b"made of 1 journal" in recover().stdout


@pytest.mark.needs("runs:unshare -p -f --mount-proc")
def test_the_namespace_of_the_dead(
    build: Path, observed: dict[str, str], journals: Path, work: Path
) -> None:
    """In the PID namespace of the killed process, the command recovers its journal without waiting
    for a week."""
    script = f"""
        sh -c '{write_and_die(work)}'
        touch -d '1 hour ago' {journals}/*
        {PRELOAD}= {build}/darshan recover -o logs"""
    command = ["unshare", "-p", "-f", "--mount-proc", "sh", "-c", script]
    plain = switched_off(observed)
    on = through_env({name: observed[name] for name in observed.keys() - plain})
    done = finished_in_bytes(
        [*command[:4], *on, *command[4:]], cwd=work, env=plain, timeout=SECONDS
    )
    assert b"made of 1 journal\n" in done.stdout
    assert [path for path in journals.iterdir() if "_mmap-log-" in path.name] == []


# A boot id other than that of this machine.
ANOTHER_BOOT = b"01234567-89ab-cdef-0123-456789abcdef"


@pytest.mark.parametrize(
    "case",
    [
        ({}, True),
        ({0: b"4194000"}, False),  # no such process
        ({2: ANOTHER_BOOT}, False),  # from this host, before its last boot
        ({2: ANOTHER_BOOT, 3: b"elsewhere"}, True),
    ],
)
def test_what_a_journal_says_of_its_owner(
    darshan: Run,
    living: subprocess.Popen[bytes],
    journals: Path,
    work: Path,
    case: tuple[dict[int, bytes], bool],
) -> None:
    """In a copy of a living process's journal, some words of the line "owner=" are changed. The
    journal is left alone if its process lives or may live on another host, and otherwise recovered.
    case: the new words by index, and whether the journal is left alone."""
    says, lives = case
    (journal,) = journals.iterdir()
    bytes_ = journal.read_bytes()
    line = bytes_[(at := bytes_.index(b"owner=")) : bytes_.index(b"\n", at)]
    owner = line.partition(b"=")[2].split()
    assert owner[0] == str(living.pid).encode()
    for word, by in says.items():
        owner[word] = by
    new = b"owner=" + b" ".join(owner)
    room = len(line) + 20
    assert bytes_[at + len(line) + 1 : at + room] == bytes(room - len(line) - 1)
    copy = journals / journal.name.replace("_mmap-log-", "_mmap-log-1")
    copy.write_bytes(bytes_[:at] + (new + b"\n").ljust(room, b"\0") + bytes_[at + room :])
    os.utime(copy, times=(0, time.time() - HOUR))
    done = darshan("recover", "-o", "recovered", journals)
    assert (done.returncode, done.stderr) == (0, b"")
    assert copy.exists() == lives
    if not lives:
        (log,) = (work / "recovered").iterdir()
        assert b"metadata: owner" not in darshan("parse", log).stdout


def test_ranks_of_a_job_make_one_log(
    darshan: Run, build: Path, journals: Path, work: Path, rows: Rows
) -> None:
    """From the journals of a job's ranks, the command makes one log."""
    each = work / "each"
    each.mkdir()
    play = build / "darshan-test" / "ranks" / "play"
    command = [play, "--ranks", "3", "--shared", "2", "--each", each, work / "all"]
    subprocess.run(command, check=True, capture_output=True)
    for rank in range(3):
        name = f"u_app_id7_mmap-log-99-{rank}.darshan"
        shutil.copy(each / f"{rank}.darshan", journals / name)
    settle(journals)
    done = darshan("recover", "-o", "logs")
    (log,) = (work / "logs").iterdir()
    assert done.stdout.decode() == f"logs/{log.name}: made of 3 journals\n"
    assert {row.rank for row in rows(log) if row.module == "POSIX"} == {-1}
    assert list(journals.iterdir()) == []


def test_ranks_of_a_job_on_two_nodes(
    darshan: Run, build: Path, journals: Path, work: Path, rows: Rows
) -> None:
    """If the command runs on two nodes one after the other, with the journals of the same job's
    ranks and the same folder for logs, all journals are recovered. `darshan merge` makes one log of
    the two, with equal sums."""
    each = work / "each"
    each.mkdir()
    play = build / "darshan-test" / "ranks" / "play"
    command = [play, "--ranks", "4", "--shared", "2", "--each", each, work / "all"]
    subprocess.run(command, check=True, capture_output=True)
    for node in ((0, 1), (2, 3)):
        for rank in node:
            shutil.copy(
                each / f"{rank}.darshan", journals / f"u_app_id7_mmap-log-99-{rank}.darshan"
            )
        settle(journals)
        assert darshan("recover", "-o", "logs").stdout.endswith(b": made of 2 journals\n")
        assert list(journals.iterdir()) == []
    names = ("POSIX_OPENS", "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN")

    def total(*logs: Path) -> dict[str, int]:
        sums = dict.fromkeys(names, 0)
        for row in (row for log in logs for row in rows(log) if row.counter in names):
            sums[row.counter] += int(row.text)
        return sums

    two = list((work / "logs").iterdir())
    assert len(two) == 2 and total(*two) == total(work / "all")
    assert darshan("merge", "-o", "joined", "logs").returncode == 0
    assert total(work / "joined") == total(work / "all")
    assert {row.rank for row in rows(work / "joined") if row.module == "POSIX"} == {-1}


def test_journal_of_a_moment_ago(darshan: Run, leave: Leave, journals: Path, work: Path) -> None:
    """The journal of a process that has just been killed is recovered at once, as the epilogue of a
    batch job needs it."""
    leave()
    assert darshan("recover", "-o", "logs").returncode == 0
    assert list(journals.iterdir()) == [] and len(list((work / "logs").iterdir())) == 1


def test_folder_of_the_day(darshan: Run, leave: Leave, work: Path) -> None:
    """With DARSHAN_LOGPATH_DATED, the command creates the folder of the day with the mode that the
    runtime would give it: open to all users if the folder above is."""
    shared = work / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    leave()
    dated = {"DARSHAN_LOGPATH": str(shared), "DARSHAN_LOGPATH_DATED": "1"}
    assert darshan("recover", variables=dated).returncode == 0
    now = time.localtime()
    day = shared / str(now.tm_year) / str(now.tm_mon) / str(now.tm_mday)
    assert len(list(day.iterdir())) == 1
    for folder in (day, day.parent, day.parent.parent):
        assert folder.stat().st_mode & 0o7777 == 0o1777


def test_without_home_and_terminal(
    build: Path, leave: Leave, journals: Path, work: Path, tmp_path: Path
) -> None:
    """With only HOME in its environment and without a terminal, as cron starts it, the command
    writes the log to the home folder."""
    leave()
    settle(journals)
    plain = {"HOME": str(tmp_path / "home")}
    done = finished_in_bytes(
        [build / "darshan", "recover", journals], cwd="/", env=plain, timeout=SECONDS
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(list((tmp_path / "home" / "darshan-logs").iterdir())) == 1


def test_what_is_no_journal_is_left_alone(darshan: Run, journals: Path) -> None:
    """Files that have not the name or the content of a journal, and symbolic links, are left alone
    without a message."""
    names = ("text", "a_mmap-log-.darshan", "x_id1_mmap-log-2-0.txt", "x_id1_mmap-log-2-0.darshan")
    for name in names:
        (journals / name).write_bytes(b"no log")
    os.symlink("/etc/passwd", journals / "x_id1_mmap-log-3-0.darshan")
    done = darshan("recover", "-o", "logs")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(list(journals.iterdir())) == 5


def test_journal_that_holds_nothing(darshan: Run, journals: Path) -> None:
    """A journal without content is left alone at first, because its process may still be starting.
    Once it is old, it is removed, and a line says so."""
    blank = journals / "x_id1_mmap-log-2-0.darshan"
    blank.write_bytes(bytes(10000))
    assert darshan("recover", "-o", "logs").stdout == b""
    settle(journals)
    assert (
        darshan("recover").stdout.decode() == f"{blank}: removed, because it contains no records\n"
    )
    assert not blank.exists()


def test_damaged_journal_stays(darshan: Run, leave: Leave, journals: Path) -> None:
    """A damaged journal is not removed, the message names it, and the exit status is 1."""
    journal = leave()
    with journal.open("r+b") as file:
        file.write(b"another thing")
    settle(journals)
    done = darshan("recover", "-o", "logs")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"darshan-merge: {journal}: ".encode())
    assert journal.exists()


def test_folder_that_is_not_there(darshan: Run) -> None:
    """If the named folder does not exist, the message gives its path and the reason, and the exit
    status is 1."""
    done = darshan("recover", "no/such/folder")
    assert done.returncode == 1
    assert (
        done.stderr
        == b"darshan: cannot read the folder no/such/folder: No such file or directory\n"
    )


@pytest.mark.needs("root", "ordinary-user")
def test_root_does_it_in_everybodys_name(
    build: Path,
    darshan: Run,
    leave: Leave,
    observed: dict[str, str],
    *,
    journals: Path,
    work: Path,
) -> None:
    """As root, the command recovers only root's own journals. With --all-users it recovers those of
    other users, who then own the logs."""
    for folder in (work, work.parent):
        folder.chmod(0o755)
    journals.chmod(0o1777)
    (work / "theirs").mkdir()
    (work / "theirs").chmod(0o777)
    leave()
    user = {"user": 65534, "group": 65534, "extra_groups": []}
    # The copy is readable by the other user; the build may be below a folder that only root can
    # read.
    for name in ("libdarshan.so", "darshan", "darshan-merge"):
        shutil.copy2(build / name, work / "theirs")
    environment = observed | preload(work / "theirs" / "libdarshan.so")
    script = write_and_die(work / "theirs")
    subprocess.run(["sh", "-c", script], env=environment, cwd="/", check=False, **user)
    settle(journals)
    done = darshan("recover", "-o", "own")
    assert done.stdout.count(b"\n") == 1
    assert [path.stat().st_uid for path in journals.iterdir()] == [65534]
    done = finished_in_bytes(
        [work / "theirs" / "darshan", "recover", "--all-users", "-o", work / "theirs" / "logs"],
        env=not_preloaded(observed),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    (log,) = (work / "theirs" / "logs").iterdir()
    assert log.stat().st_uid == 65534
    assert list(journals.iterdir()) == []


def test_rows_that_nobody_wrote(darshan: Run, journals: Path) -> None:
    """A run directory whose event file has impossible rows (extreme times and numbers, a truncated
    row, an unterminated host name) does not crash the command."""
    folder = journals / "darshan-run.99p.x"
    folder.mkdir(mode=0o700)
    rows = bytearray()
    for kind in range(10):
        for number in (-(1 << 63), (1 << 63) - 1):
            numbers = (MAGIC, kind, 4_000_000, -1, -1, 0, number, number, 5, 0)
            rows += ROW.pack(*numbers, b"\xff" * 40, b"x" * 24)
    (folder / "events").write_bytes(rows[:-7])
    (folder / "part.x.y").write_bytes(b"no log")
    done = darshan("recover", "-o", "logs")
    assert done.returncode in {0, 1}
    assert b"Sanitizer" not in done.stderr


def settled(leave: Leave, journals: Path) -> Path:
    """Leaves the journal of a killed process, eight days old. Returns its path."""
    journal = leave()
    settle(journals)
    return journal


@pytest.mark.parametrize("answer", ["y", "YES", "n", "", "\x04"])
def test_a_terminal_is_asked(
    answer: str, build: Path, environment: dict[str, str], leave: Leave, work: Path
) -> None:
    """On a terminal, the command first prints what it would do, and makes logs only after the
    answer "y" or "yes"."""
    journal = settled(leave, Path(environment["DARSHAN_MMAP_LOGPATH"]))
    typed = answer.encode() + (b"" if answer == "\x04" else b"\n")
    seen, status = at_terminal(
        [str(build / "darshan"), "recover", "-o", "logs"], environment, work, b"[y/N]", typed
    )
    assert seen.startswith(b"would make logs/")
    agreed = answer.lower() in ("y", "yes")
    assert os.waitstatus_to_exitcode(status) == (0 if agreed else 1)
    assert journal.exists() != agreed
    assert len(list((work / "logs").glob("*.darshan"))) == agreed


def test_no_question(
    build: Path, environment: dict[str, str], leave: Leave, journals: Path, work: Path
) -> None:
    """With --yes, or if there is nothing to recover, the command asks no question."""
    journal = settled(leave, journals)
    front = [str(build / "darshan"), "recover"]
    seen, status = at_terminal([*front, "--yes", "-o", "logs"], environment, work, b"", b"")
    assert os.waitstatus_to_exitcode(status) == 0 and b"y/N" not in seen
    assert not journal.exists() and b": made of 1 journal" in seen
    seen, status = at_terminal(front, environment, work, b"", b"")
    assert (seen, os.waitstatus_to_exitcode(status)) == (b"nothing to recover\r\n", 0)
