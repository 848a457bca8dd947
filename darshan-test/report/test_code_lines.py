"""The section "Where in the code" has the sums of each line in each form of the report, and stays
within the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from .conftest import INCOMPLETE, Run
from .diagnose.build import Job, Row, row, shared, write
from .pages import text_of
from .test_formats import SCHEMA
from .test_pages import RIGHT, words

FILE = row("POSIX", "/data/a", OPENS=1, READS=20, BYTES_READ=2000, F_READ_TIME=3.0)
LIBRARY = "/usr/lib/python3/dist-packages/numpy/lib/npyio.py:405:load"


def site(name: str, **values: float) -> Row:
    """Returns the record of a call site. values: its counters."""
    return row("SITES", name, **values)


def made(folder: Path, *rows: Row, **job: object) -> Path:
    """Writes a log with one file (FILE) and these call sites. job: other fields of Job. Returns the
    log's path."""
    return write(Job((FILE, *rows), **job), folder / "made.darshan")  # type: ignore[arg-type]


SITES = (
    site(f"read;{LIBRARY};/home/me/train.py:31:load", READS=15, BYTES_READ=1500, F_READ_TIME=2.0,
         F_GAP_SHORT_TIME=0.25, F_GAP_LONG_TIME=5.0),
    site("open64;/home/me/train.py:31:load", OPENS=1, F_OPEN_TIME=0.5),
    site("write;/home/me/other.py:8:save", WRITES=5, BYTES_WRITTEN=500, F_WRITE_TIME=0.75),
    site("read", KIND=2, READS=1, F_READ_TIME=0.125),
)  # fmt: skip


@pytest.mark.parametrize("form", ["txt", "pdf", "html"])
def test_each_form(form: str, summary: Run, tmp_path: Path) -> None:
    """Each line of code has the sum of its call sites, and the line with most time comes first, in
    text, PDF and web page."""
    log = made(tmp_path, *SITES)
    assert summary(log, "-o", f"a.{form}").returncode == 0
    out = tmp_path / f"a.{form}"
    text = text_of(out) if form == "pdf" else out.read_text("utf-8")
    if form == "html":
        assert 'id="r0-where"' in text
    places = [text.index(word) for word in ("train.py:31", "other.py:8", "(no line)")]
    assert places == sorted(places)
    row = text[places[0] : places[1]]
    for value in ("load: read through numpy.load; 1 other way", "2.50 s", "250 ms", "16", "1.46"):
        assert value in row, value
    flat = " ".join(text.split())
    assert "Of 3.38 s in I/O calls" in flat and "all belong to these lines" in flat
    assert "which this report does not show" not in flat


def test_ranks(summary: Run, tmp_path: Path) -> None:
    """The section has the least and the most time of the ranks at a line, from the ranks' own
    records or from a merged one. Records of older versions have sums only. The JSON follows its
    schema."""
    rows = (
        *(
            row("SITES", "read;/home/me/a.py:1:f", rank=n, PROCESSES=1, READS=1, F_READ_TIME=n + 1)
            for n in range(3)
        ),
        shared("SITES", "write;/home/me/b.py:2:g", PROCESSES=3, WRITES=3, F_WRITE_TIME=1.5,
               FASTEST_RANK=1, SLOWEST_RANK=2, F_FASTEST_RANK_TIME=0.25, F_SLOWEST_RANK_TIME=0.75),
        shared("SITES", "read;/home/me/c.py:3:g", PROCESSES=3, READS=3, F_READ_TIME=0.5,
               SLOWEST_RANK=-1, FASTEST_RANK=-1, F_FASTEST_RANK_TIME=-1, F_SLOWEST_RANK_TIME=-1),
    )  # fmt: skip
    log = made(tmp_path, *rows, nprocs=3)
    assert summary(log, "-o", "a.html").returncode == 0
    text = re.sub(r"<[^>]*>", " ", (tmp_path / "a.html").read_text("utf-8"))
    (apart,) = re.findall(r"a\.py:1\s+3\s+1\.00 s\s+3\.00 s\s+2", text)
    assert apart and re.search(r"b\.py:2\s+3\s+250 ms\s+750 ms\s+2", text)
    assert re.search(r"c\.py:3\s+3\s+-\s+-\s+-", text)
    found = json.loads(summary("--json", "-o", "-", log).stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    lines = {line["place"]["line"]: line for line in found["where"]["lines"]}
    assert lines[1]["ranks"] == {
        "number": 3, "seconds_min": 1.0, "seconds_max": 3.0, "slowest": 2,
    }  # fmt: skip
    assert lines[2]["ranks"] == {
        "number": 3, "seconds_min": 0.25, "seconds_max": 0.75, "slowest": 2,
    }  # fmt: skip
    assert (lines[3]["processes"], lines[3]["ranks"]) == (3, None)


def test_without_sites(summary: Run, tmp_path: Path) -> None:
    """The report of a log without call sites has no section of lines of code."""
    log = made(tmp_path)
    for form in ("pdf", "html"):
        assert summary(log, "-o", f"a.{form}").returncode == 0
    assert "Where in the code" not in text_of(tmp_path / "a.pdf")
    assert "Where in the code" not in (tmp_path / "a.html").read_text("utf-8")
    assert "where in the code" not in summary("--text", log).stdout


def test_margin(summary: Run, tmp_path: Path) -> None:
    """Long names and large numbers stay within the page, and within 80 columns of text."""
    sites = [
        site(
            f"some_long_function_name_{n};/usr/lib/python3/dist-packages/long_package_name/m.py:3:"
            f"AVeryLongClassName.a_very_long_method_name_{n};/home/me/{'folder' * 20}/"
            f"module_with_a_long_name_{n}.py:{12345 + n}:{'W' * 30}.a_long_method_name_{n}",
            READS=123_456_789_012 + n, F_READ_TIME=12345.6 + n, F_GAP_SHORT_TIME=12345.7,
            BYTES_READ=2**44 - 1,
        )
        for n in range(14)
    ]  # fmt: skip
    log = made(tmp_path, *sites)
    for more in ([], ["--no-latex"]):
        assert summary(log, "-o", "a.pdf", *more).returncode == 0
        assert "12,359" in text_of(tmp_path / "a.pdf")
        assert [w for w in words(tmp_path / "a.pdf") if w.right > RIGHT + 1] == []
    lines = summary("--text", log).stdout.splitlines()
    assert any("12,359 s" in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_a_damaged_annex(summary: Run, tmp_path: Path) -> None:
    """A log whose call sites cannot be read is reported without them, and is called incomplete."""
    log = made(tmp_path, *SITES)
    content = bytearray(log.read_bytes())
    content[-80] ^= 0xFF  # the annex is the end of a log, and has a checksum
    log.write_bytes(content)
    done = summary("--text", log)
    assert done.returncode == INCOMPLETE and "where in the code" not in done.stdout
    assert "Caution: The annex of this log is damaged" in done.stdout


def test_names_of_equal_files(summary: Run, tmp_path: Path) -> None:
    """Files with the same name are shown with as many folders as are needed to distinguish them."""
    log = made(
        tmp_path,
        site("read;/home/me/one/io.py:1:first", READS=1, F_READ_TIME=2.0),
        site("read;/home/me/two/io.py:1:second", READS=1, F_READ_TIME=1.0),
    )
    text = summary("--text", log).stdout
    assert "one/io.py:1" in text and "two/io.py:1" in text and "me/one" not in text
