"""`darshan stat PROGRAM` prints a screen about the program's I/O when the program has ended."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lab.log import read_rows

from .conftest import Run
from .screen import fits, layers


def test_program(darshan: Run, work: Path) -> None:
    """For dd, the screen has the exact number of writes, the number of processes and the class of
    sizes."""
    done = darshan("stat", "dd", "if=/bin/sh", "of=copy", "bs=1000", "status=none")
    screen = done.stderr.decode()
    size = (work / "copy").stat().st_size
    assert done.returncode == 0
    assert layers(screen)["POSIX"][:3] == ["1", "0", str(-(-size // 1000))]
    assert re.search(r"^run time [\d.]+ \w+, 1 process, ", screen, re.M)
    assert re.search(r"^bytes per write .* 100-1K", screen, re.M)
    assert str(work / "copy")[-30:] in screen
    assert screen.splitlines()[-1].startswith("darshan: log: /")
    fits(screen)


def test_the_largest_sizes_are_shown(darshan: Run) -> None:
    """If not all classes of sizes fit into the line, those with the fewest calls are left out."""
    program = """
with open("all", "wb", 0) as file:
    for size, calls in ((50, 9), (500, 9), (5000, 9), (50_000, 9), (300_000, 900)):
        for number in range(calls):
            file.seek(0)
            file.write(bytes(size))
"""
    screen = darshan("stat", sys.executable, "-c", program).stderr.decode()
    (line,) = re.findall(r"^bytes per write.*$", screen, re.M)
    assert "100K-1M 9" in line and len(line) <= 80
    fits(screen)


def test_the_answer(darshan: Run, work: Path) -> None:
    """The screen has the costliest finding with its line of code and its remedy, and only that
    remedy. Standard streams that were not used have no row."""
    program = 'open("numbers", "wb", 0).writelines([b"7\\n"] * 300000)'
    done = darshan("stat", sys.executable, "-c", program, variables={"COLUMNS": "80"})
    screen = done.stderr.decode()
    files = screen.partition("files by time in I/O")[2].partition("\n!")[0].splitlines()[1:]
    assert files[0].split()[0].endswith("/work/numbers")
    assert not [line for line in files if line.startswith("<STD")]
    lines = screen.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("! Many small writes: up to"))
    assert lines[at + 1] == "  At <string>:1, in <module>: all such calls on these files."
    assert lines[at + 2].startswith("  remedy: Write more with each call")
    assert "remedy" not in "".join(lines[at + 3 :])
    fits(screen)


def test_renames_alone(build: Path, darshan: Run, work: Path) -> None:
    """For a program that only renames files, the screen does not say that no I/O was recorded, and
    the log has the renames."""
    for number in range(500):
        (work / f"a{number}").touch()
    program = "import os\nfor n in range(500): os.rename(f'a{n}', f'b{n}')"
    screen = darshan("stat", sys.executable, "-c", program).stderr.decode()
    (log,) = (work / "darshan-logs").iterdir()
    assert layers(screen)["POSIX"][2] == "0" and "No I/O was recorded" not in screen
    rows = read_rows(build / "darshan-parser", log, "POSIX_EXT")
    assert sum(row.value for row in rows if row.counter == "POSIX_EXT_RENAMES") == 500


def test_tree_is_added_up(darshan: Run, work: Path) -> None:
    """For a script, the screen has the sums over all its processes, and the script's status is
    passed on."""
    script = "for i in 1 2 3; do dd if=/dev/zero of=f$i bs=100 count=$i status=none; done; exit 4"
    done = darshan("stat", "sh", "-c", script)
    screen = done.stderr.decode()
    (log,) = (work / "darshan-logs").iterdir()
    assert done.returncode == 4
    assert "4 processes" in screen and str(log)[-40:] in screen
    assert layers(screen)["POSIX"][2] == "6"
    fits(screen)


def test_several_logs(darshan: Run, work: Path) -> None:
    """With several -r, the screen has the sums over the logs."""
    for name in ("a", "b"):
        darshan("run", "dd", "if=/bin/sh", f"of={name}", "bs=1M", "status=none")
    logs = sorted((work / "darshan-logs").iterdir())
    done = darshan("stat", "-r", logs[0], "-r", logs[1])
    columns = layers(done.stderr.decode())["POSIX"]
    assert columns[0] == "2"


def test_names_of_strangers(darshan: Run, work: Path) -> None:
    """Control characters and invalid UTF-8 in a file name are escaped on the screen; letters are
    not."""
    name = b"\033[2J\n\xe2\x80\xae\xc2\x9b\xc3\xa9"
    done = darshan("stat", "dd", "if=/bin/sh", b"of=" + name, "status=none")
    assert (work / name.decode("utf-8", "surrogateescape")).exists()
    screen = done.stderr.decode()
    fits(screen)
    assert "\\x1b[2J\\x0a\\xe2\\x80\\xae\\xc2\\x9b\u00e9" in screen


def test_crash_shows_what_there_was(darshan: Run) -> None:
    """For a program that was killed, the screen has the I/O until then and the path of the log, and
    the command ends by the same signal."""
    done = darshan("stat", "sh", "-c", "echo here > file; kill -9 $$")
    screen = done.stderr.decode()
    assert done.returncode == -9
    assert "POSIX" in layers(screen)
    assert "darshan: log: /" in screen


# Operations on names, folders and the whole system, of which most belong to no file's record.
ON_NAMES = """
import os
for i in range(300):
    os.access(f"nothing{i}", os.R_OK)
    os.path.exists(f"nothing{i}")
    os.mkdir(f"folder{i}")
    os.chmod(f"folder{i}", 0o700)
os.listdir(".")
with open("file", "w") as file:
    file.write("x" * 100000)
    file.flush()
    os.fsync(file)
os.sync()
"""
# Seconds of a unit on the screen.
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}


def test_time_is_that_of_the_report(darshan: Run, build: Path, work: Path) -> None:
    """The time in file I/O, and the seconds of reads, writes and metadata of each layer on the
    screen, equal those in the report's JSON, rounded."""
    darshan("run", "-o", "logs", sys.executable, "-c", ON_NAMES)
    (log,) = (work / "logs").iterdir()
    screen = darshan("stat", "-r", log).stderr.decode()
    command = [build / "darshan-job-summary", "--json", "-o", "-", log]
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    kinds = ("read_seconds", "write_seconds", "metadata_seconds")
    told = {layer["module"]: [layer[kind] for kind in kinds] for layer in report["layers"]}
    assert told["POSIX"][1] > 0 < told["POSIX"][2]
    for name, columns in layers(screen).items():
        words = columns[-6:]
        for value, number, unit in zip(told[name], words[::2], words[1::2]):
            assert float(number) * UNITS[unit] == pytest.approx(value, rel=0.006, abs=1e-6), name
    found = re.search(r", ([\d.]+) (\w+) in file I/O", screen)
    assert found
    whole = sum(sum(told[name]) for name in ("POSIX", "STDIO") if name in told)
    assert float(found[1]) * UNITS[found[2]] == pytest.approx(whole, rel=0.006, abs=1e-6)


# Reads the same MiB forty times, and computes for a while.
AGAIN = """
open("input", "wb").write(bytes(1 << 20))
for _ in range(40):
    open("input", "rb").read()
sum(i * i for i in range(8_000_000))
"""


def test_a_report_that_fails_is_said(darshan: Run, tmp_path: Path) -> None:
    """If the Python that computes the findings fails, one line of the screen says why there are
    none, and the program's exit status is unchanged."""
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho warning >&2; echo no module wanted >&2; exit 1\n")
    broken.chmod(0o755)
    command = ("stat", "-o", tmp_path / "logs", "sh", "-c", "echo x > made; exit 7")
    done = darshan(*command, variables={"DARSHAN_PYTHON": str(broken)})
    assert done.returncode == 7
    said = [line for line in done.stderr.decode().splitlines() if "indings" in line]
    assert said == ["darshan: findings are unavailable: no module wanted"]


def test_stat_does_not_call_fine_what_the_report_does_not(darshan: Run, tmp_path: Path) -> None:
    """For a file that is read forty times, the screen and the report have the same finding, and
    neither calls the run fine."""
    done = darshan("stat", "--no-sites", "-o", tmp_path / "logs", sys.executable, "-c", AGAIN)
    assert done.returncode == 0, done.stderr
    (log,) = (tmp_path / "logs").rglob("*.darshan")
    report = json.loads(darshan("report", "--json", "-o", "-", log).stdout)
    titles = [finding["title"] for finding in report["findings"]]
    assert "Your I/O is fine" not in titles
    assert "The same bytes are read again and again" in titles
    (said,) = re.findall(r"^  (\D*)\. File I/O took", done.stderr.decode(), re.M)
    assert said in titles
