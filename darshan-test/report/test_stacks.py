"""The report's icicle graph has the sums of all stacks of I/O calls, as a picture without scripts,
and as a graph that a reader can enlarge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from darshan_report.call_sites.lines import lines_of
from darshan_report.call_sites.tree import Frame, flat, tree
from darshan_report.log import open_log
from place import needs

from .browser import KEYS, Browser, browser
from .conftest import Run
from .diagnose.build import Job, Row, number_of, row, write
from .test_browser import CUT, OVER, is_ready
from .test_page import page_of

DATA, OTHER = "/data/a", "/data/<b>&\"'"
TRAIN = "/home/me/train.py"
ENTER, ESCAPE, HOME = "\ue007", "\ue00c", "\ue011"
FRAMES = "return [...document.querySelectorAll('#r0-stacks .frame{}')].map((f) => f.textContent);"
DETAIL = "return document.querySelector('#r0-stacks .detail').textContent;"
FOCUSED = "return document.activeElement.textContent;"


def site(name: str, *files: str, **values: float) -> Row:
    """Returns the record of a call site that used each of the files with one call. values: its
    counters."""
    for place, file in enumerate(files, 1):
        values |= {f"FILE{place}_BY_CALLS": number_of(file), f"FILE{place}_CALLS": 1}
    bits = (1 << len(files)) - 1
    return row("SITES", name, F_START_TIMESTAMP=1.0, F_END_TIMESTAMP=2.0, FILE_BITS=bits, **values)


SITES = (
    site(f"read;/usr/lib/python3/dist-packages/numpy/lib/npyio.py:405:load;{TRAIN}:31:load;"
         f"{TRAIN}:50:<module>", DATA, READS=3000, BYTES_READ=1500, F_READ_TIME=2.0),
    site(f"write;/home/me/<img src=x onerror=alert(1)>.py:8:a&b\"'\x1b;{TRAIN}:51:<module>", OTHER,
         WRITES=5, BYTES_WRITTEN=4500, F_WRITE_TIME=1.0),
    *(site(f"open;{TRAIN}:{n}:f", OTHER, OPENS=1, F_OPEN_TIME=1e-4) for n in range(100, 120)),
)  # fmt: skip


def made(folder: Path) -> Path:
    """Writes a log with the call sites SITES and two files, one of which has a name with markup;
    returns the log's path."""
    one = row("POSIX", DATA, OPENS=1, READS=3000, BYTES_READ=1500, F_READ_TIME=2.0,
              SIZE_READ_0_100=3000)  # fmt: skip
    other = row("POSIX", OTHER, OPENS=20, WRITES=5, BYTES_WRITTEN=4500, F_WRITE_TIME=1.0)
    return write(Job((one, other, *SITES)), folder / "a.darshan")


def children(frame: Frame) -> dict[str, Frame]:
    """Returns the frames that a frame called, by name and line."""
    return {f"{child.name}:{child.line}": child for child in frame.children}


def test_tree(tmp_path: Path) -> None:
    """The tree of frames has the sums of all call sites; its root calls the outermost frames.
    Frames with less than 0.2 % of time, calls and bytes are combined into one."""
    with open_log(made(tmp_path)) as log:
        found = lines_of(log, 10)
    assert found
    root = tree(found)
    assert (root.seconds, root.calls, root.moved) == (pytest.approx(3.002), 3025, 6000)
    top = children(root)
    assert list(top) == ["<module>:50", "<module>:51", "others (20):0"]
    others = top["others (20):0"]
    assert (others.calls, others.kind) == (20, "others") and not others.children
    assert others.files.calls[number_of(OTHER)] == 20
    load = children(children(top["<module>:50"])["load:31"])["load:405"]
    assert (load.kind, load.seconds, load.children[0].kind) == ("library", 2.0, "called")
    assert (load.children[0].first, load.children[0].last) == (1.0, 2.0)
    for frame, _ in flat(root):
        if frame.children:
            assert frame.calls == sum(child.calls for child in frame.children)


def test_programs(tmp_path: Path) -> None:
    """If several programs ran, each program is a frame below the root; the start code of the C
    library is left out."""
    start = "libc.so+27305;aaaaaaaa+11;?"
    rows = (
        site(f"read;aaaaaaaa+50;libc.so+2724a;{start}", READS=2, F_READ_TIME=2.0),
        site(f"write;{TRAIN}:8:save", WRITES=1, F_WRITE_TIME=1.0),
        row("SITES", f"object aaaaaaaa {'a' * 40} /usr/bin/tool", KIND=1),
        row("SITES", f"object libc.so {'b' * 40} /lib/libc.so.6", KIND=1),
    )
    with open_log(write(Job(rows), tmp_path / "a.darshan")) as log:
        found = lines_of(log, 10)
    assert found
    tool, script = tree(found).children
    assert (tool.name, tool.file, tool.kind) == ("tool", "/usr/bin/tool", "library")
    assert list(children(tool)) == ["tool+50:0"]
    assert (script.name, script.kind, list(children(script))) == ("train.py", "own", ["save:8"])
    # Python's own modules are not programs, so that a script has no frame of its own.
    thread = site("read;/usr/lib/python3.11/threading.py:1038:f", READS=1, F_READ_TIME=1.0)
    with open_log(write(Job((rows[1], thread)), tmp_path / "a.darshan")) as log:
        found = lines_of(log, 10)
    assert found and sorted(children(tree(found))) == ["f:1038", "save:8"]


def test_many_frames(tmp_path: Path) -> None:
    """A log with 60,000 stack frames of equal size makes a tree of at most about 2,000 frames whose
    sums are exact."""
    deep = ";".join(f"/home/me/deep.py:{n}:f" for n in range(150))
    rows = [site(f"read;{deep};/home/me/a.py:{n}:g", READS=1, F_READ_TIME=1.0) for n in range(400)]
    with open_log(write(Job(tuple(rows)), tmp_path / "a.darshan")) as log:
        found = lines_of(log, 10)
    assert found
    root = tree(found)
    assert len(flat(root)) <= 2001 and root.calls == 400
    assert sum(child.calls for child in root.children) == 400


def test_picture(summary: Run, tmp_path: Path) -> None:
    """Without scripts the page shows a picture with the names as plain text, and no name in the
    data can end an HTML element."""
    assert summary("--html", made(tmp_path)).returncode == 0
    text = (tmp_path / "a.html").read_text("utf-8")
    page = page_of(text)
    assert page.handlers == [] and "<img" not in text and "\x1b" not in text
    titles = re.findall(r"<title>([^<]*)</title>", text)
    assert "load train.py:31: 2.00 s (66.6 %), 3,000 calls, 1.46 KiB" in titles
    odd = "a&amp;b&quot;&#x27;\\x1b &lt;img src=x onerror=alert(1)&gt;.py:8: "
    assert any(title.startswith(odd) for title in titles)
    (content,) = page.inside["scriptapplication/json"]
    stacks = json.loads(content)["runs"][0]["stacks"]
    assert "<" not in content and len(stacks["frames"]) == 9
    assert [name for name, _ in stacks["files"]] == [DATA, OTHER]


def test_without_names(summary: Run, tmp_path: Path) -> None:
    """A log without call sites, or with anonymized ones, has no graph."""
    hidden = row("SITES", "0123456789abcdef", READS=1, F_READ_TIME=1.0)
    one = row("POSIX", DATA, OPENS=1, READS=1, F_READ_TIME=2.0)
    for rows in ((one,), (one, hidden)):
        write(Job(rows), tmp_path / "a.darshan")
        assert summary("--html", "a.darshan").returncode == 0
        text = (tmp_path / "a.html").read_text("utf-8")
        assert 'id="r0-stacks"' not in text and '"stacks":null' in text


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yields a browser's window."""
    needs("program:chromium", "program:chromedriver")
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.mark.parametrize("width", [1280, 400])
def test_in_a_browser(window: Browser, summary: Run, tmp_path: Path, width: int) -> None:
    """A click or Enter enlarges a frame to the full width; the path above the graph and Escape lead
    back. The reader chooses whether the width means time, calls or bytes. Links lead to the frames
    of a file and of a finding's line."""
    assert summary("--html", made(tmp_path)).returncode == 0
    page = tmp_path / "a.html"
    window.open(page, width)
    is_ready(window)
    assert window.run(OVER) <= 0 and window.run(CUT) == []
    every = window.run(FRAMES.format(""))
    assert len(every) == 8 and every[0] == "all I/O calls"
    widths = "return [...document.querySelectorAll('#r0-stacks .frame')].map((f) => parseFloat(f.style.width)).slice(1, 3);"  # noqa: E501
    assert [round(w) for w in window.run(widths)] == [67, 33]
    choose = ("const s = document.querySelector('#r0-stacks select'); s.value = arguments[0];"
              "s.dispatchEvent(new Event('change'));")  # fmt: skip
    window.run(choose, 7)
    assert [round(w) for w in window.run(widths)] == [25, 75]
    window.run(choose, 5)
    window.click("#r0-stacks [aria-label^='load train.py:31']")
    assert window.run(FRAMES.format(":not(.above)"))[0] == "load train.py:31"
    detail = window.run(DETAIL)
    assert f"{TRAIN}:31" in detail and DATA in detail and "Finding: Many small reads" in detail
    window.click("#r0-stacks .path button")
    assert window.run(FRAMES.format("")) == every
    # By keys: down to the callee, right to the frame beside, and back.
    window.type("#r0-stacks .frame", KEYS["Down"])
    assert window.run(FOCUSED).startswith("<module> train.py:50")
    focused = "#r0-stacks .frame[tabindex='0']"
    window.type(focused, KEYS["Right"])
    assert window.run(FOCUSED).startswith("<module> train.py:51")
    window.type(focused, ENTER)
    assert window.run("return document.activeElement.style.width;") == "100%"
    assert OTHER in window.run(DETAIL)
    window.type(focused, ESCAPE)
    assert window.run(FRAMES.format("")) == every
    # The page of a file leads to its frames.
    window.open(f"{page}#r0-stacks-file-0", width)
    marked = window.run(FRAMES.format(".marked"))
    assert "load train.py:31" in marked and "<module> train.py:51" not in marked
    assert DATA in window.run(DETAIL)
    window.click("#r0-stacks button[title='Remove the marks of frames']")
    assert window.run(FRAMES.format(".marked")) == []
    window.click("#r0-finding-0 .at-line a")
    assert window.until(FRAMES.format(".marked")) == ["load train.py:31"]
    assert window.complaints() == []
