"""The web page shows source code only with --sources, and only of files that may be shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .conftest import Run
from .diagnose.build import Job, row, write
from .test_page import page_of

SOURCE = "".join(f"line_{n} = '<b>&\x1b'\n" for n in range(1, 101))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Makes a log with call sites in a source file, in a file that is not source code, in one that
    changed after the run, in one that was removed, and in a named pipe. Returns the log's path."""
    names = ("good.py", "id_rsa", "changed.py", "gone.py")
    for name in names[:3]:
        (tmp_path / name).write_text(SOURCE)
        os.utime(tmp_path / name, (1, 2_000_000_000 if name == "changed.py" else 1))
    os.mkfifo(tmp_path / "pipe.py")
    os.utime(tmp_path / "pipe.py", (1, 1))
    rows = [
        row("SITES", f"read;{tmp_path / name}:50:f{n}", READS=9, BYTES_READ=90, F_READ_TIME=9.0 - n)
        for n, name in enumerate((*names, "pipe.py"))
    ]
    made = row("POSIX", "/data/a", OPENS=1, READS=9, BYTES_READ=90, F_READ_TIME=9.0)
    return write(Job((made, *rows)), tmp_path / "a.darshan")


def test_sources(log: Path, summary: Run, tmp_path: Path) -> None:
    """With --sources, the page shows the lines around each line with I/O, and says of other source
    files why they are not shown: not source code, changed after the run, removed, or not a regular
    file."""
    done = summary("--html", "--sources", log)
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "a.html").read_text("utf-8")
    assert page_of(text).handlers == []
    shown = [n for n in range(1, 101) if f"line_{n} = &#x27;&lt;b&gt;&amp;\\x1b&#x27;" in text]
    assert shown == list(range(46, 55))
    at = text.index('<tr class="with-io">')
    assert "9.00 s" in text[at : at + 200] and ">50</th>" in text[at : at + 400]
    for name, why in (
        ("id_rsa", "is not named as a source file"),
        ("changed.py", "was changed after the run began"),
        ("gone.py", "No such file or directory"),
        ("pipe.py", "is not a regular file"),
    ):
        assert f"{tmp_path / name} is left out: {why}" in text, name


def test_not_unless_asked(log: Path, summary: Run, tmp_path: Path) -> None:
    """Without the option a page has no source code, and other output forms refuse the option."""
    assert summary("--html", log).returncode == 0
    assert "line_50" not in (tmp_path / "a.html").read_text("utf-8")
    for options in (("--pdf",), ("--text",), ("--html", "--campaign")):
        assert summary("--sources", *options, log).returncode == 2
