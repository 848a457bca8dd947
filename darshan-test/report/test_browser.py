"""The web page of a report in a browser: it loads without console messages, works by mouse and keys
(zoom, sort, filter, links), and no text is cut."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from dxt.tracing import Step, run_plan
from logs.encode import encode
from place import needs

from .browser import KEYS, Browser, browser
from .conftest import Run
from .diagnose.build import Job, write
from .diagnose.cases_checkpoints import saved
from .test_formats import problem
from .test_page import SHOWN, hostile_log
from .test_timelines import traced_log

LANES = ".lanes"
# Script: returns the texts that do not fit into their elements, except in scrolling or drawn
# elements.
CUT = """
const cut = [];
for (const node of document.querySelectorAll("main *, nav *")) {
  if (!node.childNodes.length) continue;
  if (node.closest(".scroll, .uplot, .lanes, .icicle, select, pre, .tip")) continue;
  if (!node.checkVisibility() || getComputedStyle(node).display === "inline") continue;
  if (node.scrollWidth > node.clientWidth + 1) {
    cut.push(node.tagName + ": " + node.textContent.slice(0, 60));
  }
}
return cut;
"""
# Scripts: the pixels by which the page is wider than the window; the page's heading; the text of
# the timeline's current window.
OVER = "const d = document.documentElement; return d.scrollWidth - d.clientWidth;"
HEAD = "const h = document.querySelector('#page h1'); return h && h.textContent;"
WINDOW = "return document.querySelector('.lanes ~ .said').textContent;"


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yields a browser's window."""
    needs("program:chromium", "program:chromedriver")
    with browser(tmp_path_factory.mktemp("browser")) as made:
        yield made


@pytest.fixture(scope="module")
def traced(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a page with a timeline of 11 files used by two ranks. Returns the page's path."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "a.darshan").write_bytes(encode(traced_log(11)))
    command = [build / "darshan-job-summary", "--html", "a.darshan"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "a.html"


def is_ready(window: Browser) -> None:
    """Checks that the page's script is ready, without messages on the console."""
    assert window.run("return document.documentElement.dataset.ready") == "yes"
    assert window.complaints() == []


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("dark", [False, True])
def test_layout(window: Browser, traced: Path, width: int, dark: bool) -> None:
    """Wide and narrow, dark and light pages cause no messages on the console, cut no text and have
    legible colours."""
    window.dark(dark)
    window.open(traced, width)
    is_ready(window)
    assert window.run(OVER) <= 0
    assert window.run(CUT) == []
    ink, paper = window.run(
        "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor].map("
        "(c) => c.match(/\\d+/g).slice(0, 3).map(Number));"
    )
    assert (sum(ink) > sum(paper)) is dark and abs(sum(ink) - sum(paper)) > 450
    # The canvas has drawn pixels of several colours.
    drawn = window.run(
        "const c = document.querySelector('.lanes canvas'), x = c.getContext('2d');"
        "const p = x.getImageData(0, 0, c.width, c.height).data; const seen = new Set();"
        "for (let i = 0; i < p.length; i += 4)"
        " if (p[i + 3] === 255) seen.add(p[i] << 16 | p[i + 1] << 8 | p[i + 2]);"
        "return seen.size;"
    )
    assert drawn > 3
    window.dark(False)


def test_timeline(window: Browser, traced: Path) -> None:
    """Dragging, keys and buttons change the interval that the timeline shows; if the mouse is on a
    transfer, its details are shown."""
    window.open(traced)
    whole = window.run(WINDOW)
    assert whole.startswith("0.00 s to 12.50 s")
    window.mouse(f"{LANES} .u-over", [(300, 20), (420, 22), (500, 22)], drag=True)
    closer = window.run(WINDOW)
    assert closer != whole and "single transfers" in closer
    window.type(LANES, "0")
    assert window.run(WINDOW) == whole
    window.click("button[aria-label='Zoom in']")
    assert window.run(WINDOW).startswith("3.125 s to 9.375 s")
    window.type(LANES, KEYS["Right"] + "-" + "-")
    assert window.run(WINDOW) == whole
    window.type(LANES, KEYS["Down"] + "n")
    said = window.run(WINDOW)
    assert "/data/file-" in said and "by rank 1" in said and "at offset" in said, said
    # The selected transfer is in the middle of the visible part.
    box = window.run(
        "const o = document.querySelector('.lanes .u-over');return [o.clientWidth, o.clientHeight];"
    )
    window.mouse(f"{LANES} .u-over", [(5, 5), (box[0] / 2, box[1] * 0.75)])
    tip = window.run(
        "const t = document.querySelector('.tip'); return t.hidden ? '' : t.textContent;"
    )
    assert "/data/file-" in tip and "/s" in tip, tip
    assert window.complaints() == []


def test_by_file(window: Browser, traced: Path) -> None:
    """The timeline has a row for each file if the reader selects this in its list."""
    window.open(traced)
    window.run("const s = document.querySelector('.controls select'); s.value = 1;"
               "s.dispatchEvent(new Event('change'));")  # fmt: skip
    window.type(LANES, KEYS["Down"] * 2)
    assert "Lane 3: /data/file-" in window.run(WINDOW)
    assert window.complaints() == []


def test_by_thread(window: Browser, build: Path, tmp_path: Path) -> None:
    """If a program recorded its threads, each thread has a row with its transfers."""
    plan = [Step("pwrite", "shared", (t * 40 + i) * 8, 8, t) for t in range(4) for i in range(40)]
    more = {"DXT_ENABLE_IO_TRACE": "1", "DARSHAN_DXT_THREADS": "1"}
    log = run_plan(build, tmp_path, plan, "", **more).log
    command = [build / "darshan-job-summary", "--html", log]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    (page,) = tmp_path.glob("*.html")
    window.open(page)
    titles = "return [...document.querySelector('.controls select').options].map((o) => o.text);"
    assert window.run(titles)[-1] == "threads"
    window.run("const s = document.querySelector('.controls select'); s.value = 2;"
               "s.dispatchEvent(new Event('change'));")  # fmt: skip
    made_by: dict[str, set[int]] = {}
    for key in (*(KEYS["Down"] for _ in range(5)), *(KEYS["Up"] for _ in range(5))):
        window.type(LANES, key)
        lane = re.match(r"Lane \d+: ([^.]*)\.", window.run(WINDOW))
        assert lane, window.run(WINDOW)
        for _ in range(3):
            window.type(LANES, "n")
            said = window.run(WINDOW)
            offset = re.search(r"shared.* at offset ([\d,]+)", said)
            if offset:
                made_by.setdefault(lane[1], set()).add(int(offset[1].replace(",", "")) // 320)
    assert all(re.fullmatch(r"thread \d", name) for name in made_by), made_by
    assert sorted(made_by.values(), key=min) == [{0}, {1}, {2}, {3}], made_by
    assert window.complaints() == []


def test_checkpoints_on_the_timeline(window: Browser, build: Path, tmp_path: Path) -> None:
    """Saves of checkpoints are bands across all rows, with a legend; a pointer over a band shows
    the name of the file."""
    job = Job(tuple(saved(f"/ck_{step}.pt", 10.0 + 30 * step) for step in range(3)), seconds=100)
    command = [build / "darshan-job-summary", "--html", write(job, tmp_path / "a.darshan")]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    window.open(tmp_path / "a.html")
    key = "return [...document.querySelectorAll('.controls .key')].map((k) => k.textContent);"
    assert window.run(key)[-1] == "checkpoint"
    note = window.run("return document.querySelector('.lanes ~ .note').textContent;")
    assert note.endswith("Bands across all lanes: 3 saves of checkpoints.")
    width = window.run("return document.querySelector('.lanes .u-over').clientWidth;")
    whole = re.match(r"[\d.]+ s to ([\d.]+) s", window.run(WINDOW))
    assert whole
    end = float(whole[1])
    tip = "const t = document.querySelector('.tip'); return t.hidden ? '' : t.textContent;"
    window.mouse(f"{LANES} .u-over", [(5, 5), (width * 42 / end, 8)])
    assert "checkpoint ck_*.pt: 40.0" in window.run(tip), window.run(tip)
    window.mouse(f"{LANES} .u-over", [(5, 5), (width * 25 / end, 8)])
    assert "checkpoint" not in window.run(tip), window.run(tip)
    assert window.complaints() == []


def test_tables(window: Browser, traced: Path) -> None:
    """A table can be sorted by a column and filtered by a word with keys; the page of a file opens
    and closes."""
    window.open(traced)
    column = (
        "return [...document.querySelectorAll('#r0-files tbody tr')]"
        ".map((row) => row.cells[0].textContent);"
    )
    names = window.run(column)
    assert len(names) > 5
    window.type("#r0-files thead button", "\ue007")
    assert window.run(column) == sorted(names, key=str.lower)
    window.type("#r0-files thead button", " ")
    assert window.run(column) == sorted(names, key=str.lower, reverse=True)
    window.type("#r0-files input", "file-3")
    assert set(window.run(column)) == {n for n in names if "file-3" in n}
    window.click("#r0-files tbody a")
    assert window.until(HEAD) in names
    assert not window.run("return document.querySelector('.run').checkVisibility()")
    window.click("#page a")
    assert window.until("return document.querySelector('.run').checkVisibility()")
    assert window.complaints() == []


def test_evidence(window: Browser, summary: Run, tmp_path: Path) -> None:
    """A link leads from a finding to its file, and another one from the file back to the
    finding."""
    problem(tmp_path / "a.darshan", "small-accesses-read")
    assert summary("--html", "a.darshan").returncode == 0
    window.open(tmp_path / "a.html")
    is_ready(window)
    assert (
        window.run("return document.querySelector('.change a').textContent") == "Many small reads"
    )
    window.open(f"{tmp_path / 'a.html'}#r0-file-0")
    window.click("#page p.strong a")
    window.until("return document.querySelector('.run').checkVisibility()")
    shown = window.run("return document.querySelector(location.hash).textContent")
    assert "Many small reads" in shown and "POSIX_READS" in shown
    assert window.complaints() == []


def test_hostile(window: Browser, summary: Run, tmp_path: Path) -> None:
    """Names with markup are shown as text on every page."""
    hostile_log(tmp_path / "a.darshan")
    assert summary("--html", "a.darshan").returncode == 0
    window.open(tmp_path / "a.html", 400)
    is_ready(window)
    assert window.run(OVER) <= 0
    assert SHOWN in window.run("return document.querySelector('#r0-files').textContent")
    window.open(f"{tmp_path / 'a.html'}#r0-file-0", 400)
    assert window.until(HEAD) == SHOWN
    assert window.run(OVER) <= 0 and window.run(CUT) == []
    assert window.complaints() == []


def test_campaign(window: Browser, summary: Run, tmp_path: Path) -> None:
    """The page about many logs has a table of all jobs with links to the page of each job, also if
    names of logs have spaces, quotes or percent signs."""
    (tmp_path / "logs" / "b").mkdir(parents=True)
    for name in ("a #1 'x' %41.darshan", "b/a #1 'x' %41.darshan"):
        problem(tmp_path / "logs" / name, "small-accesses-read")
    done = summary("--campaign", "--html", "logs")
    assert (done.returncode, done.stdout, done.stderr) == (0, "darshan-campaign.html\n", "")
    window.open(tmp_path / "darshan-campaign.html", 400)
    is_ready(window)
    assert window.run(OVER) <= 0 and window.run(CUT) == []
    links = window.run("return [...document.querySelectorAll('#jobs a')].map((a) => a.href);")
    assert len(set(links)) == 2
    for link in links:
        window.open(link[len("file://") :])
        is_ready(window)
        assert "Many small reads" in window.run("return document.body.textContent")


def test_compare(window: Browser, summary: Run, tmp_path: Path) -> None:
    """The comparison has diagrams; clicks open a run's full report and one of its files, and lead
    back."""
    for seed in (1, 2):
        (tmp_path / f"{seed}.darshan").write_bytes(encode(traced_log(3 * seed, seed)))
    assert summary("--compare", "--html", "1.darshan", "2.darshan").returncode == 0
    window.open(tmp_path / "darshan-compare.html", 400)
    is_ready(window)
    assert window.run(OVER) <= 0 and window.run(CUT) == []
    assert window.run("return document.querySelectorAll('[id^=compared] canvas').length") > 1
    window.click(".whole summary")
    window.click("#r0-files tbody a")
    assert "/file-" in window.until(HEAD)
    window.click("#page a")
    assert window.until("return document.querySelector('#r0-files').checkVisibility()")
    assert window.complaints() == []
