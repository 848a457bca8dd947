"""DXT traces: every recorded segment (one transfer) is compared with the program's calls, and
traces keep the right segments if there is not enough space."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.command import finished_in_bytes
from lab.environment import switched_off
from lab.log import read_rows

from .tracing import Done, Step, Traced, expected, run_plan, settings

# The setting that records traces.
TRACE = {"DXT_ENABLE_IO_TRACE": "1"}
# The files of a random plan.
FILES = ("a", "b", "c.dat")


def random_plan(
    seed: int, count: int, thread: int = 0, files: tuple[str, ...] = FILES
) -> list[Step]:
    """Returns a random plan of `count` transfers by one thread: small, large, empty, backwards, at
    large offsets."""
    rng = random.Random(seed)
    plan = []
    for _ in range(count):
        operation = rng.choice(
            ("pread", "pwrite", "preadv", "pwritev", "read", "write", "seek", "pread", "pwrite")
        )
        far = rng.choice((0, 0, 0, 5 << 30))
        offset = far + rng.choice((rng.randrange(1 << 20), 4096 * rng.randrange(64)))
        length = rng.choice((0, 1, 64, 64, 64, 4096, 4096, rng.randrange(1 << 17)))
        plan.append(Step(operation, rng.choice(files), offset, length, thread))
    return plan


def places(traced: Traced, file: str, kind: str) -> list[tuple[int, int]]:
    """Returns offset and length of each segment of a file. kind: "read" or "write"."""
    return [(s.offset, s.length) for s in traced.of(file, kind)]


@pytest.mark.parametrize("seed", range(3))
def test_every_segment(seed: int, build: Path, tmp_path: Path) -> None:
    """The trace has exactly the program's transfers, in their order."""
    plan = random_plan(seed, 3000)
    traced = run_plan(build, tmp_path, plan, **TRACE)
    assert traced.error == ""
    want = expected(plan, traced.done)
    assert len(want) == 2 * len(FILES)
    for (file, kind), rows in want.items():
        assert places(traced, file, kind) == rows


def test_times(build: Path, tmp_path: Path) -> None:
    """The start and end of a traced segment are between the times that the program took before and
    after the call, with a tolerance of half a millisecond."""
    plan = []
    for i in range(20):
        plan += [Step("pwrite", "a", i * 64, 64), Step("sleep", "a", length=3000)]
    traced = run_plan(build, tmp_path, plan, **TRACE)
    first = traced.done[0].start
    rows = traced.of("a", "write")
    # The text has four digits, and the zero is the log's own, so the test compares differences.
    zero = rows[0].start - (traced.done[0].start - first)
    for row, done in zip(rows, traced.done):
        assert done.start - first - 0.0005 <= row.start - zero <= done.end - first + 0.0005
        assert row.start <= row.end <= row.start + (done.end - done.start) + 0.0002


def test_threads(build: Path, tmp_path: Path) -> None:
    """With four threads, the trace has the segments of a file that one thread uses in order, and
    all segments of a file that they share."""
    plan: list[Step] = []
    shared: list[list[Step]] = []
    for thread in range(4):
        plan += random_plan(thread, 2000, thread, (f"own-{thread}",))
        mine = [Step("pwrite", "shared", (thread * 5000 + i) * 8, 8, thread) for i in range(2000)]
        shared.append(mine)
    plan += [step for steps in zip(*shared) for step in steps]
    traced = run_plan(build, tmp_path, plan, "MAX_RECORDS 4096 DXT_POSIX\n", **TRACE)
    own = [s for s in plan if s.file != "shared"]
    done = [d for d in traced.done if d.step.file != "shared"]
    for (file, kind), rows in expected(own, done).items():
        assert places(traced, file, kind) == rows
    got = places(traced, "shared", "write")
    assert sorted(got) == sorted((s.offset, s.length) for steps in shared for s in steps)
    for steps in shared:
        offsets = {s.offset for s in steps}
        assert [o for o, _ in got if o in offsets] == [s.offset for s in steps]


@pytest.mark.parametrize("asked", ["1", "0", None])
def test_which_thread(asked: str | None, build: Path, tmp_path: Path) -> None:
    """With DARSHAN_DXT_THREADS=1, each segment has its thread, in the newer version of the records.
    Otherwise the trace has the version of Darshan 3.5.0, without threads. darshan-convert preserves
    both."""
    plan = [
        Step(operation, "shared", (thread * 500 + i) * 8, 8, thread)
        for i in range(500)
        for thread in range(4)
        for operation in ("pwrite", "pread")
    ]
    more = {} if asked is None else {"DARSHAN_DXT_THREADS": asked}
    traced = run_plan(build, tmp_path, plan, **TRACE, **more)
    with open_log(traced.log) as log:
        assert log.info.region("DXT_POSIX").version == (2 if asked == "1" else 1)
    found: dict[int, set[str]] = {}
    for kind in ("write", "read"):
        rows = traced.of("shared", kind)
        assert len(rows) == 2000
        for row in rows:
            found.setdefault(row.offset // 8 // 500, set()).add(row.thread)
    assert sorted(found) == [0, 1, 2, 3]
    if asked != "1":
        assert found == {thread: {"N/A"} for thread in range(4)}
        assert "# DXT, number of threads: 1\n" in traced.text
        return
    assert all(len(names) == 1 for names in found.values())
    names = set().union(*found.values())
    assert len(names) == 4 and all(int(name) > 0 for name in names)
    assert "# DXT, number of threads: 4\n" in traced.text
    kept = convert(build, traced.log, tmp_path / "again.darshan")
    assert kept == [line for line in traced.text.splitlines() if line.startswith(" X_")]


def test_threads_of_a_run(build: Path, tmp_path: Path) -> None:
    """The trace of a run of several processes has thread ids if any of its processes recorded them;
    0 for the others."""
    plan = tmp_path / "plan"
    plan.write_text("".join(f"{i % 2} pwrite shared {i * 8} 8\n" for i in range(20)))
    program = build / "darshan-test" / "dxt" / "transfers"
    env = switched_off(settings(build, tmp_path, TRACE))
    script = f"{program} {plan} >out; DARSHAN_DXT_THREADS=1 {program} {plan} >out"
    subprocess.run(
        [build / "darshan", "run", "-o", tmp_path / "logs", "--", "sh", "-c", script],
        cwd=tmp_path, env=env, check=True, capture_output=True,
    )  # fmt: skip
    (log,) = (tmp_path / "logs").iterdir()
    done = subprocess.run(
        [build / "darshan-dxt-parser", log], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(" X_POSIX")]
    threads = [row[-1] for row in rows if row[2] == "write" and row[5] == "8"]
    assert len(threads) == 40
    assert threads.count("0") == 20  # of the process without recorded threads
    assert len(set(threads)) == 3


@pytest.mark.parametrize("how", ["--obfuscate", "--obfuscate=strong"])
def test_hidden_threads(how: str, build: Path, tmp_path: Path) -> None:
    """darshan-convert --obfuscate replaces thread addresses by numbers from 1 within the process,
    the same ones in all of its files."""
    plan = [
        Step("pwrite", file, (thread * 50 + i) * 8, 8, thread)
        for file in ("one", "two")
        for i in range(50)
        for thread in range(3)
    ]
    traced = run_plan(build, tmp_path, plan, **TRACE, DARSHAN_DXT_THREADS="1")
    before = [x.split() for x in traced.text.splitlines() if x.startswith(" X_")]
    after = [x.split() for x in convert(build, traced.log, tmp_path / "hidden", how)]
    assert [x[:-1] for x in before] == [x[:-1] for x in after]
    number_of = {(old[-1], new[-1]) for old, new in zip(before, after)}
    assert len({old for old, _ in number_of}) == len(number_of)
    assert sorted(int(new) for _, new in number_of) == list(range(1, len(number_of) + 1))
    assert len(number_of) >= 3


def convert(build: Path, log: Path, out: Path, *how: str) -> list[str]:
    """Rewrites a log with darshan-convert, and returns the rows that darshan-dxt-parser prints for
    segments of the new log. how: options of darshan-convert."""
    subprocess.run([build / "darshan-convert", *how, log, out], check=True)
    done = subprocess.run(
        [build / "darshan-dxt-parser", out], capture_output=True, text=True, check=True
    )
    return [line for line in done.stdout.splitlines() if line.startswith(" X_")]


def test_limit(build: Path, tmp_path: Path) -> None:
    """Segments beyond the memory that MAX_RECORDS allows for traces are dropped, and the log marks
    the module as incomplete."""
    rng = random.Random(1)
    plan = [Step("pwrite", "a", rng.randrange(1 << 20), 8) for _ in range(20000)]
    traced = run_plan(build, tmp_path, plan, "MAX_RECORDS 16 DXT_POSIX\n", **TRACE)
    got = places(traced, "a", "write")
    want = expected(plan, traced.done)["a", "write"]
    assert 16 * 1024 / 40 < len(got) < len(want)
    assert got == want[: len(got)]
    assert "# *WARNING*: The DXT_POSIX module contains incomplete data!" in traced.text
    refused = finished_in_bytes([build / "darshan-dxt-parser", traced.log])
    assert refused.returncode == 255
    subprocess.run([build / "darshan-parser", traced.log], capture_output=True, check=True)


def test_default_limit_holds_more_than_upstreams(build: Path, tmp_path: Path) -> None:
    """The default limit of 2 MiB for traces holds all of 150,000 segments. Darshan 3.5, with 40
    bytes per segment, would store 52,000."""
    plan = [Step("pwrite", "a", 64 * (i % 4096), 64) for i in range(150_000)]
    traced = run_plan(build, tmp_path, plan, **TRACE)
    assert len(traced.of("a", "write")) == 150_000
    assert "incomplete" not in traced.text


def test_files_past_the_record_limit(build: Path, tmp_path: Path) -> None:
    """Segments of files beyond the record limit are dropped, because these files share a record and
    could not be distinguished; the log marks the module as incomplete."""
    plan = [Step("pwrite", f"f{i}", 0, 10) for i in range(12)]
    traced = run_plan(build, tmp_path, plan, "MAX_RECORDS 5 POSIX\n", **TRACE)
    assert sorted(file for _, file, _ in traced.segments) == sorted(f"f{i}" for i in range(5))
    assert "# *WARNING*: The DXT_POSIX module contains incomplete data!" in traced.text


# Bytes of a small and of a large transfer.
SMALL, LARGE = 1000, 20000


def two_files() -> list[Step]:
    """Returns a plan with two files. Three quarters of the transfers of `small` are small and
    unaligned, and a quarter of those of `large`."""
    plan = []
    for i in range(40):
        few = i % 4 == 0
        plan.append(Step("pwrite", "large", 4096 * i + few, SMALL if few else LARGE))
        plan.append(Step("pwrite", "small", 4096 * i + (not few), LARGE if few else SMALL))
    return plan


@pytest.mark.parametrize(
    "config",
    ["DXT_SMALL_IO_TRIGGER {}\n", "DXT_UNALIGNED_IO_TRIGGER {}\n"],
    ids=["small", "unaligned"],
)
@pytest.mark.parametrize(
    ("least", "kept"),
    [("0", {"small", "large"}), ("0.25", {"small", "large"}), ("0.26", {"small"}),
     ("0.75", {"small"}), ("0.76", set()), ("1", set())],
)  # fmt: skip
def test_triggers(config: str, least: str, kept: set[str], build: Path, tmp_path: Path) -> None:
    """A trigger keeps the traces of a file if at least this fraction of its transfers is small, or
    unaligned. config: the setting, with {} for the fraction. least: the fraction. kept: the
    expected files."""
    traced = run_plan(build, tmp_path, two_files(), config.format(least), **TRACE)
    assert {file for _, file, _ in traced.segments} == kept
    for file in kept:
        assert len(traced.of(file, "write")) == 40


def test_both_triggers_must_be_met(build: Path, tmp_path: Path) -> None:
    """With two triggers in the configuration, only a file that meets both is traced."""
    plan = [*two_files(), Step("pwrite", "aligned", 0, SMALL)]
    both = "DXT_SMALL_IO_TRIGGER 0.5\nDXT_UNALIGNED_IO_TRIGGER 0.5\n"
    traced = run_plan(build, tmp_path, plan, both, **TRACE)
    assert {file for _, file, _ in traced.segments} == {"small"}


@pytest.mark.parametrize(
    ("config", "kept"),
    [
        ("NAME_EXCLUDE large$ DXT_POSIX\n", {"small"}),
        ("NAME_EXCLUDE .* DXT_POSIX\nNAME_INCLUDE large$ DXT_POSIX\n", {"large"}),
        ("NAME_EXCLUDE .* DXT_MPIIO\n", {"small", "large"}),
    ],
)
def test_by_name(config: str, kept: set[str], build: Path, tmp_path: Path) -> None:
    """Settings about names select the files whose traces are kept, without effect on their
    counters. config: the settings. kept: the expected files."""
    traced = run_plan(build, tmp_path, two_files(), config, **TRACE)
    assert {file for _, file, _ in traced.segments} == kept
    writes = [
        row.value
        for row in read_rows(build / "darshan-parser", traced.log)
        if row.counter == "POSIX_WRITES"
    ]
    assert writes.count(40) == 2


@pytest.mark.parametrize(
    ("more", "traced_at_all"),
    [
        ({}, False),
        ({"DARSHAN_MOD_ENABLE": "DXT_POSIX"}, True),
        ({"DARSHAN_MOD_ENABLE": "DXT_MPIIO"}, False),
        ({"DXT_ENABLE_IO_TRACE": ""}, True),
        ({"DXT_ENABLE_IO_TRACE": "", "DARSHAN_MOD_DISABLE": "DXT_POSIX"}, False),
        ({"DXT_ENABLE_IO_TRACE": "", "DARSHAN_RANK_EXCLUDE": "1:"}, True),
    ],
)
def test_switches(more: dict[str, str], traced_at_all: bool, build: Path, tmp_path: Path) -> None:
    """The settings that enable and disable modules decide whether there are traces, and the parser
    says if there are none. more: the settings."""
    traced = run_plan(build, tmp_path, two_files(), **more)
    assert bool(traced.segments) == traced_at_all
    assert ("no DXT module data" in traced.text) != traced_at_all


def kinds_of(done: list[Done]) -> dict[str, int]:
    """Returns the bytes written and read through descriptors. done: the results of a plan."""
    out = {"write": 0, "read": 0}
    for d in done:
        if d.step.operation[0] != "f":
            out["write" if "write" in d.step.operation else "read"] += d.moved
    return out


def test_pydarshan_reads_it(build: Path, tmp_path: Path) -> None:
    """PyDarshan reads the bytes of the traces and heat maps that the runtime writes."""
    plan = random_plan(7, 2000) + [Step("fwrite", "f", 0, 100)] * 10
    traced = run_plan(build, tmp_path, plan, **TRACE)
    code = (
        "import json, sys, darshan\n"
        "report = darshan.DarshanReport(sys.argv[1], read_all=True)\n"
        "out = {}\n"
        "for record in report.records['DXT_POSIX'].to_df():\n"
        "    name = report.name_records[record['id']].split('/')[-1]\n"
        "    for kind in ('write', 'read'):\n"
        "        frame = record[kind + '_segments']\n"
        "        rows = zip(frame['offset'], frame['length']) if len(frame) else ()\n"
        "        out[name + ' ' + kind] = [[int(a), int(b)] for a, b in rows]\n"
        "heat = {name: [int(map.to_df(['write']).to_numpy().sum()),\n"
        "               int(map.to_df(['read']).to_numpy().sum())]\n"
        "        for name, map in report.heatmaps.items()}\n"
        "print(json.dumps([out, heat]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, traced.log], capture_output=True, text=True, check=True
    )
    got, heat = json.loads(done.stdout)
    for (file, kind), rows in expected(plan, traced.done).items():
        assert got[f"{file} {kind}"] == [list(row) for row in rows]
    moved = kinds_of(traced.done)
    assert heat["POSIX"] == [moved["write"], moved["read"]]
    assert heat["STDIO"][0] >= 1000
