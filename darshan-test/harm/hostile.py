"""Runs a hostile program with and without the runtime, to compare exit, output and log."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from left import left_in

SECONDS = 60  # timeout of a program


@dataclass
class Outcome:
    """How a program exited, and its files."""

    status: int
    stdout: bytes
    stderr: bytes
    work: Path
    logs: list[Path] = field(default_factory=list)
    journals: list[Path] = field(default_factory=list)
    # (module, path) -> counter -> sum over logs and journals
    records: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)

    def value(self, name: str, counter: str) -> float:
        """Returns a counter of a file in the working folder, or of a full path; 0
        without a record."""
        path = name if name.startswith(("/", "<")) else str(self.work / name)
        found = [row for (_, file), row in self.records.items() if file == path and counter in row]
        return sum(row[counter] for row in found)

    def total(self, counter: str) -> float:
        """Returns the sum of a counter over all records."""
        return sum(row.get(counter, 0) for row in self.records.values())


def compile_c(folder: Path, source: str, *flags: str, name: str = "program") -> Path:
    """Compiles a program from one C source; flags are gcc's and come last."""
    file = folder / f"{name}.c"
    file.write_text(source)
    program = folder / name
    subprocess.run(
        ["gcc", "-O1", "-g", "-D_GNU_SOURCE", "-o", program, file, "-pthread", *flags], check=True
    )
    return program


def compile_for_all(build: Path, folder: Path, source: str, name: str) -> Path:
    """Compiles a program that all users may run, next to a copy of the library."""
    folder.chmod(0o755)
    shutil.copy(build / "libdarshan.so", folder)
    return compile_c(folder, source, name=name)


def settings(build: Path, logs: Path, journals: Path) -> dict[str, str]:
    """Returns the environment of an instrumented program."""
    return {
        **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
        "LD_PRELOAD": str(build / "libdarshan.so"),
        "DARSHAN_ENABLE_NONMPI": "1",
        "DARSHAN_LOGPATH": str(logs),
        "DARSHAN_MMAP_LOGPATH": str(journals),
    }


def read_records(parser: Path, paths: Sequence[Path]) -> dict[tuple[str, str], dict[str, float]]:
    """Returns the sums of the rows of some logs."""
    records: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for path in paths:
        text = os.fsdecode(
            subprocess.run(
                [parser, "--show-incomplete", path], check=True, capture_output=True
            ).stdout
        )
        for line in text.split("\n"):
            row = line.split("\t")
            if len(row) >= 6 and not line.startswith("#"):
                records[row[0], row[5]][row[3]] += float(row[4])
    return records


def run(
    command: Sequence[str | Path], work: Path, environment: Mapping[str, str] | None = None
) -> Outcome:
    """Runs a program in a folder."""
    done = subprocess.run(
        command,
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr, work)


def both(
    build: Path,
    folder: Path,
    command: Sequence[str | Path],
    setup: Callable[[Path], None] = lambda work: None,
    extra: Mapping[str, str] | None = None,
    *,
    traced: Sequence[str | Path] = (),
) -> tuple[Outcome, Outcome]:
    """Runs a program without the runtime, then with it, each in a working folder of its own.
    traced: a command of strace that runs the instrumented program."""
    places = {name: folder / name for name in ("bare", "work", "logs", "journals")}
    for place in places.values():
        place.mkdir()
    setup(places["bare"])
    setup(places["work"])
    bare = run(command, places["bare"])
    environment = {**settings(build, places["logs"], places["journals"]), **(extra or {})}
    if traced:
        command = [*traced, "-E", f"LD_PRELOAD={environment.pop('LD_PRELOAD')}", *command]
    watched = run(command, places["work"], environment)
    watched.journals = left_in(places["journals"])
    watched.logs = sorted(places["logs"].glob("**/*.darshan"))
    watched.records = read_records(build / "darshan-parser", watched.logs + watched.journals)
    return bare, watched


def same_end(bare: Outcome, watched: Outcome) -> bool:
    """Tells whether status and output are the same with and without the runtime."""
    return (bare.status, bare.stdout, bare.stderr) == (
        watched.status,
        watched.stdout,
        watched.stderr,
    )


def metadata(build: Path, log: Path) -> dict[str, str]:
    """Returns the metadata of a log, which may be partial."""
    parse = [build / "darshan-parser", "--show-incomplete", log]
    text = subprocess.run(parse, check=True, capture_output=True, text=True).stdout
    marked = [line[len("# metadata: ") :] for line in text.split("\n") if "# metadata: " in line]
    return dict(line.split(" = ", 1) for line in marked)
