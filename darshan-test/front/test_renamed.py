"""In tables of files, a file that was written under a temporary name and then renamed has one row,
with its final name and the sums over its names."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from lab.log import read_rows

from .conftest import Run
from .screen import fits

# Renames a file twice after writing it and then reads it; moves a version aside; renames a file
# that was read; and renames 40 files that were written under random names.
PROGRAM = """
import os
def write(name, size):
    with open(name, "wb", buffering=0) as file:
        file.write(bytes(size))
        if size != 100:  # so that it is among the slowest
            os.fsync(file.fileno())
with open("result.json.tmp", "wb", buffering=0) as file:
    for _ in range(1000):
        file.write(b"x")
        os.lseek(file.fileno(), 0, os.SEEK_CUR)
    os.fsync(file.fileno())
os.rename("result.json.tmp", "result.json.new")
os.rename("result.json.new", "result.json")
with open("result.json", "rb", buffering=0) as file:
    file.read(300)
write("state", 70)
os.rename("state", "state.bak")
write("draft", 50)
open("draft", "rb", buffering=0).read(20)
os.rename("draft", "final")
os.mkdir("chunks")
for i in range(40):
    write(f"chunks/{i}.{i * 7919 % 1000}.partial", 100)
    os.rename(f"chunks/{i}.{i * 7919 % 1000}.partial", f"chunks/{i}")
"""
# Parts of the temporary names.
TEMPORARY = re.compile(r"partial|json\.(tmp|new)")


@pytest.fixture
def log(darshan: Run, work: Path) -> Path:
    """Returns the path of the log of the program."""
    done = darshan("run", sys.executable, "-S", "-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    (log,) = (work / "darshan-logs").iterdir()
    return log


def counted(build: Path, log: Path, counter: str) -> dict[str, int]:
    """Returns the values of a counter by the last component of the records' file names."""
    rows = read_rows(build / "darshan-parser", log)
    return {row.name.rpartition("/")[2]: int(row.text) for row in rows if row.counter == counter}


def test_stat(darshan: Run, build: Path, log: Path) -> None:
    """The screen's table of files has the renamed file under its final name, with reads and writes
    under all its names. The log's records keep the temporary names."""
    screen = darshan("stat", "-r", log).stderr.decode()
    fits(screen)
    table = screen.partition("files by time in I/O")[2]
    assert re.search(r"result\.json(?: \(was \S+\))? +300 B +1000 B +1001 ", table), screen
    assert not TEMPORARY.search(re.sub(r"\(was \S+\)", "", table)), table
    assert counted(build, log, "POSIX_BYTES_WRITTEN")["result.json.tmp"] == 1000


def test_stat_has_the_temporary_name(darshan: Run) -> None:
    """If there is room, the row of a renamed file has the temporary name behind the final one."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        script = f"open('{folder}/a.tmp', 'w').write('1'); import os\n"
        script += f"os.rename('{folder}/a.tmp', '{folder}/a')"
        done = darshan("stat", sys.executable, "-S", "-c", script)
    row = rf"^{re.escape(folder)}/a \(was a\.tmp\) +0 B +1 B"
    assert re.search(row, done.stderr.decode(), re.M), done.stderr


def report(build: Path, log: Path, *options: str) -> bytes:
    """Returns the report on a log as bytes. options: of darshan-job-summary."""
    command = [build / "darshan-job-summary", *options, "-o", "-", log]
    return subprocess.run(command, capture_output=True, check=True).stdout


def test_json(build: Path, log: Path) -> None:
    """In the JSON's tables, a renamed file has one row with the bytes under all its names, and
    the field "was" has the temporary name. A file that was read under its first name keeps its
    own row."""
    layers = json.loads(report(build, log, "--json"))["layers"]
    (posix,) = [layer for layer in layers if layer["module"] == "POSIX"]
    rows = {Path(f["name"]).name: f for f in posix["slowest_files"]}
    result = rows["result.json"]
    assert (result["bytes_read"], result["bytes_written"]) == (300, 1000)
    assert (result["was"], result["files"]) == ("result.json.tmp", 1)
    assert rows["draft"]["was"] == "" and "state" in rows
    assert not any(TEMPORARY.search(f["name"]) for f in posix["slowest_files"])


def test_page(build: Path, log: Path) -> None:
    """The web page's table of files has one row for the renamed file, with the bytes under all its
    names, and one for 40 similar ones."""
    page = report(build, log, "--html").decode()
    row = r'/result\.json \(was result\.json\.tmp\)","POSIX",1,300,1000,0,'
    assert re.search(row, page), re.findall(r'"[^"]*result[^"]*"[^]]*', page)
    alike = re.search(r'/chunks/\* \(([0-9]+) files\)","POSIX",1,0,([0-9]+),0,', page)
    assert alike and 38 <= int(alike[1]) <= 40 and int(alike[2]) == 100 * int(alike[1])


@pytest.mark.needs("program:pdftotext")
def test_pdf(build: Path, log: Path, tmp_path: Path) -> None:
    """The PDF's tables of files have renamed files only under their final names."""
    pdf = tmp_path / "report.pdf"
    pdf.write_bytes(report(build, log, "--no-latex"))
    command = ["pdftotext", "-layout", pdf, "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    tables = text[text.index("Files with the most time") :]
    assert re.search(r"result\.json .*300.*1,?000", tables), tables
    assert not TEMPORARY.search(re.sub(r"\(was \S+\)", "", tables)), tables
