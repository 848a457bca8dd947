"""The runtime and the tools work on AArch64, which qemu emulates: counters are right, and logs are
the same as on this machine.

A sample of the functions' cases runs, another one with each commit. Cases of code that is written
for each processor always run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from calls.function_case import PROGRAMS, counts_right
from calls.run_case import case_names, run_case
from lab.command import finished, finished_in_bytes
from logs.catalogue import good_cases
from logs.encode import encode
from place import elsewhere
from sample import everything, turning
from tree import started_by

# Fraction of the other cases in the sample.
SHARE = 0.05
# Cases of code that is written for each processor (vfork.S, messages-enter.S, stack-switch.S), of
# jumps, of threads that share a file, and of exec. In `mlock` the emulator is so slow that the
# limit of time for inspecting pages is reached.
PROCESSOR = (
    "vfork_and_exec",
    "vfork_and_failed_exec",
    "warn",
    "errx",
    "error_at_line",
    "small_stack",
    "jump_out_of_handler",
    "threads_with_one_file",
    "mlock",
)
# Cases that start AArch64 programs. This needs an entry in the kernel's list of formats (start
# --formats).
STARTS_ITSELF = {name for name in PROGRAMS if name.startswith(("exec", "fexec"))} | {
    "vfork_and_exec",
    "spawn_while_threads_write",
    "descriptors_of_a_child",
    "exec_without_environment",
    "exec_while_threads_write",
}
# Cases that start programs of this machine, whose loader refuses the AArch64 library.
STARTS_NATIVE = {"system", "popen", "posix_spawn", "posix_spawnp", "streams_that_are_no_files"}
# Cases whose calls qemu's user emulation treats differently from a kernel, with the reason.
EMULATED = {
    **dict.fromkeys(("open_tree", "execveat"), "it does not know this system call"),
    **dict.fromkeys(("clone", "__clone"), "a child in its parent's memory is a fork"),
    **dict.fromkeys(
        ("fork_by_system_call", "fork_without_handlers"),
        "MADV_WIPEONFORK does nothing, as before Linux 4.14",
    ),
    **dict.fromkeys(case_names("CASE", "kernel-aio.c"), "it has no asynchronous I/O"),
    "pwritev2": "it has no flags",
    "fexecve": "a program is started by its path",
    "chroot": "it looks for its own files below the new root",
    "last_thread_is_not_main": "it asserts that the first thread is the last",
    "unreadable_buffer": "a buffer is looked at before the call",
    "cancelled_thread": "so slow that an open of a pipe counts as waiting",
    "wide_in_another_encoding": "the C library for it has no conversions",
}
# Settings of all cases. qemu cannot make a child that sends no signal when it ends. The runtime
# makes such children for the merger of a run, and in a container to find out the system calls that
# its filter allows.
ALONE = {"DARSHAN_JOB_TREE": "0", "DARSHAN_FILTER_CALLS": "*"}


@cache
def why_no_formats(start: str) -> str:
    """Returns the reason why AArch64 programs cannot be registered with the kernel's binfmt_misc;
    "" if they can be. start: path of the program `start`."""
    done = finished([start, "--formats", "true"])
    return done.stderr.strip()


def under(name: str, build: Path) -> list[str]:
    """Returns the words to put before the command of a case, so that it can start other AArch64
    programs; [] if it starts none. Skips the test if the case cannot run on this machine. name: of
    the case."""
    (start,) = started_by(build)
    if name in STARTS_NATIVE:
        elsewhere("it starts a program of this machine, for which the library is not")
    if name in EMULATED:
        elsewhere(f"qemu: {EMULATED[name]}")
    if name not in STARTS_ITSELF:
        return []
    if reason := why_no_formats(start):
        elsewhere(f"AArch64 programs cannot start others here: {reason}")
    return [start, "--formats"]


SAMPLE = [
    name for name in PROGRAMS if name in PROCESSOR or name in turning(PROGRAMS, SHARE, "aarch64")
]


@pytest.mark.parametrize("name", SAMPLE)
def test_function(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """On AArch64, the counters of a case of the program `calls` are those that the case expects."""
    counts_right(name, build, parser, tmp_path, under=under(name, build), extra=ALONE)


def output(*command: str | Path) -> tuple[int, bytes]:
    """Returns the exit status and the standard output of a command."""
    done = finished_in_bytes(command, timeout=120)
    return done.returncode, done.stdout


def test_a_log_is_the_same_to_both(build: Path, parser: Path, tmp_path: Path) -> None:
    """darshan-parser of this machine and that of AArch64 print the same for a log that an AArch64
    program left."""
    run = run_case(build, "threads_with_own_files", tmp_path / "run", extra=ALONE)
    (log,) = run.logs
    here, there = output(parser, log), output(*started_by(build), build / "darshan-parser", log)
    assert here == there and here[0] == 0 and b"POSIX_BYTES_WRITTEN" in here[1]


GOOD = [case.name for case in good_cases()]


@pytest.mark.parametrize("name", GOOD if everything() else turning(GOOD, 0.1, "aarch64 logs"))
def test_tools_read_and_write_the_same(
    name: str, build: Path, parser: Path, tmp_path: Path
) -> None:
    """For logs of every version and byte order, darshan-parser and darshan-convert of AArch64
    produce the same bytes as those of this machine."""
    (case,) = (case for case in good_cases() if case.name == name)
    log = tmp_path / "log.darshan"
    log.write_bytes(encode(case.log))
    start, tools = started_by(build), parser.parent
    there = output(*start, build / "darshan-parser", "--all", log)
    assert there == output(parser, "--all", log)
    made: dict[str, Path] = {}
    results: dict[str, tuple[int, bytes]] = {}
    for where, command in (("here", [tools]), ("there", [*start, build])):
        made[where] = tmp_path / where
        convert = [*command[:-1], Path(command[-1]) / "darshan-convert"]
        results[where] = output(*convert, log, made[where])
    assert results["here"] == results["there"]
    if results["here"][0] == 0:
        assert made["here"].read_bytes() == made["there"].read_bytes()
