"""Numbers in the findings about real programs, compared with those that follow from the programs'
code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab.environment import settings

from .conftest import Run
from .diagnose.build import write
from .diagnose.cases import CASES
from .pages import text_of

# Thresholds that let each finding appear.
LIMITS = "stake.seconds = 0\nstake.share = 0\nstream.latency = 0\noperations = 100\n"

TWO_LAYERS = """
import numpy
for i in range(700):
    with open(f"part{i}.bin", "wb") as f:
        f.write(b"a header" * 8)
        f.flush()
        numpy.zeros(20).tofile(f)
"""
ASKING = """
import os
for i in range(50):
    open(f"part{i}.bin", "wb").close()
for _ in range(40):
    for i in range(50):
        os.stat(f"part{i}.bin")
"""
PHASES = """
import time
with open("data", "wb+", buffering=0) as f:
    for i in range(85):
        f.write(bytes(1 << 20))
        time.sleep(0.02)
    for i in range(85):
        f.seek((i * 37 % 85) << 20)
        f.read(4096)
        time.sleep(0.02)
"""


MODULES = """
import importlib, pathlib, sys
place = pathlib.Path("venv/lib/python3/site-packages")
place.mkdir(parents=True)
for i in range(300):
    (place / f"wanted{i}.py").write_text(f"VALUE = {i}\\n" * 200)
"""
IMPORTS = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
for i in range(300):
    importlib.import_module(f"wanted{i}")
with open("own.txt", "wb") as f:
    f.write(b"result")
"""
ODD = """
import os
room = memoryview(bytearray(4096))
file = os.open("odd", os.O_CREAT | os.O_WRONLY)
for _ in range(3000):
    os.write(file, room[1:1001])
"""
SYNCS = """
import os, sys
for i in range(300):
    if i == 0:
        ways = [getattr(os, name) if name != "0" else 0 for name in sys.argv[1:]]
        files = [os.open("data", os.O_CREAT | os.O_WRONLY | way) for way in ways]
    for file in files:
        os.pwrite(file, b"x" * 100, i * 100)
    os.fdatasync(files[-1])
"""
APPENDS = "for ((i = 0; i < 4000; i++)); do echo line $i >> out.txt; done"
SAVES = """
import sys
for step in range(40):
    with open(sys.argv[1], sys.argv[2], 0) as f:
        f.write(bytes(1 << 20))
"""
# Reads a compressed dataset slice by slice, and opens it again for each slice: at each close HDF5
# drops its cache of chunks. A chunk is larger than the default cache.
DROPPED = """
import h5py, numpy
with h5py.File("field.h5", "w") as file:
    file.create_dataset("x", (10, 512, 512), "f8", chunks=(10, 512, 512), compression=1)
    file["x"][:] = numpy.broadcast_to(numpy.arange(512.0), (10, 512, 512))
with h5py.File("field.h5") as file:
    for i in range(20):
        file["x"][i % 4, i]
"""
# Two lower thresholds; every other threshold has its default.
JUDGED = "io.fine = 0\noperations = 100\n"


def findings(
    build: Path,
    summary: Run,
    folder: Path,
    program: str | list[str],
    config: str = "",
    *,
    limits: str = LIMITS,
) -> dict[str, dict[str, Any]]:
    """Returns the findings about a Python program or a command, by name. config: lines for the
    runtime's configuration file; limits: thresholds of the report."""
    (folder / "config").write_text(config)
    (folder / "limits").write_text(limits)
    log = folder / "log.darshan"
    more = {"DARSHAN_LOGFILE": str(log), "DARSHAN_CONFIG_PATH": str(folder / "config")}
    env = os.environ | settings(build, journals=folder, DARSHAN_JOB_TREE="0", **more)
    work = folder / "work"
    work.mkdir()
    command = [sys.executable, "-c", program] if isinstance(program, str) else program
    subprocess.run(command, cwd=work, env=env, check=True)
    # Libraries that are imported may start a process, whose log is the smaller one.
    log = max(folder.glob("log.darshan*"), key=lambda path: path.stat().st_size)
    done = summary(log, "--json", "-o", "-", "--thresholds", folder / "limits")
    assert done.returncode == (3 if "MAX_RECORDS" in config else 0), done.stderr
    return {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}


def test_a_file_of_two_layers_counts_once(build: Path, summary: Run, tmp_path: Path) -> None:
    """A file that a program writes through a stream and by its descriptor, as numpy.save does,
    counts as one file."""
    found = findings(build, summary, tmp_path, TWO_LAYERS)["many-small-files"]
    said = re.match(r"([\d,]+) files", found["sentence"])
    assert said
    # The number includes the files that Python itself reads.
    assert 700 <= int(said[1].replace(",", "")) < 1000


def test_reading_after_writing_is_no_slowing_down(
    build: Path, summary: Run, tmp_path: Path
) -> None:
    """A program that writes a file and then reads it in small scattered pieces is not reported as
    slowing down, and gets no advice to enlarge a stream's buffer."""
    found = findings(build, summary, tmp_path, PHASES)
    assert "slowing-down" not in found
    assert "setvbuf" not in json.dumps(found.get("small-accesses-read", {}))


def test_files_that_share_a_record_are_files(build: Path, summary: Run, tmp_path: Path) -> None:
    """All 50 files are counted, though 40 of them have a common record."""
    config = "MAX_RECORDS 10 POSIX\n"
    found = findings(build, summary, tmp_path, ASKING, config)
    said = re.search(r"stat calls on ([\d,]+) files", found["metadata"]["sentence"])
    assert said and int(said[1]) >= 50


def test_calls_that_a_buffer_answers_are_no_transfers(
    build: Path, summary: Run, tmp_path: Path
) -> None:
    """sed reads and writes 40,000 lines, which the C library's buffer combines into some hundred
    transfers of 4 KiB; the report counts only these transfers."""
    lines = tmp_path / "lines"
    lines.write_text("some words of a line\n" * 40_000)
    command = ["sed", "-i", "s/words/letters/", str(lines)]
    said = findings(build, summary, tmp_path, command, limits=JUDGED)["fine"]["sentence"]
    transfers = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) transfers", said)]
    other = ("calls of the standard library", "opening, querying and closing files")
    assert transfers or any(words in said for words in other), said  # as the machine is busy
    assert all(number < 2000 for number in transfers), said


def test_a_run_that_loads_its_modules(build: Path, summary: Run, tmp_path: Path) -> None:
    """The report does not advise larger transfers for a run whose small reads are imports of
    modules."""
    subprocess.run([sys.executable, "-c", MODULES], cwd=tmp_path, check=True)
    modules = tmp_path / "venv/lib/python3/site-packages"
    command = [sys.executable, "-B", "-c", IMPORTS, str(modules)]
    said = findings(build, summary, tmp_path, command, limits=JUDGED)["fine"]["sentence"]
    number = re.search(r"loading program files \(([\d,]+) files\); your own files took", said)
    assert number and 300 <= int(number[1].replace(",", "")) < 700, said
    assert "larger" not in said


@pytest.mark.parametrize("ways", [("O_DSYNC",), ("O_SYNC",), ("O_DSYNC", "0")])
def test_writes_that_sync(build: Path, summary: Run, tmp_path: Path, ways: tuple[str, ...]) -> None:
    """The report counts writes to files that were opened with O_SYNC or O_DSYNC as synchronized. If
    a file was opened both with and without O_SYNC, it does not say so of each write. ways: the
    flags of the opens."""
    command = [sys.executable, "-c", SYNCS, *ways]
    said = findings(build, summary, tmp_path, command)["syncs"]["sentence"]
    assert said.startswith("300 calls of fsync and the like and ")
    if len(ways) == 1:
        assert " 300 writes to files opened with O_SYNC or O_DSYNC took " in said
        assert said.endswith(": one for 50 B written.")
    else:
        assert "and some of 600 writes (their files were opened both with O_SYNC" in said
        assert "600 writes to files opened with" not in said and "one for" not in said


def test_a_loop_that_appends(build: Path, summary: Run, tmp_path: Path) -> None:
    """If a shell opens a file once for each line that it appends, the finding has the number of
    opens and mentions no stat calls."""
    limits = f"{LIMITS}io.fine = 0\n"  # the whole run takes 50 ms
    found = findings(build, summary, tmp_path, ["bash", "-c", APPENDS], limits=limits)
    assert "line-buffered" not in found  # each close writes the line, whatever the buffer is
    found = found["opened-again"]
    assert "was opened 4,000 times." in found["sentence"]
    assert "0 times by" not in found["sentence"]
    shown = {row["counter"]: row["value"] for row in found["evidence"]}
    assert shown["POSIX_OPENS"] - shown.get("POSIX_DUPS", 0) == 4000
    assert "done >> out.txt" in found["remedy"]["example"]
    assert "with open" not in found["remedy"]["example"]


def test_python_does_not_choose_where_a_buffer_lies(
    build: Path, summary: Run, tmp_path: Path
) -> None:
    """The report does not advise a Python program to align its buffers."""
    assert "memory-alignment" not in findings(build, summary, tmp_path, ODD)


@pytest.mark.parametrize("mode", ["wb", "r+b"])
def test_a_checkpoint_is_new_each_time(
    build: Path, summary: Run, tmp_path: Path, mode: str
) -> None:
    """A checkpoint that is saved again is reported only by the finding on checkpoints; any other
    file by the findings on repeated opens and writes."""
    generic = {"opened-again", "same-bytes-again-written"}
    for name, expected in (("last.pt", set()), ("last.bin", generic)):
        (tmp_path / name).mkdir()
        kept = tmp_path / name / name
        kept.touch()
        command = [sys.executable, "-c", SAVES, str(kept), mode]
        limits = f"{LIMITS}opens.again = 20\ncheckpoint.share = 0\n"
        found = findings(build, summary, tmp_path / name, command, limits=limits)
        assert generic & set(found) == expected
        assert ("checkpoints-often" in found) == (name == "last.pt")


def test_code_for_a_dropped_cache_runs(build: Path, summary: Run, tmp_path: Path) -> None:
    """The line of code in the remedy for a chunk cache works in the program that needs it."""
    pytest.importorskip("h5py")
    remedy = findings(build, summary, tmp_path, DROPPED)["chunk-cache"]["remedy"]["example"]
    code = remedy.splitlines()[0].split("  #")[0]
    assert "rdcc_nbytes=" in code
    lines = f"import h5py\npath = 'field.h5'\n{code}\nprint(x[1, 3, 5], file.id.get_access_plist()"
    lines += ".get_cache())"
    done = subprocess.run(
        [sys.executable, "-c", lines], cwd=tmp_path / "work", capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    room = int(re.findall(r"rdcc_nbytes=(\d+)", code)[0])
    assert done.stdout.startswith("5.0 ") and f" {room}," in done.stdout


def test_every_first_screen_shows_the_hint(build: Path, summary: Run, tmp_path: Path) -> None:
    """If there is a hint but no problem, `darshan stat`, page 1 of the PDF and the web page show
    it, and the web page does not say that there is nothing to change."""
    (job,) = (having for name, having, _ in CASES if name == "slow-text")
    log, title = write(job, tmp_path / "a.darshan"), "Much of the run passes between the reads"
    stat = [build / "darshan", "stat", "-r", log]
    shown = subprocess.run(stat, capture_output=True, text=True, check=True)
    assert f"? {title}" in shown.stderr, shown
    assert summary("-o", tmp_path / "a.pdf", log).returncode == 0
    first = " ".join(text_of(tmp_path / "a.pdf").split("\f")[0].split())
    assert f"What to change first {title}" in first, first
    assert summary("--html", "-o", tmp_path / "a.html", log).returncode == 0
    page = (tmp_path / "a.html").read_text()
    assert "<h2>Worth a look</h2>" in page and "Nothing to change" not in page
