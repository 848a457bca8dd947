"""The section Processes: rows for several processes have the right sums, all rows fit on the pages,
and no process is missing."""

from __future__ import annotations

import json
import random
import struct
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from darshan_report import open_log
from darshan_report.measure.processes.endings import endings
from darshan_report.measure.processes.lanes import lanes
from darshan_report.measure.processes.processes import Processes, processes
from darshan_report.measure.processes.programs import program_name
from darshan_report.measure.processes.tree import DEPTH, fold, rows
from darshan_report.measure.traces.timelines import BINS
from darshan_report.report import terminal
from darshan_report.report.context import Context
from darshan_report.report.data import data
from darshan_report.report.documents import compose
from logs import content, trees
from logs.encode import encode
from logs.layouts import LAYOUTS
from logs.model import Counted, Module
from logs.record_id import record_id
from logs.trees import Member

from .conftest import Run
from .pages import text_of
from .test_formats import check_schema
from .test_page import page_of
from .test_pages import MOST_PAGES, RIGHT, pages, words

RUN_TIME = 20.0
PAGE = 842  # its height in points


def written(members: list[Member], folder: Path, command: bytes = b"bash run.sh") -> Path:
    """Writes the log of a tree of processes. Returns its path."""
    path = folder / "run.darshan"
    path.write_bytes(encode(trees.tree_log(members, RUN_TIME, command)))
    return path


def read(members: list[Member], folder: Path) -> Processes:
    """Returns the processes that the report finds in such a log."""
    with open_log(written(members, folder)) as log:
        found = processes(log)
    assert found is not None
    return found


def grown(seed: int) -> list[Member]:
    """Returns a random tree of 2, 30 or 300 processes of few programs."""
    rng = random.Random(seed)
    members = [Member("bash run.sh", end=RUN_TIME)]
    for place in range(1, rng.choice((2, 30, 300))):
        start = rng.random() * RUN_TIME
        name = rng.choice(("cat a", "cat b", "bash run.sh", "python3 -O t.py", "ld"))
        members.append(
            Member(
                name if rng.random() < 0.5 else f"bash run.sh -> {name}",
                rng.randrange(max(0, place - rng.choice((1, 3, 300))), place),
                start, min(RUN_TIME, start + rng.random() * 5),
                count=rng.choice((1, 1, 1, 7)),
                ended=rng.choice((0, 1, 1, 2, 3)), status=rng.choice((0, 0, 1, 9)),
                job_ranks=rng.choice((0, 0, 0, 0, 4)),
                read=rng.randrange(10**6), written=rng.randrange(10**6),
                read_time=rng.random(), meta_time=rng.random(),
            )
        )  # fmt: skip
    return members


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("most", [2, 5, 20, 1000])
def test_nothing_is_lost(seed: int, most: int, tmp_path: Path) -> None:
    """The rows that the report shows for a tree of processes have the sums of all processes,
    whatever the limit of rows is. most: this limit."""
    members = grown(seed)
    tree = read(members, tmp_path)
    shown = rows(fold(tree), most)
    assert len(shown) <= most
    assert all(row.depth < DEPTH or (row.group is None and row.depth == DEPTH) for row in shown)
    for name, wanted in (
        ("number", sum(m.count for m in members)),
        ("read", sum(m.read for m in members)),
        ("written", sum(m.written for m in members)),
        ("time", sum(m.read_time + m.meta_time for m in members)),
        ("failed", int(tree.failed.sum())),
        ("lives", float(tree.lives.sum())),
        ("elsewhere", sum(m.count for m in members if m.job_ranks)),
    ):
        assert sum(getattr(row.sums, name) for row in shown) == pytest.approx(wanted), name
    assert sum(e.number for e in endings(tree)) >= int(tree.failed.sum())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("most", [2, 100])
def test_lanes(seed: int, most: int, tmp_path: Path) -> None:
    """In the diagram of a tree, each row has the right number of living processes in every
    interval. most: the limit of rows."""
    tree = read(grown(seed), tmp_path)
    found = lanes(tree, RUN_TIME, most)
    assert len(found.lanes) <= most and found.end == RUN_TIME
    assert sum(lane.number for lane in found.lanes) == tree.number
    width = RUN_TIME / BINS
    for number, lane in enumerate(found.lanes):
        mine = np.flatnonzero(found.place_of == number)
        want = np.zeros(BINS)
        for start, end in zip(tree.start[mine], tree.end[mine]):
            edges = np.arange(BINS) * width
            want += np.clip(np.minimum(end, edges + width) - np.maximum(start, edges), 0, None)
        weights = np.where(tree.job_ranks[mine] > 0, tree.counts[mine], 1)
        there = [(tree.start[mine] <= t) & (tree.end[mine] > t) for t in tree.start[mine]]
        assert lane.most == max(1, *(int(weights[some].sum()) for some in there))
        full = max(1, *(int(some.sum()) for some in there))
        assert lane.part == pytest.approx(want / width / full, abs=1e-9)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("cat a b", "cat"),
        ("/usr/bin/cat", "cat"),
        ("bash -e -o pipefail ./loop.sh 3", "loop.sh"),
        ("-bash", "bash"),
        ("sh -c gcc x.c", "sh"),
        ("python3.11 -u -W ignore /a/train.py --x", "train.py"),
        ("python3 -m http.server 80", "http.server"),
        ("python3 -c from multiprocessing.resource_tracker import main;main(4)",
         "multiprocessing.resource_tracker"),
        ("perl -w x.pl", "x.pl"),
        ("(not seen)", "(not seen)"),
        ("", "(unknown)"),
        ("/", "(unknown)"),
    ],
)  # fmt: skip
def test_names_of_programs(command: str, name: str) -> None:
    """The report gives the program of a command line this name."""
    assert program_name(command)[0] == name


def test_who_is_a_worker(tmp_path: Path) -> None:
    """Forked copies of a program, and processes that multiprocessing spawns, are shown as its
    workers."""
    spawned = (
        "python3 -c from multiprocessing.spawn import spawn_main; spawn_main(pipe_handle=7) "
        "--multiprocessing-fork"
    )
    server = "python3 -c from multiprocessing.forkserver import main; main(3, 4)"
    tree = read(
        [
            Member("python3 train.py"), Member("python3 train.py", 0), Member(spawned, 0),
            Member(server, 0), Member(server, 3), Member("bash x.sh", 0), Member("bash x.sh", 5),
            Member("awk a -> b", 0, programs=1), Member("(not seen)", 0), Member(spawned, 8),
        ],
        tmp_path,
    )  # fmt: skip
    names = [program.times(1) for program in tree.programs]
    assert names == [
        "train.py",
        *["train.py's worker"] * 4,
        "x.sh",
        "x.sh's subshell",
        "awk",
        "(not seen)",
        "train.py's worker",
    ]
    assert (
        tree.told(np.ones(len(tree)))
        == "train.py's 5 workers, (not seen), awk and 3 other programs"
    )


def shapes() -> Iterator[tuple[str, list[Member]]]:
    """Yields trees of many shapes, with their names."""
    yield "loop", trees.loop(400)
    yield "pipeline", trees.pipeline()
    yield "workers", trees.workers(8)
    yield "mpi", trees.mpi()
    yield "strange", trees.strange()
    yield "chain", [Member("a", place - 1) for place in range(4096)]
    yield "zoo", [Member(f"program-{place}", place // 3 - 1) for place in range(4096)]


SHAPES = [pytest.param(members, id=name) for name, members in shapes()]


@pytest.mark.parametrize("members", SHAPES)
def test_every_form(members: list[Member], tmp_path: Path) -> None:
    """For any tree of processes, the section, its JSON and the report's text are made without a
    warning and within their limits of size."""
    with warnings.catch_warnings(), open_log(written(members, tmp_path)) as log:
        warnings.simplefilter("error")
        context = Context(log)
        assert compose(context).blocks
        found = json.loads(json.dumps(data(context), allow_nan=False))
        lines = list(terminal.lines(context))
    # Lines of impossible trees may be wider than 80 columns.
    assert len(members) == len(trees.strange()) or max(map(len, lines)) <= 80, lines
    check_schema(found)
    groups = found["processes"]["tree"]
    assert sum(group["processes"] for group in groups) == found["job"]["processes"]
    assert len(groups) <= 200
    assert all(g["above"] is None or g["above"] < place for place, g in enumerate(groups))


@pytest.mark.parametrize("name", ["zoo", "strange"])
def test_pdf(name: str, summary: Run, tmp_path: Path) -> None:
    """The section about a tree of any size or shape fits on its pages."""
    assert summary(written(dict(shapes())[name], tmp_path), "-o", "a.pdf").returncode == 0
    assert pages(tmp_path / "a.pdf") <= MOST_PAGES
    assert [w for w in words(tmp_path / "a.pdf") if w.right > RIGHT + 1] == []


def test_margin(summary: Run, tmp_path: Path) -> None:
    """Long names of files, of programs, and of the programs that used a file stay within the
    page."""
    names = ["x" * 40, "program.of-long-name " + "z" * 200, "long_words", "python3 " + "v" * 80]
    members = [Member("bash run.sh"), *(Member(name, 0, opens=1, read_time=1) for name in names)]
    made = content.standard_log({"POSIX": 4, "STDIO": 2, "HEATMAP": 1}, exe=b"run it " * 40)
    made.names = [(i, name + b"-" + b"n" * 20) for i, name in made.names or []]
    module, called = trees.processes(members)
    made.annex, made.names = [module], made.names + called
    path = tmp_path / "run.darshan"
    path.write_bytes(encode(made))
    for more in ([], ["--no-latex"]):
        assert summary(path, "-o", "a.pdf", *more).returncode == 0
        text = text_of(tmp_path / "a.pdf")
        assert "Used by" in text and "Traffic over time and programs" in text
        assert [w for w in words(tmp_path / "a.pdf") if w.right > RIGHT + 1] == []


@pytest.mark.parametrize("number", [1, 13])
def test_pages_are_full(number: int, summary: Run, tmp_path: Path) -> None:
    """Every page but the last is more than half full, except if the next figure did not fit on
    it."""
    made = content.standard_log({"POSIX": 4}, files=3)
    made.names = [(i, name) for i, name in made.names or []]
    module, called = trees.processes([Member("sh"), *(Member(f"p{i}", 0) for i in range(number))])
    made.annex, made.names = [module], made.names + called
    path = tmp_path / "run.darshan"
    path.write_bytes(encode(made))
    assert summary(path, "-o", "a.pdf").returncode == 0
    lowest: dict[int, int] = {}
    for word in words(tmp_path / "a.pdf"):
        if word.line < PAGE - 40:  # without the footer
            lowest[word.page] = max(lowest.get(word.page, 0), word.line)
    assert all(line > PAGE / 2 for page, line in lowest.items() if page < max(lowest)), lowest


def test_page(summary: Run, tmp_path: Path) -> None:
    """The report of a pipeline of four programs has the expected sentences and rows."""
    log = written(trees.pipeline(), tmp_path, b"bash -c dump | gzip | put")
    assert summary(log, "-o", "a.pdf").returncode == 0
    text = "".join(text_of(tmp_path / "a.pdf").split())
    for words_of in (
        "ran for 20.0 s, 4 processes. Of its processes, 1 was killed by SIGKILL and 1 ended with a "
        "status other than 0.",
        "4 processes of 4 programs, at most 4 at once.",
        "dump --all data.db 100 ms 2.00 s 1.90 s 400 ms 40.0 MiB 0 B 1",
        "Which programs were there at the same time",
        "killed by SIGKILL",
        "exit status 3",
    ):
        assert words_of.replace(" ", "") in text, words_of
    assert "rank" not in text


def test_web_page(summary: Run, tmp_path: Path) -> None:
    """Names are escaped on the page, and child processes are indented."""
    assert summary("--html", written(trees.strange(), tmp_path)).returncode == 0
    text = (tmp_path / "run.html").read_text("utf-8")
    page_of(text)
    assert "<script>alert" not in text and "\x1b" not in text
    assert 'class="code deep1"' in text


@pytest.mark.parametrize(
    ("members", "words_of"),
    [
        (trees.loop(200), ["loop.sh ran for 20.0 s, 201 processes.", "  cat \u00d7 200 "]),
        (trees.mpi(), ["(launcher)", "MPI job of 4 ranks: solver ", "wrap.sh \u00d7 4"]),
        (trees.workers(8), ["train.py's 8 workers"]),
        (trees.pipeline(), ["Ended badly: dump (killed by SIGKILL), put (exit status 3)."]),
        ([Member("a"), Member("b", 0, ended=trees.RUNNING), Member("c", 0, ended=trees.UNKNOWN)],
         ["1 had not ended when the log was written.", "How 1 of them ended is unknown.",
          "b 20.0 s 0 s"]),
        ([Member("a"), replace(Member("b", 0), count=9000, failed=12)],
         ["9,001 processes", "b \u00d7 9,000", "The log has 2 ranks", "b \u00d7 12 (failed,"]),
    ],
)  # fmt: skip
def test_screen(
    members: list[Member], words_of: list[str], summary: Callable[..., object], tmp_path: Path
) -> None:
    """The text of a tree has these words. members: the processes. words_of: the expected words."""
    text = summary("--text", written(members, tmp_path)).stdout  # type: ignore[attr-defined]
    joined = " ".join(text.split())
    for wanted in words_of:
        assert wanted in text or wanted in joined, text


def test_hosts(summary: Run, tmp_path: Path) -> None:
    """The report of a run on two hosts says by how much the merger corrected the hosts' clocks."""
    made = trees.tree_log([Member("a"), Member("b", 0, host="node2")], RUN_TIME)
    made.metadata += b"nodes=2\nclocks_moved=node2 +1.500 s\nclock_error=0.012 s\n"
    path = tmp_path / "run.darshan"
    path.write_bytes(encode(made))
    joined = " ".join(summary("--text", path).stdout.split())
    assert "2 processes of 2 programs on 2 hosts, at most 2 at once." in joined
    assert "their times were corrected: node2 +1.500 s. How far times of two hosts" in joined
    assert "may be off: 0.012 s." in joined


def stream(name: bytes, rank: int) -> Counted:
    """Returns the STDIO record of a stream from which a process read for 9 seconds."""
    layout = LAYOUTS["STDIO"][2]
    counters, times = dict.fromkeys(layout.counters, 0), dict.fromkeys(layout.fcounters, 0.0)
    counters |= {"STDIO_READS": 90000, "STDIO_BYTES_READ": 64 << 20}
    times |= {"STDIO_F_READ_TIME": 9.0}
    return Counted(record_id(name), rank, counters, times)


def test_pipes_are_no_files(summary: Run, tmp_path: Path) -> None:
    """Reads from <STDIN>, in which a program waits for another one, are not counted as file I/O;
    the same reads from a file are."""
    made = trees.tree_log(trees.pipeline(), RUN_TIME)
    path = tmp_path / "run.darshan"
    for name in (b"<STDIN>", b"/data"):
        made.names += [(record_id(name), name)]
        made.modules = [Module("STDIO", 2, [stream(name, 2)])]
        path.write_bytes(encode(made))
        joined = " ".join(summary("--text", path).stdout.split())
        piped = "they read 64.0 MiB from them, in 9.00 s. No other number" in joined
        assert piped == (name == b"<STDIN>")
        assert ("A stream reads without a buffer" in joined) != piped
        assert ("STDIO streams" in joined) != piped
        assert "Done by gzip." in joined or piped


def test_one_process_is_no_tree(summary: Run, tmp_path: Path) -> None:
    """A run of one process has no section of processes."""
    text = summary("--text", written([Member("a")], tmp_path)).stdout
    assert "on 1 process." in text and "lived" not in text


@pytest.mark.parametrize("seed", range(8))
def test_noise(seed: int, tmp_path: Path) -> None:
    """Records of random bytes cause neither a warning nor an exception."""
    rng = random.Random(seed)
    made = content.standard_log({"POSIX": 4, "STDIO": 2}, seed=seed)
    ranks = [struct.pack("<q", rank) for rank in range(-1, 9)]
    few = [struct.pack("<q", value) for value in (-1, 0, 1, 2, 3, 9)]

    def noise(size: int) -> bytes:
        values = [rng.choice(few) if rng.random() < 0.5 else rng.randbytes(8) for _ in range(size)]
        head = struct.pack("<Q", rng.choice(made.names)[0]) + rng.choice(ranks)
        return head + b"".join(values)

    for name, words_of in (("PROCESS", 20), ("SHARED", 4)):
        raw = b"".join(noise(words_of) for _ in range(12))
        made.annex.append(Module(name, 1, raw=raw))
    path = tmp_path / "noise.darshan"
    path.write_bytes(encode(made))
    with warnings.catch_warnings(), open_log(path) as log:
        warnings.simplefilter("error")
        context = Context(log)
        assert compose(context).blocks
        check_schema(json.loads(json.dumps(data(context), allow_nan=False)))
        assert list(terminal.lines(context, True))
