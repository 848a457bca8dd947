"""Printed tables and texts stay within the page, and reports of the largest logs need few pages and
little memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from logs.content import standard_log
from logs.encode import encode
from tree import SOURCE

from .conftest import SECONDS, Run
from .diagnose.build import write
from .diagnose.cases import CASES
from .test_command import embedded

# Limits of a report: pages, and KiB of memory.
MOST_PAGES, MOST_KIB = 12, 250 * 1024
POINTS_PER_MM = 72 / 25.4
# The right margin, in points from the left edge of the page.
RIGHT = 195 * POINTS_PER_MM
BENCH = SOURCE / "darshan-test" / "bench"


@dataclass(frozen=True)
class Word:
    """A word and its position in points."""

    text: str
    left: float
    right: float
    line: int  # its lower edge, in whole points from the top
    page: int  # from 0


def words(pdf: Path) -> Iterator[Word]:
    """Yields all words of a PDF, page by page."""
    command = ["pdftotext", "-bbox", pdf, "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    space = "{http://www.w3.org/1999/xhtml}"
    for number, page in enumerate(ElementTree.fromstring(done.stdout).iter(f"{space}page")):
        for word in page.iter(f"{space}word"):
            left, right, low = (float(word.attrib[k]) for k in ("xMin", "xMax", "yMax"))
            yield Word(word.text or "", left, right, round(low), number)


def pages(pdf: Path) -> int:
    """Returns the number of pages."""
    done = subprocess.run(["pdfinfo", pdf], capture_output=True, text=True, check=True)
    return int(next(line.split()[1] for line in done.stdout.splitlines() if "Pages:" in line))


def test_long_table(summary: Run, tmp_path: Path) -> None:
    """If a table continues on a second page, its head is repeated there, and head and rows have the
    same columns."""
    path = tmp_path / "many.darshan"
    # The table of the fifteen files with the most time has a head on each of its pages. The text
    # above it decides whether it spans two, so several logs are tried.
    for files in range(21, 80, 2):
        path.write_bytes(encode(standard_log({"POSIX": 4}, files=files)))
        assert summary(path, "-o", "out.pdf").returncode == 0
        found = list(words(tmp_path / "out.pdf"))
        titles = [w for w in found if w.text == "Name"]
        if len(titles) > 1:
            break
    assert len(titles) == 2, "no table of these logs spans two pages"
    names = [w for w in found if ".dat" in w.text and at(w) > at(titles[0])]
    assert len(names) == 15
    for name in names:
        title = max((t for t in titles if at(t) < at(name)), key=at)
        assert title.page == name.page and abs(name.left - title.left) < 1
        head = next(w for w in found if w.text == "Processes" and at(w) == at(title))
        # Words of other fonts are a little higher; lines are nine points apart.
        line = (w for w in found if w.page == name.page and abs(w.line - name.line) <= 3)
        row = sorted(line, key=lambda w: w.left)
        assert abs(row[1].right - head.right) < 1, row


def at(word: Word) -> tuple[int, int]:
    """Returns the page of a word and its height on the page."""
    return word.page, word.line


def test_margin(summary: Run, tmp_path: Path) -> None:
    """No word of a report, a comparison or a report of many jobs is in the margin."""
    for name, having, _ in CASES[::3]:
        write(having, tmp_path / f"{name}-{'x' * 60}.darshan")
    logs = sorted(tmp_path.glob("*.darshan"))
    runs = {"report": logs, "compare": ["--compare", *logs[:2]], "campaign": ["--campaign", *logs]}
    for name, arguments in runs.items():
        done = summary(*arguments, "-o", f"{name}.pdf")
        assert done.returncode in (0, 3), done.stderr  # 3: one of the logs is incomplete
        beyond = [w for w in words(tmp_path / f"{name}.pdf") if w.right > RIGHT + 1]
        assert beyond == [], name


# Until exec, a child still has its parent's memory, and the kernel counts it; therefore a small
# process starts the command.
_MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_maxrss)
sys.exit(process.returncode)
"""


def memory(*command: str | Path) -> int:
    """Returns the most memory, in KiB, that a single process of a command used."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", _MEASURE, *command],
        stdout=subprocess.PIPE, text=True, check=True, timeout=SECONDS,
    )  # fmt: skip
    return int(done.stdout)


@pytest.mark.parametrize(
    "maker",
    [["make_large_log.py"], ["make_wide_log.py"], ["make_wide_log.py", "--tree", "--ranks=4096"]],
    ids=["files", "ranks", "programs"],
)
def test_largest(maker: list[str], build: Path, tmp_path: Path) -> None:
    """The reports of 100,000 files, of 10,000 ranks with a heat map each, and of 4,096 programs
    need at most twelve pages and 250 MiB."""
    log, pdf = tmp_path / "large.darshan", tmp_path / "large.pdf"
    command = [sys.executable, BENCH / maker[0], *maker[1:], log]
    subprocess.run(command, check=True, timeout=SECONDS)
    assert memory(build / "darshan-job-summary", log, "-o", pdf) <= MOST_KIB
    assert pages(pdf) <= MOST_PAGES
    embedded(pdf)


def test_campaign_forgets(build: Path, tmp_path: Path) -> None:
    """A report of twenty logs of 5,000 files needs little more memory than one of two, because each
    log is freed before the next is read."""
    log = tmp_path / "log"
    maker = [sys.executable, BENCH / "make_large_log.py", "--files", "5000", log]
    subprocess.run(maker, check=True, timeout=SECONDS)
    needed = []
    for number in (2, 20):
        folder = tmp_path / str(number)
        folder.mkdir()
        for copy in range(number):
            (folder / f"{copy}.darshan").symlink_to(log)
        needed.append(memory(build / "darshan-job-summary", "--text", "--campaign", folder))
    assert needed[1] < needed[0] + 10 * 1024, needed
