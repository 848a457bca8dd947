"""Results of queries, which are written batch by batch: they are complete in each output form, and
need little memory."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters, query
from darshan_report.lake.ask.results.format_result import lines
from darshan_report.lake.commit.storage import LakeError
from darshan_report.lake.look.week import file_systems, of_day
from logs.content import standard_log
from logs.encode import encode

from .conftest import SECONDS, Run
from .rows import rows
from .test_commits import fill

MANY = 150_000
QUERY = f"SELECT range AS n, (range * 3)::HUGEINT AS h, 'x' || range AS s FROM range({MANY})"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of two jobs on machines whose file systems at / have different types. Returns
    the lake's path."""
    folder = tmp_path_factory.mktemp("streamed")
    paths = []
    for number, kind in enumerate((b"lustre", b"xfs")):
        log = standard_log({"POSIX": 3}, seed=number, start=(1_700_000_000, 0))
        log.mounts = [(b"/", kind)]
        paths.append(folder / f"user_{kind.decode()}_id{number}-1_1-1-1-1_1.darshan")
        paths[-1].write_bytes(encode(log))
    assert fill(folder / "lake", paths) == 2
    return folder / "lake"


def test_forms(darshan: Run, lake: Path, tmp_path: Path) -> None:
    """CSV, JSON and Parquet have all rows of a result in order; in Parquet, large integers are
    numbers."""
    want = [(n, 3 * n, f"x{n}") for n in range(MANY)]
    for form in ("csv", "json", "parquet"):
        done = darshan("ask", lake, "--sql", QUERY, "-o", f"x.{form}")
        assert done.returncode == 0, done.stderr
    text = (tmp_path / "x.csv").read_text()
    assert list(csv.reader(io.StringIO(text)))[1:] == [[str(v) for v in row] for row in want]
    got = json.loads((tmp_path / "x.json").read_text())
    assert [tuple(row.values()) for row in got] == want
    assert (tmp_path / "x.json").read_text() == json.dumps(got, indent=1) + "\n"
    table = pq.read_table(tmp_path / "x.parquet")
    assert list(zip(*(c.to_pylist() for c in table.columns))) == want
    done = darshan("ask", lake, "--sql", QUERY)
    assert [line.split()[2] for line in done.stdout.splitlines()[1:]] == [s for *_, s in want]
    for form, empty in (("--json", "[]\n"), ("--csv", "a\n"), ("--parquet", None)):
        done = darshan("ask", lake, form, "--sql", "SELECT 1 AS a WHERE false")
        assert done.returncode == 0 and (empty is None or done.stdout == empty), done


def test_a_fault_in_a_late_row(darshan: Run, lake: Path, tmp_path: Path) -> None:
    """If one of the last rows causes an error, the command prints one line, exits with 1, and keeps
    the old output file."""
    late = QUERY.replace("'x'", f"CASE WHEN range = {MANY - 9} THEN error('late') ELSE 'x' END")
    for form in ("csv", "json", "parquet"):
        (tmp_path / f"x.{form}").write_text("before")
        done = darshan("ask", lake, "--sql", late, "-o", f"x.{form}")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1) and "late" in done.stderr
        assert (tmp_path / f"x.{form}").read_text() == "before"
        assert len(list(tmp_path.iterdir())) == ("csv", "json", "parquet").index(form) + 1
    with Asked(lake) as asked, pytest.raises(LakeError, match="late"):
        list(asked.stream(late))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_memory(build: Path, lake: Path, tmp_path: Path, form: str) -> None:
    """Writing a result of 150 MB needs at most 90 MiB more memory than writing one with a tenth of
    its rows."""
    long = "SELECT range AS n, repeat('x', 250) || range AS s FROM range({})"
    program = f"import resource, sys; sys.path.insert(0, {str(build / 'python')!r})\n" + (
        "from darshan_report.lake.ask.engine import Asked\n"
        "from darshan_report.lake.ask.results.written import write\n"
        f"with Asked({str(lake)!r}, memory='200MB') as asked, open('/dev/null', 'wb') as out:\n"
        f"    write(asked.stream(sys.argv[1], typed=True), {form!r}, out)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    few, many = (
        int(
            subprocess.run(
                [sys.executable, "-c", program, long.format(number)],
                stdout=subprocess.PIPE,
                timeout=SECONDS,
                check=True,
            ).stdout
        )
        for number in (60_000, 600_000)
    )
    assert many - few < 90 << 10, (few, many)


def test_sizes_on_a_screen() -> None:
    """On a terminal, columns of bytes have units at any magnitude; other integers are printed in
    full, even beyond 2^53."""
    text = "".join(lines(["bytes_read", "n"], [(2**53 + 1, 2**53 + 1), (1024, 3)]))
    head, large, small = text.splitlines()
    assert large.split() == ["8.00", "PiB", str(2**53 + 1)] and small.split()[:2] == ["1.00", "KiB"]
    assert len(head) == len(large) == len(small)


def test_types_of_a_mount_point(lake: Path) -> None:
    """If a mount point has different file system types on different machines, each type has its own
    row in the queries and in the digest."""
    want: dict[str, int] = {}
    for row in rows(lake, "files_posix"):
        moved = row["POSIX_BYTES_READ"] + row["POSIX_BYTES_WRITTEN"]
        want[row["file_system"]] = want.get(row["file_system"], 0) + moved
    assert set(want) == {"lustre", "xfs"}
    with Asked(lake) as asked:
        found = asked.sql(*query(BY_NAME["file-systems"], Filters(), {"top": 9})).rows()
        assert {r["file_system"]: r["bytes_read"] + r["bytes_written"] for r in found} == want
        [day] = {row["day"] for row in rows(lake, "jobs")}
        pairs = file_systems(asked, of_day(day), Filters())
        assert {now["file_system"] for now, _ in pairs} == set(want)
        files = asked.sql(*query(BY_NAME["files"], Filters(), {"top": 99, "name": "%"})).rows()
        assert {row["file_system"] for row in files} == set(want)
