"""The web page that --html makes: it loads nothing and runs only its own scripts, and names in it
are escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from darshan_report import units
from darshan_report.lake.serve.blocks import KIND
from darshan_report.report.html import shell
from logs.catalogue import SMALL
from logs.content import standard_log
from logs.encode import encode
from logs.model import Log
from tree import SOURCE

from .conftest import Run

PAGE = SOURCE / "util" / "python" / "darshan_report" / "report" / "html"
# A file name with markup and control characters, and the same name as the report shows it.
HOSTILE = b"/a/</script><script>alert(1)</script>&\"'\x1b[31m\xff\n\xe2\x80\xae.h5"
SHOWN = "/a/</script><script>alert(1)</script>&\"'\\x1b[31m\\xff\\x0a\\u202e.h5"
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """The elements of a page: ids, link targets, tags, attributes that a strict page must not have
    (onclick and the like, style), and the text of scripts and styles. Raises AssertionError if
    elements do not nest correctly."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if found.get("id"):
            self.ids.append(found["id"] or "")
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        self.links += [v or "" for k, v in attrs if k in ("href", "src")]
        self.handlers += [k for k, _ in attrs if k.startswith("on") or k == "style"]
        if tag in self.inside:
            kind = found.get("type") or ""
            self.inside.setdefault(f"{tag}{kind}", []).append("")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.inside:
            kind = self.open[-1]
            last = "scriptapplication/json" if kind == "script" and not self.inside[kind] else kind
            self.inside[last][-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def page_of(text: str) -> Page:
    """Returns a parsed page, all elements of which must be closed."""
    page = Page()
    page.feed(text)
    assert page.open == []
    return page


def hash_of(text: str) -> str:
    """Returns the hash of a script or style, as in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def hostile_log(path: Path) -> Path:
    """Writes a log with names that contain markup; returns its path."""
    made: Log = standard_log(SMALL)
    made.names = [(number, HOSTILE) for number, _ in made.names or []]
    path.write_bytes(encode(made))
    return path


def strings(value: Any) -> list[str]:
    """Returns all texts in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return [text for part in value for text in strings(part)] if isinstance(value, list) else []


def test_one_file(summary: Run, tmp_path: Path) -> None:
    """The page loads nothing, runs only scripts whose hashes are in its policy, and the target of
    every link exists."""
    done = summary("--html", hostile_log(tmp_path / "a.darshan"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "a.html\n", "")
    text = (tmp_path / "a.html").read_text("utf-8")
    page = page_of(text)
    assert all(link.startswith("#") for link in page.links), page.links
    made_by_script = re.compile(r"r0-(file|dataset)-\d+$")
    assert {x[1:] for x in page.links if not made_by_script.search(x)} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert page.handlers == []
    for tag in ("h1", "h2", "nav", "main", "title"):
        assert tag in page.tags
    assert '<html lang="en">' in text
    scripts, styles = page.inside["script"], page.inside["style"]
    assert page.policy.startswith("default-src 'none'; ")
    assert f"script-src {' '.join(map(hash_of, scripts))};" in page.policy
    assert f"style-src {hash_of(styles[0])};" in page.policy and len(styles) == 1


def test_hostile_names(summary: Run, tmp_path: Path) -> None:
    """A name with markup is shown as text, in HTML and in the data."""
    assert summary("--html", hostile_log(tmp_path / "a.darshan")).returncode == 0
    text = (tmp_path / "a.html").read_text("utf-8")
    assert "<script>alert" not in text and "\x1b" not in text and "\u202e" not in text
    page = page_of(text)
    (content,) = page.inside["scriptapplication/json"]
    assert "<" not in content
    assert SHOWN in strings(json.loads(content))


def test_third_party() -> None:
    """The bundled uPlot files have the SHA-256 sums that README.md names, and the page's own script
    contains no licence text."""
    page = (PAGE / "third_party" / "README.md").read_text("utf-8")
    for name in ("uPlot.js", "uPlot.css"):
        digest = hashlib.sha256((PAGE / "third_party" / name).read_bytes()).hexdigest()
        assert f"| `{name}` |" in page and digest in page
    assert "\nThe MIT License" not in shell.script()


def test_all_assets_are_used() -> None:
    """Every asset is part of the page of a report or of the page about many jobs."""
    there = {path.name for path in (PAGE / "assets").iterdir()}
    used = [name for kind in (shell.REPORT, KIND) for name in (*kind.scripts, *kind.styles)]
    assert there == set(used)


@pytest.mark.needs("program:node")
def test_units(tmp_path: Path) -> None:
    """The page's scripts write numbers with units exactly like the report's Python."""
    rng = random.Random(7)
    values = [0, 1, 6e-7, 0.999499, 1023, 1024, 1023.95 * 1024, 99.95, 1e15]
    values += [10 ** rng.uniform(-8, 12) for _ in range(300)]
    script = tmp_path / "units.js"
    script.write_text(
        (PAGE / "assets" / "units.js").read_text("utf-8")
        + f"const values = {json.dumps(values)};"
        + "const all = (v) => [amount(Math.round(v)), seconds(v), timeSpent(v), share(v, 1e6)];"
        + "console.log(JSON.stringify(values.map(all)));"
    )
    done = subprocess.run(["node", script], capture_output=True, text=True, check=True)
    want = [
        [units.amount(int(v + 0.5)), units.seconds(v), units.time_spent(v), units.share(v, 1e6)]
        for v in values
    ]
    assert json.loads(done.stdout) == want


@pytest.mark.needs("program:node")
def test_script_is_sound(tmp_path: Path) -> None:
    """All scripts together are valid JavaScript."""
    script = tmp_path / "page.js"
    script.write_text(shell.script())
    subprocess.run(["node", "--check", script], check=True, timeout=60)
