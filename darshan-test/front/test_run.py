"""`darshan run` does not change how the program runs, and prints the path of the log, or why there
is none."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lab.command import finished_in_bytes
from lab.compile import SHARED, compile_c
from lab.environment import preload
from lab.log import Row

from .conftest import SECONDS, Run

# Reads the rows of a log; see the fixture rows.
Rows = Callable[[Path], list[Row]]
COPY = ("dd", "if=/bin/sh", "of=copy", "bs=4096", "status=none")


def logs_in(folder: Path) -> list[Path]:
    """Returns the paths of the logs in a folder. Fails if the folder has other files."""
    left = sorted(folder.iterdir())
    assert all(path.suffix == ".darshan" and path.is_file() for path in left), left
    return left


def test_log_is_where_the_line_says(darshan: Run, work: Path, rows: Rows) -> None:
    """The only line on standard error has the path of the log, and the log has the program's
    bytes."""
    done = darshan("run", "--", *COPY)
    (log,) = logs_in(work / "darshan-logs")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == f"darshan: log: {log}\n"
    size = str((work / "copy").stat().st_size)
    written = [r for r in rows(log) if r.counter == "POSIX_BYTES_WRITTEN"]
    assert [(r.text, r.name) for r in written] == [(size, str(work / "copy"))]


@pytest.mark.parametrize("blank", ["logs", "a folder with blanks: and colons"])
def test_folder_is_made(darshan: Run, work: Path, blank: str) -> None:
    """The folder of -o is created with the folders above it. blank: its name."""
    assert darshan("run", "-o", f"deep/{blank}", *COPY).returncode == 0
    assert len(logs_in(work / "deep" / blank)) == 1


def test_folder_of_the_environment(darshan: Run, work: Path) -> None:
    """Without -o, the log is written to the folder DARSHAN_LOGPATH, which is created."""
    variables = {"DARSHAN_LOGPATH": "mine", "DARSHAN_LOGPATH_DATED": ""}
    darshan("run", *COPY, variables=variables)
    assert len(logs_in(work / "mine")) == 1
    darshan("run", "-o", "other", *COPY, variables=variables)
    assert (len(logs_in(work / "mine")), len(logs_in(work / "other"))) == (1, 1)


def test_folder_that_cannot_be_made(darshan: Run, work: Path) -> None:
    """If the folder for logs cannot be created, the program is not started, the status is 125, and
    the message gives path and reason."""
    (work / "file").touch()
    done = darshan("run", "-o", "file/logs", *COPY)
    assert done.returncode == 125
    assert b"cannot write logs to file/logs: Not a directory; use -o DIR" in done.stderr
    assert not (work / "copy").exists()


@pytest.mark.parametrize("status", [0, 1, 42, 255])
def test_exit_status(darshan: Run, status: int) -> None:
    """The exit status of the program is that of `darshan run`."""
    assert darshan("run", "sh", "-c", f"exit {status}").returncode == status


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_end_by_signal(
    darshan: Run, work: Path, tmp_path: Path, rows: Rows, number: signal.Signals
) -> None:
    """If the program is killed by a signal, `darshan run` ends by the same signal. One log with the
    program's files remains, and standard error has its path."""
    done = darshan("run", "sh", "-c", f"echo here > file; kill -{number.value} $$")
    assert done.returncode == -number
    left = [*(tmp_path / "journals").glob("*/*.darshan"), *(work / "darshan-logs").iterdir()]
    reports = [path for path in left if path.suffix == ".darshan"]
    assert len(reports) == 1
    assert str(reports[0]) in done.stderr.decode()
    assert any(row.name == str(work / "file") for row in rows(reports[0]))


def test_signal_to_the_front_reaches_the_program(
    build: Path, work: Path, environment: dict[str, str]
) -> None:
    """SIGTERM to `darshan run` is passed on to the program, whose exit status is then returned."""
    script = "trap 'echo told; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    with subprocess.Popen(
        [build / "darshan", "run", "sh", "-c", script],
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.terminate()
        out, _ = process.communicate(timeout=SECONDS)
    assert (out, process.returncode) == (b"told\n", 7)


def test_ignored_child_signal(build: Path, work: Path, environment: dict[str, str]) -> None:
    """If the caller ignores SIGCHLD, the program's exit status is still passed on."""
    done = finished_in_bytes(
        [
            "sh",
            "-c",
            'trap "" CHLD; exec "$@"',
            "sh",
            build / "darshan",
            "run",
            "sh",
            "-c",
            "exit 9",
        ],
        cwd=work,
        env=environment,
        timeout=SECONDS,
    )
    assert done.returncode == 9


def test_program_that_is_not_there(darshan: Run, work: Path) -> None:
    """For a missing program the status is 127, for a file that cannot be executed 126, as in a
    shell; there is no log."""
    (work / "text").write_text("no program\n")
    missing = darshan("run", "./no-such-program")
    assert missing.returncode == 127
    assert missing.stderr == b"darshan: cannot run ./no-such-program: No such file or directory\n"
    assert darshan("run", "./text").returncode == 126
    assert logs_in(work / "darshan-logs") == []


@pytest.mark.parametrize("arguments", [(), ("run",), ("run", "--"), ("run", "-x", "ls"), ("stat",)])
def test_wrong_use(darshan: Run, arguments: tuple[str, ...]) -> None:
    """For wrong arguments, the status is 2, and the usage follows a line that names the wrong
    word."""
    done = darshan(*arguments)
    assert done.returncode == 2
    first, usage = done.stderr.split(b"usage: darshan", 1)
    wrong = [word for word in arguments[-2:-1] or arguments if word not in ("run", "stat", "--")]
    assert all(word.lstrip("-").encode() in first for word in wrong)
    assert first.count(b"\n") == len(wrong)
    assert usage


def test_unknown_command(darshan: Run) -> None:
    """An unknown command is a usage error that names it."""
    done = darshan("nothing")
    assert done.returncode == 2
    assert done.stderr.startswith(b"darshan: unknown command nothing\n")


def test_other_preloads_stay(darshan: Run, build: Path) -> None:
    """Libraries in LD_PRELOAD stay in front of the runtime."""
    other = str(build / "darshan-test" / "calls" / "plugin.so")
    script = 'echo "${LD_PRELOAD%:*}"; readlink -f "${LD_PRELOAD##*:}"'
    done = darshan("run", "sh", "-c", script, variables=preload(other))
    assert done.stdout.decode().splitlines() == [other, str(build / "libdarshan.so")]


def test_run_within_a_run(darshan: Run, build: Path, work: Path) -> None:
    """A `darshan run` inside another one writes its log to its own folder."""
    done = darshan("run", "-o", "outer", build / "darshan", "run", "-o", "inner", *COPY)
    assert done.returncode == 0
    assert len(logs_in(work / "inner")) == 1


def test_several_processes(darshan: Run, work: Path) -> None:
    """A run of several processes leaves one log, which the line names."""
    done = darshan("run", "sh", "-c", " ".join(COPY) + "; cat copy > again")
    (log,) = logs_in(work / "darshan-logs")
    assert done.stderr.decode() == f"darshan: log: {log}\n"


def test_several_logs(darshan: Run, work: Path) -> None:
    """With DARSHAN_JOB_TREE=0, each process leaves a log; the line has their number and the first
    path."""
    script = " ".join(COPY) + "; cat copy > again; exit 0"
    done = darshan("run", "sh", "-c", script, variables={"DARSHAN_JOB_TREE": "0"})
    logs = logs_in(work / "darshan-logs")
    assert len(logs) > 1
    assert done.stderr.decode() == f"darshan: {len(logs)} logs, the first: {logs[0]}\n"


def test_runs_at_the_same_time(build: Path, work: Path, environment: dict[str, str]) -> None:
    """Runs at the same time in the same folder each print the path of their own log."""
    commands = [["dd", "if=/bin/sh", f"of=copy{i}", "status=none"] for i in range(4)]
    started = [
        subprocess.Popen(
            [build / "darshan", "run", *command], cwd=work, env=environment, stderr=subprocess.PIPE
        )
        for command in commands
    ]
    lines = [process.communicate(timeout=SECONDS)[1].decode() for process in started]
    said = sorted(line.removeprefix("darshan: log: ").strip() for line in lines)
    assert said == [str(path) for path in logs_in(work / "darshan-logs")]


def test_reason_switched_off(darshan: Run) -> None:
    """If DARSHAN_DISABLE is set, a line says that this is why there is no log."""
    done = darshan("run", "true", variables={"DARSHAN_DISABLE": "0"})
    assert done.stderr == b"darshan: no log: DARSHAN_DISABLE is set and switches recording off\n"


def test_reason_of_a_launcher(darshan: Run, work: Path) -> None:
    """If a launcher fails before it starts a program that is recorded, the line about the missing
    log gives the launcher and its status, and blames no setting."""
    launcher = work / "mpirun"
    launcher.write_text("#!/bin/sh\nexit 7\n")
    launcher.chmod(0o755)
    done = darshan("run", str(launcher), "-n", "2", "true")
    text = f"no log: {launcher} ended with status 7 and started no program that was recorded"
    assert (done.returncode, done.stderr.decode()) == (7, f"darshan: {text}\n")


@pytest.mark.parametrize("script", [False, True])
def test_reason_statically_linked(darshan: Run, work: Path, script: bool) -> None:
    """For a statically linked program, the line says that this is why there is no log. script:
    whether the program is the interpreter of a script."""
    program = compile_c(work, "int main(void) { return 3; }\n", "-static", name="static")
    if script:
        program = work / "script"
        program.write_text(f"#!{work}/static\n")
        program.chmod(0o755)
    done = darshan("run", program)
    assert done.returncode == 3
    reason = f"no log: {work}/static is statically linked, so no library can be preloaded; "
    reason += "link it with the runtime (darshan-gen-cc)\n"
    assert done.stderr.decode() == f"darshan: {reason}"


# Source of a static program with the note that Go's linker writes.
GO = """
struct { unsigned name, text, type; char go[4], id[4]; } note
    __attribute__((section(".note.go.buildid"), aligned(4), used)) = {4, 4, 4, "Go", "id"};
int main(void) { return 3; }
"""


def test_reason_go(darshan: Run, work: Path) -> None:
    """For a Go program, the line about the missing log says that it calls the kernel without the C
    library, and does not propose to link it with the runtime."""
    program = compile_c(work, GO, "-static", name="go")
    done = darshan("run", program)
    assert done.returncode == 3
    assert b"go is a Go program that calls the kernel without the C library" in done.stderr
    assert b"darshan-gen-cc" not in done.stderr


# Source of a function and of a string by which HDF5 is recognized in a program.
HDF5_INSIDE = """
int H5open(void);
int H5open(void) { return puts("HDF5: infinite loop closing library"); }
"""
# Part of the line about a statically linked library.
TELLS = "is statically linked into"


def compiled(work: Path, name: str, source: str, *options: str) -> Path:
    """Compiles a source of a few lines, to which stdio.h is added. Returns the program's path."""
    return compile_c(work, f"#include <stdio.h>\n{source}\n", *options, name=name, first=["gcc"])


@pytest.mark.parametrize("options", [(), ("-s",), ("-rdynamic", "-s")])
def test_library_inside(darshan: Run, work: Path, options: tuple[str, ...]) -> None:
    """If HDF5 is statically linked into the program, one more line says that calls to it are not in
    the log, also for a script's interpreter and behind a launcher. options: of the compiler;
    stripped or not."""
    source = 'int main(void) { return H5open() < 0 || !fopen(__FILE__, "r"); }'
    program = compiled(work, "inside", HDF5_INSIDE + source, *options)
    script, launcher = work / "script", work / "mpirun"
    script.write_text(f"#!{program}\n")
    launcher.write_text('#!/bin/sh\nexec "$3"\n')
    for path in (script, launcher):
        path.chmod(0o755)
    for command in ([program], [script], [launcher, "-n", "2", program]):
        log, line = darshan("run", *command).stderr.decode().splitlines()
        assert log.startswith("darshan: log: ")
        assert line == (
            f"darshan: HDF5 {TELLS} {program}: the log has the POSIX calls that it "
            "makes, but no calls to it; link the program with the runtime (darshan-gen-cc) to "
            "record them"
        )


def test_no_library_inside(darshan: Run, build: Path, work: Path) -> None:
    """The line about a static library is not printed for a program with a shared library, for one
    that is linked with the runtime, and for a command that only copies such a program. Programs
    with damaged headers cause no error."""
    compiled(work, "libhdf5.so", HDF5_INSIDE, *SHARED)
    main = 'int H5open(void); int main(void) { return H5open() < 0 || !fopen(__FILE__, "r"); }'
    rpath = f"-Wl,-rpath,{work}"
    dynamic = compiled(work, "dynamic", main, "-L.", "-lhdf5", rpath)
    mark = '__attribute__((section("darshan_linked"), used)) static long mark[2];\n'
    linked = compiled(work, "linked", mark + HDF5_INSIDE + main.partition(";")[2])
    inside = compiled(work, "inside", HDF5_INSIDE + main.partition(";")[2])
    commands = [[dynamic], [linked], ["cp", inside, work / "copy"]]
    for command in commands:
        assert TELLS not in darshan("run", *command).stderr.decode(), command
    # The file is untrusted: bad headers do not crash the search.
    whole = inside.read_bytes()
    for cut, bad in ((64, b""), (1000, b""), (len(whole), b"\xff" * 8), (40, b"\xff" * 24)):
        launcher, broken = work / "mpirun", work / "broken"
        launcher.write_text("#!/bin/sh\ncat mpirun >copy\n")
        broken.write_bytes(whole[:40] + bad + whole[40 + len(bad) : cut])
        for path in (launcher, broken):
            path.chmod(0o755)
        done = darshan("run", launcher, broken)
        assert done.returncode == 0 and done.stderr.startswith(b"darshan: log: ")


def test_journal_folder_that_is_not_there(darshan: Run, work: Path) -> None:
    """If the folder for journals does not exist, the program succeeds and leaves its log."""
    done = darshan("run", *COPY, variables={"DARSHAN_MMAP_LOGPATH": str(work / "none")})
    assert done.returncode == 0
    assert len(logs_in(work / "darshan-logs")) == 1
