"""darshan-diff prints the rows in which two logs differ; its exit status is 1 if there are any,
otherwise 0."""

from __future__ import annotations

import copy
import itertools
import random
from pathlib import Path

import pytest
from logs.bad import half_readable, unreadable
from logs.catalogue import good_cases
from logs.content import standard_log
from logs.encode import encode
from logs.model import Counted, Dxt, Heatmap, Log, Lustre, Module, Segment
from logs.rows import rows
from logs.tools import run
from sample import turning

# The generated logs by name, and damaged ones.
CASES = {case.name: case for case in good_cases()}
BAD = [bad for bad in unreadable() if "bomb" not in bad.name]  # the bombs take seconds to read
# Modules with their record versions.
VERSIONS = {"POSIX": 4, "MPI-IO": 3, "H5D": 2, "LUSTRE": 2, "HEATMAP": 1, "BG/Q": 2}


@pytest.fixture
def diff(build: Path) -> Path:
    """Returns the command."""
    return build / "darshan-diff"


def compared(diff: Path, folder: Path, first: Log, second: Log, *options: str) -> list[bytes]:
    """Returns the lines that darshan-diff prints for two logs, and checks that its exit status
    agrees with them, also with --quiet."""
    for name, log in (("first", first), ("second", second)):
        (folder / name).write_bytes(encode(log))
    done = run(diff, *options, folder / "first", folder / "second")
    assert done.stderr == b""
    assert done.returncode == (1 if done.stdout else 0)
    quiet = run(diff, "--quiet", *options, folder / "first", folder / "second")
    assert (quiet.returncode, quiet.stdout) == (done.returncode, b"")
    return done.stdout.splitlines()


def is_readable(name: str) -> bool:
    """Returns whether a case can be converted without loss, by its name."""
    return not name.startswith(("good-unknown", "good-no-handler", "good-version"))


@pytest.mark.parametrize("name", turning([n for n in CASES if is_readable(n)], 0.3, "diff"))
def test_nothing_differs_from_itself(name: str, diff: Path, build: Path, tmp_path: Path) -> None:
    """darshan-diff finds no difference between a log and itself, or its converted form, for every
    version."""
    log = tmp_path / "log"
    log.write_bytes(encode(CASES[name].log))
    run(build / "darshan-convert", log, tmp_path / "new")
    for other in (log, tmp_path / "new"):
        done = run(diff, log, other)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_differ(seed: int, diff: Path, tmp_path: Path) -> None:
    """darshan-diff prints all values that were changed at random, and all records and modules that
    only one log has, in the order of the modules."""
    rng = random.Random(seed)
    first = standard_log(VERSIONS, seed=seed)
    second = copy.deepcopy(first)
    for module in second.modules:
        for record in module.records:
            if isinstance(record, Counted) and rng.random() < 0.5:
                name = rng.choice(list(record.counters))
                record.counters[name] += 1
            elif isinstance(record, Heatmap):
                record.writes[0] += 1
    del second.modules[0].records[2], first.modules[1].records[3]
    del (first if seed % 2 else second).modules[2]
    got = compared(diff, tmp_path, first, second)
    before, after = (set(rows(log)) for log in (first, second))
    assert {x[2:] for x in got if x.startswith(b"- ")} == before - after
    assert {x[2:] for x in got if x.startswith(b"+ ")} == after - before
    assert len(got) == len(before ^ after) > 10
    modules = [x.split(b"\t")[0][2:] for x in got]
    assert [name for name, _ in itertools.groupby(modules)] == list(dict.fromkeys(modules))


def test_numbers_of_rows_that_differ(diff: Path, tmp_path: Path) -> None:
    """darshan-diff compares bins of heat maps by their numbers, and prints bins that only one log
    has."""
    first = Log(modules=[Module("HEATMAP", 1, [Heatmap(7, 0, 1.0, [1, 2], [3, 4])])], names=None)
    second = Log(
        modules=[Module("HEATMAP", 1, [Heatmap(7, 0, 1.0, [1, 5, 0, 0], [3, 4, 8, 0])])],
        names=None,
    )
    got = compared(diff, tmp_path, first, second)
    fields = [(x[:1], *x.split(b"\t")[3:5]) for x in got]
    want = [(b"-", b"HEATMAP_WRITE_BIN_1", b"2"), (b"+", b"HEATMAP_WRITE_BIN_1", b"5")]
    for kind, values in ((b"READ", (b"8", b"0")), (b"WRITE", (b"0", b"0"))):
        want += [(b"+", b"HEATMAP_%s_BIN_%d" % (kind, i), v) for i, v in enumerate(values, 2)]
    assert sorted(fields) == sorted(want)
    back = compared(diff, tmp_path, second, first)
    assert sorted(x.translate(bytes.maketrans(b"+-", b"-+")) for x in back) == sorted(got)


def test_traces(diff: Path, tmp_path: Path) -> None:
    """darshan-diff compares DXT traces segment by segment, and their host like a value."""
    writes = [Segment(0, 10, 0.5, 0.75), Segment(10, 10, 1.0, 1.5)]
    one, other = Dxt(7, 0, b"a", writes, []), Dxt(7, 0, b"b", writes[:1], [writes[1]])
    first, second = (Log(modules=[Module("DXT_POSIX", 1, [x])], names=None) for x in (one, other))
    got = [x.split(b"\t") for x in compared(diff, tmp_path, first, second)]
    assert [[x[0][:1], *x[3:5]] for x in got] == [
        [b"-", b"DXT_POSIX_HOSTNAME", b"a"],
        [b"+", b"DXT_POSIX_HOSTNAME", b"b"],
        *([b"-", b"DXT_POSIX_WRITE_1_" + k, v] for k, v in fields(writes[1])),
        *([b"+", b"DXT_POSIX_READ_0_" + k, v] for k, v in fields(writes[1])),
    ]


def fields(segment: Segment) -> list[tuple[bytes, bytes]]:
    """Returns the names and texts of a segment's values."""
    times = [b"%f" % t for t in (segment.start, segment.end)]
    values = [b"%d" % segment.offset, b"%d" % segment.length, *times]
    return list(zip((b"OFFSET", b"LENGTH", b"F_START", b"F_END"), values))


def one_posix(**values: float) -> Log:
    """Returns a log with one record of POSIX. values: of its counters, by names without the
    prefix."""
    log = standard_log({"POSIX": 4}, files=1)
    record = log.modules[0].records[0]
    assert isinstance(record, Counted)
    del log.modules[0].records[1:]
    for name, value in values.items():
        where = record.fcounters if isinstance(value, float) else record.counters
        where[f"POSIX_{name}"] = value  # type: ignore[assignment]
    return log


@pytest.mark.parametrize(
    ("options", "changed", "same"),
    [
        ((), {"READS": 100}, {"READS": 100}),
        (("--relative", "0.1"), {"READS": 112}, {"READS": 111}),
        (("--relative", "0.1"), {"F_READ_TIME": 0.8}, {"F_READ_TIME": 0.95}),
        (("--seconds", "0.5"), {"F_READ_TIME": 1.75, "READS": 101}, {"F_READ_TIME": 1.5}),
        (("--seconds", "0.5"), {"F_VARIANCE_RANK_BYTES": 1.25}, {"F_CLOSE_START_TIMESTAMP": 1.5}),
        (("--ignore", "*_READS"), {"WRITES": 5}, {"READS": 5}),
    ],
)
def test_tolerances(
    options: tuple[str, ...],
    changed: dict[str, float],
    same: dict[str, float],
    diff: Path,
    tmp_path: Path,
) -> None:
    """darshan-diff prints differences above the tolerances of its options, and no smaller ones.
    changed: values that must be printed; same: values that must not."""
    names = ("F_READ_TIME", "F_VARIANCE_RANK_BYTES", "F_CLOSE_START_TIMESTAMP")
    base = {"READS": 100, "WRITES": 4} | dict.fromkeys(names, 1.0)
    first = one_posix(**base)
    got = compared(diff, tmp_path, first, one_posix(**base | changed), *options)
    if not options:
        assert not got
        return
    printed = {x.split(b"\t")[3].decode().removeprefix("POSIX_") for x in got}
    assert printed == set(changed)
    assert not compared(diff, tmp_path, first, one_posix(**base | same), *options)


@pytest.mark.parametrize("options", [(), ("--relative", "0.5"), ("--seconds", "9")])
def test_no_tolerance_reaches_infinity(
    options: tuple[str, ...], diff: Path, tmp_path: Path
) -> None:
    """For darshan-diff, infinity is equal only to itself, with any tolerance; zeros of both signs
    are equal, and so are NaNs."""
    of = {x: one_posix(F_READ_TIME=float(x)) for x in ("inf", "-inf", "nan", "-nan", "1")}
    for one, other in (("inf", "1"), ("inf", "-inf"), ("nan", "1"), ("1", "inf"), ("nan", "inf")):
        assert len(compared(diff, tmp_path, of[one], of[other], *options)) == 2, (one, other)
    assert not compared(diff, tmp_path, of["nan"], of["-nan"], *options)
    zeros = [one_posix(F_READ_TIME=x) for x in (0.0, -0.0)]
    assert not compared(diff, tmp_path, *zeros, *options)
    big = [one_posix(BYTES_READ=2**62 + x) for x in (0, 1)]
    assert bool(compared(diff, tmp_path, *big, *options)) == ("--relative" not in options)


def test_fields_of_the_job(diff: Path, tmp_path: Path) -> None:
    """darshan-diff prints the fields of the job that differ first, followed by a blank line;
    --no-job omits them."""
    first = standard_log({"POSIX": 4}, metadata=b"lib_ver=3.5.0\na=b\n")
    second = standard_log(
        {"POSIX": 4}, uid=3, exe=b"./other\t1", metadata=b"lib_ver=3.5.0\na=c\n",
        end=(first.end[0] + 1, first.end[1]), mounts=[*first.mounts, (b"/new", b"xfs")],
    )  # fmt: skip
    second.modules[0].records.pop()
    got = compared(diff, tmp_path, first, second)
    blank = got.index(b"")
    assert got[:blank] == [
        b"- exe ./app -x 1", b"+ exe ./other\\t1", b"- uid 1000", b"+ uid 3",
        b"- end_time %d" % first.end[0], b"+ end_time %d" % second.end[0],
        b"- run_time 12.5000", b"+ run_time 13.5000",
        b"- metadata a = b", b"+ metadata a = c", b"+ mount entry\t/new\txfs",
    ]  # fmt: skip
    assert compared(diff, tmp_path, first, second, "--no-job") == got[blank + 1 :]


def test_the_annex(diff: Path, tmp_path: Path) -> None:
    """darshan-diff compares the rows of the annex, except with --no-annex."""
    first = copy.deepcopy(CASES["good-annex-little"].log)
    second = copy.deepcopy(first)
    record = second.annex[0].records[0]
    assert isinstance(record, Counted)
    name = next(iter(record.counters))
    record.counters[name] += 1
    assert len(compared(diff, tmp_path, first, second)) == 2
    assert not compared(diff, tmp_path, first, second, "--no-annex")


@pytest.mark.parametrize("bad", turning(BAD, 0.4, "bad diffs"), ids=lambda b: b.name)
def test_a_log_that_is_none(bad: object, diff: Path, tmp_path: Path) -> None:
    """If a file is not a valid log, darshan-diff exits with 1, and a message of one line names the
    file."""
    (tmp_path / "bad").write_bytes(bad.data)  # type: ignore[attr-defined]
    (tmp_path / "good").write_bytes(encode(Log()))
    for pair in (("bad", "good"), ("good", "bad")):
        done = run(diff, *(tmp_path / x for x in pair))
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
        assert b"/bad: " in done.stderr


def test_half_a_log(diff: Path, tmp_path: Path) -> None:
    """If a module of a log is damaged, darshan-diff compares the other modules, prints one line
    about it, and exits with 1."""
    bad = next(bad for bad, _ in half_readable())
    (tmp_path / "bad").write_bytes(bad.data)
    (tmp_path / "good").write_bytes(encode(Log()))
    done = run(diff, "--no-job", *(tmp_path / x for x in ("bad", "good")))
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


@pytest.mark.parametrize(
    "arguments", [[], ["x"], ["a", "b", "c"], ["--relative", "x", "a", "b"], ["--seconds", "-1"]]
)
def test_wrong_arguments(arguments: list[str], diff: Path) -> None:
    """Wrong arguments of darshan-diff are usage errors."""
    done = run(diff, *arguments)
    assert (done.returncode, done.stdout) == (2, b"") and done.stderr


def test_components(diff: Path, tmp_path: Path) -> None:
    """darshan-diff prints the layout of a file on Lustre if it differs between the two logs."""
    first = standard_log({"LUSTRE": 2}, files=2)
    second = copy.deepcopy(first)
    record = second.modules[0].records[0]
    assert isinstance(record, Lustre)
    record.osts[0] += 1
    got = compared(diff, tmp_path, first, second)
    assert len(got) == 2 and all(b"_OST_ID_0\t" in x for x in got)
