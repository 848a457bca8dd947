"""Starts `darshan watch --export` while recorded processes run, and reads the exported numbers."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.command import finished
from lab.environment import plain, settings
from prometheus_client.parser import text_string_to_metric_families

# Time limit of all waiting.
SECONDS = 60
# (name, value) of each label, sorted.
Labels = tuple[tuple[str, str], ...]
# By name of the metric and labels: the value.
Samples = dict[tuple[str, Labels], float]

# Writes 4 KiB to the file for each line of its standard input, and prints the sum of bytes so far.
WRITER = """
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
written = 0
while sys.stdin.readline():
    written += os.write(fd, bytes(4096))
    print(written, flush=True)
"""


def samples_of(text: str) -> Samples:
    """Parses text in Prometheus' format by Prometheus' own parser. Fails if two rows have the same
    name and labels."""
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in found, key
            found[key] = sample.value
    return found


def total(samples: Samples, name: str, **labels: str) -> float:
    """Returns the sum of the rows of a metric that have the given labels and any others; 0 if there
    are none."""
    wanted = set(labels.items())
    return sum(value for (is_, all_), value in samples.items() if is_ == name and wanted <= {*all_})


def until(condition: Callable[[], bool]) -> None:
    """Waits until a condition is true; fails after SECONDS."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


class Exporter:
    """A running `darshan watch --export`: the files that it writes, its errors, and after its end
    its exit status."""

    def __init__(self, folder: Path) -> None:
        self.prometheus = folder / "darshan.prom"
        self.lines = folder / "darshan.json"
        self.errors = folder / "errors"
        self.status: int | None = None
        self.earlier: Samples = {}

    def samples(self) -> Samples:
        """Returns the newest exported rows; none before the first export. Fails if a counter is
        lower than at the previous call."""
        text = self.prometheus.read_text() if self.prometheus.exists() else ""
        found = samples_of(text)
        for key, value in self.earlier.items():
            assert not key[0].endswith("_total") or found.get(key, 0) >= value, key
        self.earlier = found
        return found

    def total(self, name: str, **labels: str) -> float:
        """Returns the sum of the newest rows of a metric that have the given labels."""
        return total(self.samples(), name, **labels)

    def objects(self) -> list[dict[str, object]]:
        """Returns the exported lines of JSON, oldest first."""
        return [json.loads(line) for line in self.lines.read_text().splitlines()]


@contextmanager
def exporter(
    build: Path, folder: Path, journals: Path, *more: str, before: Sequence[str] = ()
) -> Iterator[Exporter]:
    """Runs `darshan watch --export` during the context, with an interval of 0.1 s. folder: for its
    output in both formats. journals: the folder that it watches. more: further receivers. before:
    words in front of the command."""
    one = Exporter(folder)
    places = (f"prometheus:{one.prometheus}", f"json:{one.lines}", *more)
    words = [word for place in places for word in ("--export", place)]
    command = [*before, build / "darshan", "watch", "-n", "0.1", *words, journals]
    with one.errors.open("wb") as errors:
        process = subprocess.Popen(command, stderr=errors, env=plain())
        try:
            until(one.prometheus.exists)
            yield one
        finally:
            process.terminate()
            one.status = process.wait(SECONDS)


class Recorded:
    """A recorded process that writes to its file on request. written: the bytes so far."""

    def __init__(self, file: Path, variables: Mapping[str, str], before: Sequence[str]) -> None:
        self.written = 0
        self.process = subprocess.Popen(
            [*before, "/usr/bin/python3", "-c", WRITER, file],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**plain(), **variables},
        )  # fmt: skip

    def write(self, times: int = 1) -> None:
        """Lets the process write 4 KiB this many times, and waits until it has."""
        assert self.process.stdin is not None and self.process.stdout is not None
        for _ in range(times):
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            self.written = int(self.process.stdout.readline())

    def end(self) -> None:
        """Lets the process end normally, and waits for it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        assert self.process.wait(SECONDS) == 0
        self.process.stdout.close()


@contextmanager
def recorded(
    build: Path,
    file: Path,
    folders: tuple[Path, Path],
    job: int | None = None,
    before: Sequence[str] = (),
) -> Iterator[Recorded]:
    """Runs a recorded process during the context, and kills it at the end if it still runs. file:
    to which it writes. folders: for journals and for logs. job: number of its batch job, None for
    none. before: words in front of the command."""
    journals, logs = folders
    batch = {"DARSHAN_JOBID": "BATCH_JOB", "BATCH_JOB": str(job)} if job else {}
    one = Recorded(file, {**settings(build, logs, journals), **batch}, before)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def user_name() -> str:
    """Returns the name of the user who runs the tests, by getent; the number if there is no
    name."""
    done = finished(["getent", "passwd", str(os.geteuid())])
    return done.stdout.split(":")[0] or str(os.geteuid())
