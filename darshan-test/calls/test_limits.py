"""Tests limits of records and memory, full disks, missing folders, and limited processes.

The program must run as without the runtime, and no count may be lost while there is space."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.environment import PRELOAD, not_preloaded, plain, settings
from lab.log import Log
from left import left_in
from place import needs
from run_case import (
    Run,
    one_log,
    parse,
    read_expectations,
    run_case,
)


def totals(parser: Path, log: Path) -> dict[str, int]:
    """Returns the totals of POSIX and STDIO that darshan-parser prints, by counter: only those that
    are sums over files."""
    done = subprocess.run(
        [parser, "--total", "--show-incomplete", log], capture_output=True, text=True, check=True
    )
    rows = re.findall(r"^total_(POSIX|STDIO)_(\w+): (-?\d+)$", done.stdout, re.M)
    added = re.compile(
        r"OPENS|READS|WRITES|SEEKS|STATS|FLUSHES|BYTES_|SIZE_|RW_|SEQ_|CONSEC_|MMAPS"
    )
    return {f"{module}_{name}": int(value) for module, name, value in rows if added.match(name)}


def test_many_files_with_default_limits(build: Path, parser: Path, tmp_path: Path) -> None:
    """A program with 20,000 files has the same totals with the default limits and with high ones.
    With the default limits, the files beyond the limit share records, and only the module POSIX has
    a warning."""
    config = {"DARSHAN_CONFIG_PATH": str(tmp_path / "config")}
    (tmp_path / "config").write_text("MODMEM 256\nNAMEMEM 64\nMAX_RECORDS 60000 *\n")
    few = run_case(build, "many_files", tmp_path / "few")
    many = run_case(
        build,
        "many_files",
        tmp_path / "many",
        extra=config,
    )
    limited = one_log(parser, few)
    assert (many.status, few.stderr, many.stderr) == (0, b"", b"")
    unlimited = totals(parser, many.logs[0])
    assert unlimited["POSIX_OPENS"] == 20000
    assert unlimited["POSIX_BYTES_WRITTEN"] == 60000
    assert unlimited["STDIO_BYTES_WRITTEN"] == 21000
    assert totals(parser, few.logs[0]) == unlimited
    assert 16384 < len([1 for module, _ in limited.records if module == "POSIX"]) <= 16384 + 257
    assert sum(limited.groups.values()) == 20000 - 16384
    assert limited.total("POSIX_EXT_ACCESSES") == 20000
    warning = "# *WARNING*: The {} module contains incomplete data!"
    assert warning.format("POSIX") in limited.text
    assert warning.format("STDIO") not in limited.text  # 3,000 streams fit
    # The parser prints a complete log without --show-incomplete.
    subprocess.run([parser, "--total", many.logs[0]], capture_output=True, check=True)
    # For an incomplete log the parser reports this and stops.
    done = finished_in_bytes([parser, few.logs[0]])
    assert done.returncode == 255
    assert done.stderr


@pytest.mark.parametrize(
    "setting",
    ["MAX_RECORDS 100 POSIX", "MODMEM 0", "NAMEMEM 0", "NAMEMEM 0.01"],
    ids=lambda text: text.replace(" ", "-"),
)
def test_totals_survive_any_limit(setting: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """A program with more files than a limit permits has exact totals. setting: of the
    configuration file."""
    config = {"DARSHAN_CONFIG_PATH": str(tmp_path / "config")}
    (tmp_path / "config").write_text(setting + "\n")
    run = run_case(
        build,
        "some_files",
        tmp_path / "run",
        extra=config,
    )
    log = one_log(parser, run)
    assert disagreements_of_totals(log, run) == []


def disagreements_of_totals(log: Log, run: Run) -> list[str]:
    """Returns differences in the sums that the case names. Other counters depend on the limit."""
    expected = read_expectations(run.out)
    return [
        f"{counter}: {value} expected, {log.total(counter)} found"
        for relation, counter, value, _ in expected.rows
        if relation == "s" and log.total(counter) != int(value)
    ]


# --- folders that are full, missing or not writable ---------------------------


@contextmanager
def small_file_system(folder: Path, size: str) -> Iterator[Path]:
    """Mounts a tmpfs of this size during the context. Skips the test if that is not permitted."""
    needs("mount")
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    subprocess.run(mount, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Writes into a folder until its file system is full."""
    out = os.open(folder / "filler", os.O_CREAT | os.O_WRONLY)
    with suppress(OSError):
        while os.write(out, bytes(4096)) == 4096:
            pass
    os.close(out)


@pytest.mark.parametrize("room", ["full", "64k", "400k"])
def test_small_journal_folder(room: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """If the file system of the journals is full, or becomes full, the program's output and the
    log's totals are right, and at most one line is printed. room: free bytes."""
    with small_file_system(tmp_path / "small", "64k" if room == "full" else room) as small:
        if room == "full":
            fill(small)
        run = run_case(
            build, "some_files", tmp_path / "run", extra={"DARSHAN_MMAP_LOGPATH": str(small)}
        )
        log = one_log(parser, run)
        assert [path.name for path in small.iterdir() if path.name != "filler"] == []
    assert run.stdout == b"output\n"
    assert run.stderr.count(b"\n") <= 1
    assert disagreements_of_totals(log, run) == []


def test_missing_journal_folder(build: Path, parser: Path, tmp_path: Path) -> None:
    """If the folder of the journals does not exist, the program's output and the log's totals are
    right, and the runtime does not make the folder."""
    run = run_case(
        build, "some_files", tmp_path, extra={"DARSHAN_MMAP_LOGPATH": str(tmp_path / "none")}
    )
    log = one_log(parser, run)
    assert run.stdout == b"output\n"
    assert run.stderr.count(b"\n") <= 1
    assert disagreements_of_totals(log, run) == []
    assert not (tmp_path / "none").exists()


def journal_is_kept(parser: Path, run: Run) -> None:
    """Checks that the program's output is complete, and that one line on stderr names the journal,
    which must have all records."""
    assert (run.status, run.stdout) == (0, b"output\n")
    (journal,) = run.journals
    assert run.stderr.count(b"\n") == 1
    assert str(journal).encode() in run.stderr
    assert disagreements_of_totals(parse(parser, journal), run) == []


def test_log_folder_that_is_a_file(build: Path, parser: Path, tmp_path: Path) -> None:
    """If the path of the logs is that of a file, the journal of the program stays."""
    (tmp_path / "file").write_text("not a folder")
    run = run_case(
        build, "some_files", tmp_path / "run", extra={"DARSHAN_LOGPATH": str(tmp_path / "file")}
    )
    journal_is_kept(parser, run)


def test_full_log_folder(build: Path, parser: Path, tmp_path: Path) -> None:
    """If the file system of the logs is full, the journal of the program stays, and no part of a
    log."""
    with small_file_system(tmp_path / "small", "64k") as small:
        fill(small)
        run = run_case(build, "some_files", tmp_path / "run", extra={"DARSHAN_LOGPATH": str(small)})
        assert [path.name for path in small.iterdir()] == ["filler"]
    journal_is_kept(parser, run)


def test_missing_log_folder_is_made(build: Path, parser: Path, tmp_path: Path) -> None:
    """The runtime makes a folder of logs that does not exist, with its parents."""
    logs = tmp_path / "new" / "folder with a space"
    run = run_case(build, "some_files", tmp_path / "run", extra={"DARSHAN_LOGPATH": str(logs)})
    assert (run.status, run.stderr) == (0, b"")
    (log,) = logs.iterdir()
    assert disagreements_of_totals(parse(parser, log), run) == []


# --- limits of the process ----------------------------------------------------


def run_limited(
    build: Path, tmp_path: Path, before: str, name: str = "two_files"
) -> tuple[subprocess.CompletedProcess[bytes], list[Path]]:
    """Runs a case after shell commands such as ulimit; returns its status and output, and the paths
    of its logs and journals. before: the commands."""
    folders = [tmp_path / part for part in ("work", "logs", "journals")]
    for path in folders:
        path.mkdir()
    work, logs, journals = folders
    program = build / "darshan-test" / "calls" / "calls"
    env = plain() | not_preloaded(settings(build, logs, journals))  # not for the shell
    script = f'{before}; {PRELOAD}="$0" exec "$1" {name} "$2" "$3"'
    done = finished_in_bytes(
        ["sh", "-c", script, build / "libdarshan.so", program, work, tmp_path / "expected"],
        cwd=work,
        env=env,
        timeout=60,
    )
    left = left_in(journals)
    return done, [*logs.iterdir(), *left]


@pytest.mark.parametrize(
    "limit",
    [
        "ulimit -f 1",
        "ulimit -f 0; trap '' XFSZ",
        "ulimit -v 100000",
        "ulimit -v 20000",
        "ulimit -n 5",
        "ulimit -l 0",
        "ulimit -s 64",
        "exec 0<&-",
    ],
)
def test_limited_process(limit: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """Under a limit, the program runs as without the runtime. The records in its log are right;
    without a log, a line reports this."""
    name = "cleared_environment" if "-f 0" in limit else "two_files"
    done, left = run_limited(build, tmp_path, limit, name)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (b"output\n" if name == "two_files" else b"")
    assert done.stderr.count(b"\n") <= 1
    for path in left:
        assert parse(parser, path).total("POSIX_OPENS") == 1
    assert left or done.stderr, "no log, and no word about it"


def test_output_is_closed(build: Path, parser: Path, tmp_path: Path) -> None:
    """The runtime uses no standard descriptor number that the program left free."""
    done, left = run_limited(build, tmp_path, "exec 0<&- 1>&- 2>&-", "spellings")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (log,) = left
    assert parse(parser, log).total("POSIX_OPENS") == 3


def test_imprisoned_process(build: Path, parser: Path, tmp_path: Path) -> None:
    """A process that changes its root directory (chroot) works as without the runtime, and has one
    log with the bytes that it wrote."""
    needs("chroot")
    run = run_case(build, "imprisoned", tmp_path)
    assert (run.status, run.stdout) == (0, b"output\n")
    assert run.stderr.count(b"\n") <= 1
    # The log is below the new root or outside.
    (path,) = tmp_path.glob("**/*.darshan")
    assert parse(parser, path).total("POSIX_BYTES_WRITTEN") == 100
