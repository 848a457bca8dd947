"""Results of queries are exact to the last digit; the dictionaries of Parquet files contain only
the names of their own rows; and one key anonymizes a lake."""

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
from darshan_report.lake.commit import storage
from tree import build_folder

from .conftest import Run
from .rows import make_logs


@pytest.fixture
def lake(darshan: Run, tmp_path: Path) -> Path:
    """Makes a lake of four logs by four users. Returns the lake's path."""
    make_logs(tmp_path / "logs", 4)
    done = darshan("collect", "--into", "lake", "--workers", "1", "logs")
    assert done.returncode == 0, done.stderr
    return tmp_path / "lake"


def sql(darshan: Run, query: str, *options: str) -> str:
    """Returns the output of an SQL query on the lake. options: of the command."""
    done = darshan("ask", "lake", "--sql", query, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.usefixtures("lake")
def test_whole_numbers(darshan: Run, tmp_path: Path) -> None:
    """Integers of any size are exact in each output form, sums are integers, and ids can be copied
    into another query."""
    big = {"u": 2**64 - 1, "h": 123456789012345678901234567890, "s": 2**53 + 1, "job_id": 1000008}
    query = (
        f"SELECT {big['u']}::UBIGINT u, {big['h']}::HUGEINT h, "
        f"sum(x) s, {big['job_id']} job_id FROM (VALUES ({2**53}), (1)) AS t(x)"
    )
    assert json.loads(sql(darshan, query, "--json")) == [big]
    with Asked(tmp_path / "lake") as asked:
        (row,) = asked.sql(query).rows()
        assert {type(value) for value in row.values()} == {int}, "and not decimal numbers"
    (row,) = csv.DictReader(io.StringIO(sql(darshan, query, "--csv")))
    assert row == {k: str(v) for k, v in big.items()}
    assert sql(darshan, query).splitlines()[1].split() == [str(v) for v in big.values()]
    (ids,) = {
        r["id"] for r in json.loads(sql(darshan, "SELECT max(id) id FROM files_posix", "--json"))
    }
    assert str(ids) in sql(darshan, "SELECT max(id) id FROM files_posix")
    sql(darshan, "SELECT max(ended - started) AS t, 1 a, 2 a FROM jobs", "-o", "x.parquet")
    (row,) = pq.read_table(tmp_path / "x.parquet").to_pylist()
    assert isinstance(row["t"], str) and (row["a"], row["a_2"]) == (1, 2)


@pytest.mark.usefixtures("lake")
def test_questions_that_are_none(darshan: Run) -> None:
    """An invalid query causes an error message of one line."""
    for arguments in (
        ("lake", "--sql", "SELECT 1; SELECT 2"),
        ("lake", "--sql", ""),
        ("lake", "between", "--from", "2026-01-12T05:00", "--to", "2026-01-12T01:00"),
        ("lake", "users", "--since", "2026-02-30"),
        ("nosuch",),
    ):
        done = darshan("ask", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done


def words_beside(lake: Path) -> set[tuple[str, str]]:
    """Returns each pair (file, word) such that the word is in a dictionary of the file, but in none
    of its rows."""
    found = set()
    for path in lake.rglob("*.parquet"):
        names = pq.read_schema(path).names
        texts = [n for n in ("user", "program", "name", "path", "command") if n in names]
        table = pq.ParquetFile(path, read_dictionary=texts).read(columns=texts)
        for column in table.columns:
            for chunk in column.chunks:
                rows = set(chunk.to_pylist())
                found |= {(str(path), w) for w in chunk.dictionary.to_pylist() if w not in rows}
    return found


def test_files_have_the_names_of_their_rows(lake: Path, darshan: Run) -> None:
    """No file contains a name that none of its rows has: after collecting, after compaction, and
    after a user was removed."""
    assert not words_beside(lake)
    users = {r["user"] for r in json.loads(sql(darshan, 'SELECT "user" FROM jobs', "--json"))}
    assert len(users) > 1
    for command in (("compact", "lake"), ("prune", "--user", min(users), "lake")):
        done = darshan("lake", *command)
        assert done.returncode == 0, done.stderr
        assert not words_beside(lake)
    assert min(users) not in sql(darshan, 'SELECT "user" FROM jobs', "--csv").split()


def test_one_key(darshan: Run, tmp_path: Path) -> None:
    """A key other than the lake's is refused, because users would be counted twice. Mount points
    are anonymized as well."""
    make_logs(tmp_path / "logs", 2)
    hidden = ("collect", "--into", "lake", "--workers", "1", "logs", "--obfuscate")
    assert darshan(*hidden).returncode == 0
    done = darshan(*hidden, environment={"DARSHAN_LAKE_KEY": "k2"})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "another key" in done.stderr
    assert darshan(*hidden).returncode == 0
    mounts = json.loads(sql(darshan, "SELECT DISTINCT mount m FROM files_posix", "--json"))
    assert mounts and not any("/" in r["m"] for r in mounts if r["m"])


_MOMENTS = """SELECT TIMESTAMPTZ '2026-11-29 01:02:03.000004+00' AS a,
  TIMESTAMP '1969-12-31 23:59:59.5' AS b,
  NULL::TIMESTAMPTZ AS c, DATE '2026-02-28' AS d
UNION ALL SELECT NULL, TIMESTAMP '9999-12-31 23:59:59', TIMESTAMPTZ '0001-01-01 00:00:00+00', NULL
ORDER BY a NULLS LAST"""


def test_times_without_pandas(tmp_path: Path) -> None:
    """Times in results are those that pyarrow returns, but pandas, whose import takes a second, is
    not imported."""
    storage.make(str(tmp_path / "lake"), {})
    script = f"""import sys
sys.path.insert(0, {str(build_folder() / "python")!r})
from darshan_report.lake.ask.engine import Asked
with Asked({str(tmp_path / "lake")!r}) as asked:
    answer = asked.sql({_MOMENTS!r})
    rows = answer.rows()
    assert "pandas" not in sys.modules
    print(rows == answer.arrow().to_pylist(), len(rows))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout == "True 2\n"
