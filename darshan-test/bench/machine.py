"""The environment of the benchmarks, and functions that measure numbers."""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rows import Row


@dataclass
class Bench:
    """The environment that all benchmarks share: the build folder, a folder to work in, and the
    number of repetitions of each measurement."""

    build: Path
    folder: Path  # on no path that the runtime excludes; has folders "logs" and "journals"
    repetitions: int

    def program(self, name: str) -> str:
        """Returns the path of a benchmark program in the build folder; the program need not
        exist."""
        return str(self.build / "darshan-test" / "bench" / name)

    def empty(self, name: str) -> Path:
        """Returns an empty folder of this name in the working folder; removes an older one with its
        files."""
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        return path

    def settings(self, behind: str = "", configuration: str = "") -> dict[str, str]:
        """Returns the environment variables that preload and switch on the runtime of this build.
        behind: a library that is preloaded after it; "" for none. configuration: text of the
        runtime's configuration file, which is written; "" for none."""
        preload = f"{self.build / 'libdarshan.so'} {behind}".strip()
        settings = {
            "LD_PRELOAD": preload,
            "DARSHAN_ENABLE_NONMPI": "1",
            "DARSHAN_LOGPATH": str(self.folder / "logs"),
            "DARSHAN_MMAP_LOGPATH": str(self.folder / "journals"),
        }
        if configuration:
            path = self.folder / "configuration"
            path.write_text(configuration)
            settings["DARSHAN_CONFIG_PATH"] = str(path)
        return settings


def plain_environment() -> dict[str, str]:
    """Returns this process's environment without the variables of Darshan and of the dynamic loader
    (LD_*)."""
    ours = ("DARSHAN_", "DXT_", "LD_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def numbers(command: list[str], settings: dict[str, str] | None = None) -> list[float]:
    """Runs a program that prints numbers, and returns them. settings: variables that are added to
    the plain environment. Raises CalledProcessError if it fails, and RuntimeError if it prints to
    standard error."""
    done = subprocess.run(
        command,
        env=plain_environment() | (settings or {}),
        capture_output=True,
        text=True,
        check=True,
    )
    if done.stderr:
        raise RuntimeError(f"{command}: {done.stderr.splitlines()[0]}")
    return [float(word) for word in done.stdout.split()]


@dataclass
class Added:
    """The time that the runtime adds to a bare time, from pairs of a bare and an instrumented
    measurement: medians, and the range of the differences, in the unit of the measurements (ns)."""

    bare: float
    added: float
    least: float
    most: float
    fastest: float  # difference of the fastest instrumented and bare runs, which has little noise
    times: float  # ratio of the fastest instrumented to the fastest bare time
    ticks: float  # what two readings of the processor's counter take, in the same run

    def text(self, digits: int = 0) -> str:
        """Returns the added time as text: the difference of the fastest runs, the range and median
        of all pairs, the bare time and the ratio. digits: after the decimal point."""
        return (
            f"+{self.fastest:.{digits}f} ns between the fastest (in pairs {self.least:.{digits}f}"
            f" to {self.most:.{digits}f}, middle {self.added:.{digits}f})"
            f" on {self.bare:.{digits}f}; {self.times:.2f} times"
        )


def interleaved(
    repetitions: int,
    bare: Callable[[], float],
    ours: Callable[[], float],
    ticks: Callable[[], float],
) -> Added:
    """Measures three functions in turn, so that a disturbance affects all of them. Each returns
    nanoseconds. bare: measures without the runtime. ours: measures with it. ticks: measures two
    readings of the clock."""
    taken = [(bare(), ours(), ticks()) for _ in range(repetitions)]
    differences = [b - a for a, b, _ in taken]
    quick_bare, quick_ours = (min(t[i] for t in taken) for i in (0, 1))
    return Added(
        bare=statistics.median(a for a, _, _ in taken),
        added=statistics.median(differences),
        least=min(differences),
        most=max(differences),
        fastest=quick_ours - quick_bare,
        times=quick_ours / quick_bare,
        ticks=statistics.median(t for _, _, t in taken),
    )


def call_cost(bench: Bench, command: list[str], label: str, goal: int | None) -> Row:
    """Measures the nanoseconds that the runtime adds to a call, between the fastest runs. Returns
    the row of the table of results. command: a program that prints the nanoseconds of a call;
    label: of the row; goal: limit in nanoseconds, None if there is none."""
    added = interleaved(
        bench.repetitions,
        lambda: numbers(command)[0],
        lambda: numbers(command, bench.settings())[0],
        lambda: 0.0,
    )
    met = not goal or added.fastest <= goal
    return Row(label, added.text(), f"{goal} ns" if goal else "", met)


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Returns the name of the processor with its family and model numbers, because the name alone
    is not specific on many virtual machines. cpuinfo: a file like /proc/cpuinfo. If it names no
    processor, returns the machine's architecture."""
    facts = {}
    for line in cpuinfo.read_text().splitlines():
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    name = facts.get("model name", platform.machine())
    numbers = [f"{key.split()[-1]} {facts[key]}" for key in ("cpu family", "model") if key in facts]
    return f"{name} ({', '.join(numbers)})" if numbers else name


def description() -> str:
    """Returns one line about the machine, its kernel and C library, and its load average over one
    minute."""
    load = os.getloadavg()[0]
    libc = " ".join(platform.libc_ver())
    return (
        f"{processor()}, {os.cpu_count()} processors, Linux {platform.release()}, {libc},"
        f" load {load:.1f}"
    )


@contextmanager
def scratch(parent: Path | None) -> Iterator[Path]:
    """Yields a new folder with empty folders "logs" and "journals", and removes it after the block.
    parent: where to make it; None: on a tmpfs mounted for it, or in the folder for temporary files
    if mounting is not permitted."""
    folder = Path(tempfile.mkdtemp(prefix="darshan-bench.", dir=parent)).resolve()
    mount = ["mount", "-t", "tmpfs", "-o", "mode=700", "tmpfs", str(folder)]
    mounted = (
        parent is None and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    )
    try:
        for name in ("logs", "journals"):
            (folder / name).mkdir()
        yield folder
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)
