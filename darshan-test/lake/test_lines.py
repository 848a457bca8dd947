"""A lake has the lines of code of its logs with exact sums, and neither anonymized nor hostile
names cause harm."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from darshan_report import lake as lakes
from darshan_report.call_sites.measured import OBJECT
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters, query
from darshan_report.lake.look import week
from darshan_report.lake.serve.server import Site
from darshan_report.lake.write import sites
from lab.compile import compile_c
from report.diagnose.build import Job, Row, row, write
from sites.stacks import Program, build_id
from sites.where import C_SOURCE, line_of

from .conftest import Run
from .rows import rows, table
from .test_commits import fill
from .test_serve import data
from .test_serve import table as table_of

SCRIPT = """import sys


def store(name):
    with open(name, "wb", buffering=0) as file:
        for number in range(300):
            file.write(b"x" * 10)  # store


store(sys.argv[1])
with open(sys.argv[1], "rb", buffering=0) as file:
    while file.read(100):  # load
        pass
"""
# Columns with names of code.
NAMES = ("file", "function", "object", "build_id", "through")


@pytest.fixture
def program(build: Path, parser: Path, tmp_path: Path) -> Program:
    """Returns an object that runs programs and records their call sites."""
    return Program(build, parser, tmp_path)


def lines(lake: Path, **filters: str) -> list[dict[str, Any]]:
    """Returns the rows of the query "lines" with these filters."""
    with lakes.open(lake) as opened:
        sql = query(BY_NAME["lines"], Filters(**filters), {"top": 1000})
        return opened.sql(*sql).rows()


def job(folder: Path, number: int, *some: Row, **more: Any) -> Path:
    """Writes a log with the call sites `some`. number: of the job; more: other fields of Job.
    Returns the log's path."""
    name = f"user{number % 3}_code_id{number}-1_1-1-1-1_1.darshan"
    return write(Job(some, seconds=10 + number, **more), folder / name)


def site(name: str, reads: int = 10, **values: float) -> Row:
    """Returns a call site that read 100 bytes with each call. values: other counters of the
    site."""
    return row("SITES", name, READS=reads, BYTES_READ=100 * reads, **values)


def test_lines_of_a_script(program: Program, darshan: Run) -> None:
    """The table has a row for each line of Python code with its calls, bytes and seconds, the same
    as `darshan where` prints."""
    script = program.folder / "store.py"
    script.write_text(SCRIPT)
    program.start("/usr/bin/python3", script, "data")
    (log,) = program.logs()
    assert darshan("collect", "--into", "lake", log.parent).returncode == 0
    found = {
        r["line"]: r for r in rows(program.folder / "lake", "sites") if r["file"] == str(script)
    }
    done = darshan("where", "--json", "--top", "1000", log)
    told = json.loads(done.stdout)
    where = {
        one["place"]["line"]: one
        for one in told["lines"]
        if one["place"] and one["place"]["file"] == str(script)
    }
    assert set(found) == set(where)
    for number, one in where.items():
        got = found[number]
        assert got["seconds"] == pytest.approx(one["seconds"]), number
        assert (got["calls"], got["bytes_written"]) == (one["calls"], one["bytes_written"])
    put = found[line_of(SCRIPT, "# store")]
    assert (put["called"], put["function"], put["calls"]) == ("write", "store", 300)
    assert (put["bytes_written"], put["object"], put["sites"]) == (3000, None, 1)
    get = found[line_of(SCRIPT, "# load")]
    assert (get["calls"], get["bytes_read"]) == (31, 3000)
    for name, whole in (("seconds", told["seconds"]), ("calls", told["calls"])):
        kept = sum(r[name] for r in rows(program.folder / "lake", "sites"))
        assert kept == pytest.approx(whole)


def test_lines_of_a_program(program: Program, darshan: Run) -> None:
    """The row of a call site in a C program has object, build id and address; collected with
    --read-programs, it has function and line."""
    path = compile_c(
        program.folder, C_SOURCE, name="program",
        first=("gcc", "-g", "-O2", "-fno-optimize-sibling-calls", "-D_GNU_SOURCE"),
    )  # fmt: skip
    program.start(path, "data")
    darshan("collect", "--into", "lake", *program.logs())
    by_address = rows(program.folder / "lake", "sites")
    put = max((r for r in by_address if r["object"] == str(path)), key=lambda r: r["calls"])
    assert (put["calls"], put["bytes_written"], put["called"]) == (50, 50_000, "write")
    assert (put["build_id"], put["file"], put["function"]) == (build_id(path), None, None)
    darshan("collect", "--read-programs", "--into", "read", *program.logs())
    (read,) = (r for r in rows(program.folder / "read", "sites") if r["calls"] == 50)
    assert read["line"] == line_of(C_SOURCE, "/* put */") and read["file"].endswith("program.c")
    assert (read["function"], read["seconds"]) == ("put", put["seconds"])
    done = darshan("ask", "read", "lines", "--json")
    first = {one["place"]: one for one in json.loads(done.stdout)}[f"{read['file']}:{read['line']}"]
    assert (first["function"], first["called"], first["jobs"]) == ("put", "write", 1)
    shown = subprocess.run(
        ["addr2line", "-e", path, f"{put['address'] - 1:x}"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert shown.split(" ")[0].strip().endswith(f"program.c:{read['line']}")


def test_rows_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each log has rows for the lines with most time, up to a limit, and one row for all other
    lines; sums stay exact."""
    made = np.random.default_rng(1).uniform(0.1, 1, 600)
    some = [
        site(f"read;/home/x/code.py:{n + 1:03}:f", n + 1, F_READ_TIME=float(t), BYTES_WRITTEN=n)
        for n, t in enumerate(made)
    ]
    path = job(tmp_path, 1, *some)
    for kept in (8192, 250):  # all names are in memory, or not
        monkeypatch.setattr(sites, "_KEPT", kept)
        lake = tmp_path / f"lake{kept}"
        fill(lake, [path])
        found = rows(lake, "sites")
        assert len(found) == sites.LINES + 1
        order = sorted(range(600), key=lambda n: -made[n])[: sites.LINES]
        ranked = sorted(found[:-1], key=lambda r: r["number"])
        assert [r["line"] for r in ranked] == [n + 1 for n in order]
        (rest,) = (r for r in found if r["number"] is None)
        assert rest["sites"] == 500 and rest["file"] is None
        assert sum(r["calls"] for r in found) == sum(n + 1 for n in range(600))
        assert sum(r["bytes_read"] for r in found) == 100 * sum(n + 1 for n in range(600))
        assert sum(r["bytes_written"] for r in found) == sum(range(600))
        assert sum(r["seconds"] for r in found) == pytest.approx(sum(made))


def test_the_question(tmp_path: Path) -> None:
    """The query `lines` sums each line over jobs and users, and accepts the filters of other
    queries."""
    user, library = "/home/x/code.py:7:load", "/usr/lib/python3/dist-packages/numpy/io.py:9:load"
    paths = [
        job(tmp_path, n, site(f"read;{library};{user}", F_READ_TIME=n + 1.0),
            site("open;/home/x/code.py:3:load", F_READ_TIME=0.5))
        for n in range(6)
    ]  # fmt: skip
    fill(tmp_path / "lake", paths)
    first, second = lines(tmp_path / "lake")
    assert (first["place"], first["function"]) == ("/home/x/code.py:7", "load")
    assert (first["called"], first["through"]) == ("read", "numpy.load")
    assert (first["jobs"], first["users"], first["calls"]) == (6, 3, 60)
    assert first["call_seconds"] == pytest.approx(21) and first["bytes_read"] == 6000
    assert (second["place"], second["through"]) == ("/home/x/code.py:3", None)
    assert [r["jobs"] for r in lines(tmp_path / "lake", user="user1")] == [2, 2]
    assert [r["users"] for r in lines(tmp_path / "lake", program="app")] == [3, 3]
    assert lines(tmp_path / "lake", program="other") == []
    assert lines(tmp_path / "lake", since="2023-11-15") == []


def test_anonymous_names(program: Program, darshan: Run) -> None:
    """A lake with anonymized names contains no name of code, not even from a log whose runtime
    anonymized names with another key."""
    script = program.folder / "secretive.py"
    script.write_text(SCRIPT)
    program.start("/usr/bin/python3", script, "data")
    (log,) = program.logs()
    darshan("collect", "--obfuscate", "--into", "hidden", log)
    found = table(program.folder / "hidden", "sites")
    assert len(found) > 2 and sum(v is not None for v in found["file"].to_pylist()) >= 2
    for name in NAMES:
        assert all(len(v) == 16 for v in found[name].to_pylist() if v is not None), name
    for file in (program.folder / "hidden").rglob("*.parquet"):
        content = file.read_bytes()
        assert b"secretive" not in content and b"store" not in content, file
    other = program.folder / "other.darshan"
    assert darshan("convert", "--obfuscate", log, other).returncode == 0
    darshan("collect", "--into", "plain", other)
    (row_of,) = rows(program.folder / "plain", "sites")
    assert (row_of["file"], row_of["called"]) == (None, None)
    assert row_of["calls"] == sum(found["calls"].to_pylist())


def test_hostile_sites(tmp_path: Path) -> None:
    """Names of 4 KiB, very many objects, changed values and invalid names of call sites cause
    neither an error nor wrong rows of others."""
    long = "read;" + "/" + "x" * 4000 + ".py:{}:f"
    some = [site(long.format(f"{n:04}"), F_READ_TIME=1.0) for n in range(300)]
    some += [
        row("SITES", f"object {n:08x} {n:08x} /{'o' * 4000}{n:06}", KIND=OBJECT) for n in range(300)
    ]
    some += [
        site("read;\udcff".encode("utf-8", "replace").decode() + "%FF+12", F_READ_TIME=2.0),
        site("", F_READ_TIME=3.0),
        site("write;;;;", F_READ_TIME=float("nan"), BYTES_WRITTEN=-5, CLOSES=-1),
        site("open;" + "a+1;" * 1000, F_READ_TIME=float("inf"), BYTES_WRITTEN=2**62),
        site("<script>alert(1)</script>;/home/x/<b>.py:1:<img>", F_READ_TIME=9.0),
        site("read;0000000a+12", F_READ_TIME=8.0, F_OPEN_TIME=1e300),
    ]  # fmt: skip
    good = job(tmp_path, 2, site("read;/home/x/code.py:7:load", F_READ_TIME=5.0))
    lake = tmp_path / "lake"
    fill(lake, [job(tmp_path, 1, *some), good])
    assert len(rows(lake, "sites")) == sites.LINES + 2
    assert not [r for r in rows(lake, "problems") if "lines of code" in r["problem"]]
    found = {r["place"]: r for r in lines(lake)}
    assert found["/home/x/code.py:7"]["call_seconds"] == 5.0
    assert all(np.isfinite(r["call_seconds"] or 0) for r in found.values())
    with Asked(lake) as asked:
        page = Site(asked, "test").page("/lines?since=2020-01-01").decode()
    assert "<b>" not in page and "<img>" not in page
    assert any(r["Line"] == "/home/x/code.py:7" for r in table_of(page, "lines"))


def test_the_pages(tmp_path: Path) -> None:
    """The page of lines has the rows of the query, and the page of a program those of its runs."""
    lake = tmp_path / "lake"
    fill(lake, [
        job(tmp_path, n, site(f"read;/home/x/code.py:{n}:load", F_READ_TIME=n, WRITES=3),
            command=f"/bin/program{n % 2}".encode())
        for n in range(1, 5)
    ])  # fmt: skip
    with Asked(lake) as asked:
        site_of = Site(asked, "test")
        page = site_of.page("/lines").decode()
        one = site_of.page("/program?name=program1").decode()
        none = site_of.page("/lines?program=other").decode()
    assert [r["Line"] for r in table_of(page, "lines")] == [
        f"/home/x/code.py:{n}" for n in (4, 3, 2, 1)
    ]
    first = table_of(page, "lines")[0]
    assert (first["Program"], first["In calls"], first["Called"]) == ("program0", 4.0, "read")
    assert first["Calls"] == 13 and first["link"].startswith("program?")
    assert [r["Line"] for r in table_of(one, "lines")] == [f"/home/x/code.py:{n}" for n in (3, 1)]
    assert not data(none)["tables"] and "No job of these days has call sites." in none


def test_the_costliest_of_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of the costliest lines is the same from sums as from single rows, for each number
    of rows: also if lines have equal times, no time at all, or are on many days."""
    made = []
    for day in range(4):
        some = [
            site(f"read;/home/x/code.py:{n}:load", F_READ_TIME=float(n // 2), reads=n + 1)
            for n in range(12)
        ]
        some.append(site("write;/home/x/other.py:1:save", F_WRITE_TIME=float("nan")))
        made.append(job(tmp_path, day + 1, *some, command=f"/bin/program{day % 2}".encode()))
    fill(tmp_path / "lake", made)
    for top in (1, 2, 3, 7, 26, 27, 500):
        found = []
        for has_sums in (True, False):
            with monkeypatch.context() as patched, Asked(tmp_path / "lake") as asked:
                if not has_sums:
                    patched.setattr(Asked, "has_sums", lambda _: False)
                found.append(week.rows(asked, BY_NAME["lines"], Filters(), top=top))
        assert found[0] == found[1] and len(found[0]) == min(top, 26)
