"""Measures the cost of running one small program, and the private memory of an idle process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from machine import Bench, plain_environment
from rows import Row

# Runs of each program; the lowest tenth counts.
RUNS = 100
# By label: command, and goal in milliseconds.
PROGRAMS = {
    "`true`": (["true"], 1.0),
    "`python3 -c pass`": ([os.path.realpath(sys.executable), "-c", "pass"], 2.0),
}
# Programs that a shell's loop starts.
STARTS = 200  # programs that a shell's loop starts
LOOP = f"for i in {{1..{STARTS}}}; do %s; done"
LOOPS = {
    "a fork and `/bin/true` in a loop of bash": LOOP % "/bin/true",
    "a fork and `/bin/cat FILE` in a loop of bash": LOOP % "/bin/cat file",
}
# Seconds until a program sleeps.
SETTLED = 0.5
# Goals in KiB: private memory of an idle process, private memory of one that wrote a file, and
# pages of the library.
OWN, OWN_RECORDED, LIBRARY = 64, 160, 400


def milliseconds(command: list[str], environment: dict[str, str]) -> float:
    """Returns the milliseconds from the start of a command until its end; its output is dropped.
    Raises RuntimeError if it does not end with 0."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)]
    begin = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, environment, file_actions=quiet)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise RuntimeError(f"{command} ended with {status}")
    return (time.perf_counter() - begin) * 1e3


def lowest(times: list[float]) -> float:
    """Returns the mean of the lowest tenth of the times (at least one), which other programs
    disturb least."""
    few = sorted(times)[: max(1, len(times) // 10)]
    return sum(few) / len(few)


def runs(bench: Bench) -> list[Row]:
    """Measures how much longer small programs and loops of a shell take under `darshan run` than
    without it. Returns rows of the table of results."""
    rows = []
    bare = plain_environment()
    ours = bare | {"DARSHAN_MMAP_LOGPATH": str(bench.folder / "journals")}
    for name, (command, goal) in PROGRAMS.items():
        before = [str(bench.build / "darshan"), "run", "-o", str(bench.empty("logs"))]
        taken = [
            (milliseconds(command, bare), milliseconds([*before, *command], ours))
            for _ in range(RUNS if bench.repetitions > 1 else 10)
        ]
        alone, watched = (lowest(list(column)) for column in zip(*taken))
        text = f"+{watched - alone:.2f} ms on {alone:.2f} ms"
        rows.append(Row(f"`darshan run` of {name}", text, f"{goal} ms", watched - alone <= goal))
    return rows + loops(bench, bare, ours)


def loops(bench: Bench, bare: dict[str, str], ours: dict[str, str]) -> list[Row]:
    """Measures how much time `darshan run`, with the merge of all records, adds to each of many
    short programs that a shell starts. Returns rows of the table of results. bare, ours:
    environments without and with the runtime."""
    rows = []
    file = bench.folder / "file"
    file.write_text("five\n")
    for name, script in LOOPS.items():
        command = ["bash", "-c", script.replace(" file", f" {file}")]
        before = [str(bench.build / "darshan"), "run", "-o", str(bench.empty("logs"))]
        taken = [
            (milliseconds(command, bare), milliseconds([*before, *command], ours))
            for _ in range(bench.repetitions)
        ]
        alone, watched = (lowest(list(column)) / STARTS for column in zip(*taken))
        rows.append(Row(name, f"+{watched - alone:.2f} ms on {alone:.2f} ms", "", True))
    return rows


def own_kib(smaps: str) -> int:
    """Returns the private memory of a process in KiB: its anonymous pages, and the dirty pages of
    its journal, which is its only shared mapping. smaps: text of /proc/PID/smaps."""
    own, shared = 0, False
    for line in smaps.splitlines():
        if found := re.match(r"[0-9a-f]+-[0-9a-f]+ ...([ps])", line):
            shared = found[1] == "s"
        elif found := re.match(r"(Anonymous|Private_Dirty): +([0-9]+) kB", line):
            own += int(found[2]) if shared == (found[1] == "Private_Dirty") else 0
    return own


def library_kib(smaps: str) -> int:
    """Returns the resident pages of the runtime's library in KiB. smaps: text of
    /proc/PID/smaps."""
    return sum(map(int, re.findall(r"libdarshan\.so\n(?:.+: .+\n)*?Rss: +([0-9]+) kB", smaps)))


def idle(folder: Path, settings: dict[str, str]) -> str:
    """Starts `sleep`, returns the text of its /proc/PID/smaps after half a second, and kills it.
    folder: its working folder; settings: variables for the runtime, {} for a bare process."""
    with subprocess.Popen(
        ["sleep", "60"], cwd=folder, env=plain_environment() | settings, stderr=subprocess.DEVNULL
    ) as program:
        time.sleep(SETTLED)
        text = Path(f"/proc/{program.pid}/smaps").read_text()
        program.kill()
    return text


def one_file(folder: Path, settings: dict[str, str]) -> str:
    """Returns the text of /proc/PID/smaps of a shell that has written a file in the folder.
    settings: variables for the runtime, {} for a bare process."""
    done = subprocess.run(
        ["sh", "-c", "echo 1 >file; cat /proc/$$/smaps"],
        cwd=folder,
        env=plain_environment() | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def memory(bench: Bench) -> list[Row]:
    """Measures the memory that the runtime adds to an idle process and to one that has written a
    file, and the resident pages of its library. Returns rows of the table of results."""
    work = bench.empty("work")
    asleep, bare_asleep = idle(work, bench.settings()), idle(work, {})
    wrote, bare_wrote = one_file(work, bench.settings()), one_file(work, {})
    own = own_kib(asleep) - own_kib(bare_asleep)
    recorded = own_kib(wrote) - own_kib(bare_wrote)
    library = library_kib(asleep)
    return [
        Row("memory of its own of an idle `sleep`", f"+{own} KiB", f"{OWN} KiB", own <= OWN),
        Row(
            "the same of a shell that wrote a file, with the journal",
            f"+{recorded} KiB",
            f"{OWN_RECORDED} KiB",
            recorded <= OWN_RECORDED,
        ),
        Row(
            "pages of the library in memory, idle `sleep`",
            f"{library} KiB",
            f"{LIBRARY} KiB",
            library <= LIBRARY,
        ),
    ]
