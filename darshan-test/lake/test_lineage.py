"""The query `producers` and its graph on a chain of real jobs: which job wrote the files that
another job reads, and never a wrong one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters, query
from darshan_report.lake.serve import graph, lineage
from darshan_report.lake.serve.server import Site
from lab.command import finished
from lab.environment import instrumented, minimal, through_env
from lab.watch import new_folders
from place import needs
from report.browser import browser

from .conftest import Run
from .passed_on import FILES, make, measured
from .test_commits import fill
from .test_serve import data, is_ready, serving, table

# Timeout of the workflow in seconds.
WORKFLOW = 300
SPACE = ("unshare", "--map-root-user", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"')
NEEDS = "runs:unshare --map-root-user --uts"
# Each argument is a letter and a name: w writes the file, r reads it, s writes it through stdio, m
# renames it (m:OLD=NEW). p prints "here" and waits for a line on stdin.
SCRIPT = """
import ctypes, os, sys
c = ctypes.CDLL(None)
c.fopen.restype = ctypes.c_void_p
for word in sys.argv[1:]:
    how, names = word[0], word[2:].split("=")
    if how == "w":
        with open(names[0], "wb", 0) as file:
            file.write(bytes(1000))
    elif how == "r":
        with open(names[0], "rb", 0) as file:
            while file.read(400):
                pass
    elif how == "s":
        file = ctypes.c_void_p(c.fopen(names[0].encode(), b"w"))
        c.fwrite(b"x" * 500, 1, 500, file)
        c.fclose(file)
    elif how == "m":
        os.rename(*names)
    elif how == "p":  # says so, and waits
        print("here", flush=True)
        sys.stdin.readline()
"""
# Each rule is a job of its own, as Snakemake submits it to a batch system.
SNAKEFILE = """
rule all:
    input: "plot.txt", "other.txt"
rule simulate:
    output: "raw.dat"
    shell: "head -c 4000 /dev/zero > {output}"
rule clean:
    input: "raw.dat"
    output: "clean.dat"
    shell: "cat {input} > {output}"
rule plot:
    input: "clean.dat", "raw.dat"
    output: "plot.txt"
    shell: "cat {input} > {output}"
rule other:
    output: "other.txt"
    shell: "echo 1 > {output}"
"""
A, B = "node-a", "node-b"
LATE = "late<b>&"  # a name that is no markup
# Jobs in the order in which they run: the host, the program, and the arguments of SCRIPT.
CHAIN = (
    (A, "simulate", "w:raw.dat w:both.dat s:stdio.txt"),
    (A, "clean", "r:raw.dat w:clean.tmp m:clean.tmp=clean.dat"),
    (A, "plot", "r:clean.dat r:stdio.txt"),
    (A, "again", "w:raw.dat"),  # somebody else writes the same path, after it was read
    (A, LATE, "r:raw.dat"),
    (A, "early", "r:given.dat"),  # read, and then written by the next job
    (A, "after", "w:given.dat"),
    (A, "local", "w:local.dat"),
    (B, "other-host", "r:local.dat"),  # the same path on another machine's own disk
    (A, "same-host", "r:local.dat"),
    (B, "both-hosts", "w:both.dat"),
    (A, "own", "w:own.dat r:own.dat"),
    (A, "third", "r:both.dat r:own.dat"),  # of its own host's file
    # One record stands for all files of this folder: it does not tell which were written or read.
    (A, "installs", "w:lib/python3.9/site-packages/one.py"),
    (A, "imports", "r:lib/python3.9/site-packages/two.py"),
)
# The expected edges: (producer, consumer) -> (files, bytes read).
EDGES = {
    ("simulate", "clean"): (1, 1000), ("clean", "plot"): (1, 1000), ("simulate", "plot"): (1, 500),
    ("again", LATE): (1, 1000), ("local", "same-host"): (1, 1000),
    ("simulate", "third"): (1, 1000), ("own", "third"): (1, 1000),
    # A job reads the checkpoint while another one renames it: _while_it_runs.
    ("before", "sure"): (1, 1000), ("renames", "afterwards"): (1, 1000),
}  # fmt: skip


class Jobs(NamedTuple):
    """A lake of these jobs, and the folder in which they ran."""

    lake: Path
    work: Path


def _command(
    work: Path, host: str, program: str, what: str, variables: dict[str, str]
) -> list[str]:
    """Returns the command that runs a program on another host. what: the program's arguments.
    variables: of its environment."""
    # A run of several processes names its host.
    (work / program).write_text(f'#!/bin/sh\n{sys.executable} script.py "$@"; exit $?\n')
    (work / program).chmod(0o755)
    return [*SPACE, host, *through_env(variables), f"./{program}", *what.split()]


def _while_it_runs(work: Path, variables: dict[str, str]) -> None:
    """Runs a job that renames a file while another job reads. Because no log has the time of the
    rename, a job that reads the new name meanwhile may have read the old contents, and has no edge.
    A job that reads the name later has one."""

    def job(program: str, what: str) -> None:
        done = finished(_command(work, A, program, what, variables), cwd=work, env=minimal())
        assert done.returncode == 0, done.stderr

    job("before", "w:state.dat")
    job("sure", "r:state.dat")
    command = _command(work, A, "renames", "w:state.tmp m:state.tmp=state.dat p:", variables)
    with subprocess.Popen(
        command, cwd=work, env=minimal(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdout is not None and running.stdout.readline() == b"here\n"
        job("meanwhile", "r:state.dat")
        running.communicate(b"\n")
    assert running.returncode == 0
    job("afterwards", "r:state.dat")


@pytest.fixture(scope="module")
def jobs(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    """Runs the jobs, and collects their logs into a lake."""
    needs(NEEDS)
    folder = tmp_path_factory.mktemp("chain")
    work, logs, journals = new_folders(folder, "work", "logs", "journals")
    (work / "script.py").write_text(SCRIPT)
    (work / "given.dat").write_bytes(bytes(1000))
    (library := work / "lib/python3.9/site-packages").mkdir(parents=True)
    (library / "two.py").write_bytes(bytes(1000))
    variables = instrumented(build, logs, journals)
    for host, program, what in CHAIN:
        done = finished(_command(work, host, program, what, variables), cwd=work, env=minimal())
        assert done.returncode == 0, done.stderr
    _while_it_runs(work, variables)
    paths = sorted(logs.rglob("*.darshan"))
    assert len(paths) == len(CHAIN) + 5
    fill(folder / "lake", paths)
    return Jobs(folder / "lake", work)


Found = dict[tuple[str, str], tuple[int, int]]


def _asked(lake: Path, filters: Filters | None = None) -> Found:
    """Returns files and bytes of each pair of producer and consumer in the lake."""
    with Asked(lake) as opened:
        sql, used = query(BY_NAME["producers"], filters or Filters(), {"top": 100})
        rows = opened.sql(sql, used).rows()
    return {(r["producer"], r["consumer"]): (r["files"], r["bytes_read"]) for r in rows}


def test_edges(jobs: Jobs) -> None:
    """The query has each edge of the chain with its number of files and bytes, and no other
    edge."""
    assert _asked(jobs.lake) == EDGES


def test_filters_choose_readers(jobs: Jobs) -> None:
    """Filters select the reading jobs; their producers are found even if the filter does not match
    these."""
    assert _asked(jobs.lake, Filters(program=LATE)) == {("again", LATE): (1, 1000)}
    assert _asked(jobs.lake, Filters(program="simulate")) == {}


def _drawn(site: Site, **chosen: str) -> set[tuple[str, str]]:
    """Returns the edges of the graph that the page draws, as pairs of the first lines of their
    boxes. chosen: the arguments of the page."""
    page = data(site.page(f"/lineage?{urlencode(chosen)}").decode())
    graph = page.get("graph", {"boxes": [], "edges": []})
    names = [box[0] for box in graph["boxes"]]
    return {(names[way[0]], names[way[-1]]) for way, *_ in graph["edges"]}


def _of(lake: Path, program: str) -> str:
    """Returns the id of the log of a program."""
    with Asked(lake) as opened:
        [row] = opened.sql("SELECT log FROM jobs WHERE program = ?", [program]).rows()
    return str(row["log"])


def test_the_graph(jobs: Jobs) -> None:
    """The page draws the edges of all jobs, of a program, of a job, and of a file or folder."""
    around = {("simulate", "clean"), ("clean", "plot"), ("simulate", "plot")}
    with Asked(jobs.lake) as opened:
        site = Site(opened, "test")
        assert _drawn(site) == set(EDGES)
        assert _drawn(site, path=str(jobs.work)) == set(EDGES)
        assert _drawn(site, path=f"{jobs.work}/raw.dat") == {
            ("simulate", "clean"),
            ("again", LATE),
        }
        assert _drawn(site, path=f"{jobs.work}/raw") == set()  # neither a file nor a folder
        assert _drawn(site, program="plot") == around
        assert _drawn(site, program=LATE) == {("again", LATE)}
        assert _drawn(site, program="nobody") == set() == _drawn(site, user="nobody")
        assert _drawn(site, log=_of(jobs.lake, "plot")) == around
        assert _drawn(site, log=_of(jobs.lake, "other-host")) == set()
        rows = table(site.page("/lineage").decode(), "pairs")
        found = {(r["Producer"], r["Reader"]): (r["Files"], r["Read"]) for r in rows}
        assert found == EDGES


def test_only_ones_own(jobs: Jobs) -> None:
    """A server for one user draws that user's jobs, and no jobs in a graph of somebody else."""
    with Asked(jobs.lake) as opened:
        [row] = opened.sql('SELECT DISTINCT "user" FROM jobs').rows()
    for user, want in ((row["user"], set(EDGES)), ("mallory", set())):
        with Asked(jobs.lake, user=user) as opened:
            site = Site(opened, "test")
            assert _drawn(site) == want == _drawn(site, user=row["user"])
            page = site.page(f"/lineage?log={_of(jobs.lake, 'plot')}").decode()
            assert ("graph" in data(page) if "data" in page else False) == bool(want)


def test_bounds(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are too many boxes, the page shows the nearest ones and says how many are left
    out."""
    monkeypatch.setattr(lineage, "_MOST", 2)
    with Asked(jobs.lake) as opened:
        site = Site(opened, "test")
        for chosen in ({}, {"program": "clean"}, {"log": _of(jobs.lake, "clean")}):
            page = site.page(f"/lineage?{urlencode(chosen)}").decode()
            assert len(data(page)["graph"]["boxes"]) == 2
            assert "The graph shows 2 " in page and " are left out." in page


def test_columns() -> None:
    """The layout puts each box into a column right of its producers, except for one edge of each
    cycle. An edge that crosses a column gets its own row there; if there are too many boxes, the
    nearest are shown."""
    weights: dict[graph.Edge, float] = {
        ("a", "b"): 9, ("b", "c"): 9, ("a", "c"): 1, ("c", "b"): 1, ("c", "c"): 5, ("c", "d"): 9,
    }  # fmt: skip
    made = graph.columns("abcd", weights, str)
    assert made.of == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert made.vias(("a", "c")) == [graph.Via("a", 1)] and graph.Via("a", 1) in made.columns[1]
    assert made.vias(("c", "b")) == [] == made.vias(("c", "c"))
    line = [(str(i), str(i + 1)) for i in range(9)]
    assert graph.around(line, ["4"], 5) == set("23456")
    assert graph.around([*line, ("4", "x"), ("x", "9")], ["0"], 99) == {*"0123456789x"}
    assert graph.around([("0", "1"), ("2", "1")], ["0"], 99) == {"0", "1"}  # 2 is another producer
    assert graph.around([("0", "1"), ("2", "1")], (), 2) == {"0", "1"}


def test_the_graph_in_a_browser(build: Path, jobs: Jobs, tmp_path: Path) -> None:
    """Boxes show the names of programs as text and link to their pages; a pointer over a box shows
    which files the job read."""
    needs("program:chromium", "program:chromedriver")
    with serving(build, jobs.lake) as port, browser(tmp_path) as window:
        window.open(f"http://127.0.0.1:{port}/lineage?{urlencode({'program': LATE})}")
        is_ready(window)
        names = window.run(
            "return [...document.querySelectorAll('#graph .name')].map((e) => e.textContent)"
        )
        assert set(names) == {"again", LATE}
        assert window.run("return document.querySelectorAll('#graph .edge').length") == 1
        window.mouse("#graph .box.chosen", [(20, 20)])
        said = window.run("return document.querySelector('#graph .said').textContent")
        assert said.startswith(f"again \u2192 {LATE}: 1 file, 1000 B") and "raw.dat" in said
        window.click("#graph .box.chosen rect")
        window.until("return location.pathname === '/program'")
        is_ready(window)
        assert window.run("return document.querySelector('h1').textContent") == LATE


def test_a_workflow(build: Path, darshan: Run, tmp_path: Path) -> None:
    """The jobs of a real Snakemake have the edges of its rules, and no others: none from the files
    that Snakemake itself keeps."""
    needs("snakemake")
    work, logs = new_folders(tmp_path, "work", "logs")
    (work / "Snakefile").write_text(SNAKEFILE)
    submit = work / "submit"
    submit.write_text(f'#!/bin/sh\n"{build}/darshan" run sh "$1" >/dev/null 2>&1 &\necho $!\n')
    submit.chmod(0o755)
    done = finished(
        ["snakemake", "--quiet", "-j2", "--latency-wait", "30", "--cluster", submit, "all"],
        cwd=work, timeout=WORKFLOW, env={
            **minimal(), "PATH": os.environ["PATH"], "DARSHAN_LOGPATH": str(logs),
            "DARSHAN_PYTHON": sys.executable, "HOME": str(tmp_path),
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert darshan("collect", "--into", "lake", "--no-findings", logs).returncode == 0
    found = {
        (one.split(".")[1], other.split(".")[1]): files
        for (one, other), (files, _) in _asked(tmp_path / "lake").items()
    }
    assert found == {("simulate", "clean"): 1, ("simulate", "plot"): 1, ("clean", "plot"): 1}


def test_a_large_lake(darshan: Run, tmp_path: Path) -> None:
    """Among 200,000 files of which 2 % are passed on, each edge is found. The query takes a few
    times as long as a sum over the same records, because it sorts and joins only files that are
    passed on."""
    records, share = 200_000, 0.02
    lake = tmp_path / "lake"
    make(str(lake), records, share)
    done = darshan("ask", lake, "producers", "--json", "--top", "100000")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sum(row["files"] for row in found) == records * share - FILES * share
    assert {row["one_of_them"].count("/") for row in found} == {4}
    for row in found:
        before, after = int(row["producer"][4:]), int(row["consumer"][4:])
        assert after == (before + 1) % 20
    graph, scan, _ = measured(str(lake))
    assert graph < 8 * scan, (graph, scan)
