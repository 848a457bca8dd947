"""A finding has a link to the description of its diagnosis, in each form of the report.
DARSHAN_DOC_URL is the address of the documentation."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose.run import diagnose
from place import needs

from .browser import browser
from .conftest import Run
from .diagnose.build import write
from .diagnose.cases import CASES

NAME = "small-accesses-read"
SITE = "https://docs.example/darshan"
PAGE = "doc/diagnoses.html#diagnosis-"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Writes a log with a problem; returns its path."""
    having = next(having for case, having, _ in CASES if case == NAME)
    return write(having, tmp_path / "a.darshan")


@pytest.mark.parametrize(
    "named, address",
    [
        ("", ""),
        (SITE, f"{SITE}/"),
        (f"{SITE}/", f"{SITE}/"),
        ("file:///usr/doc", "file:///usr/doc/"),
        ("/usr/a doc", "file:///usr/a%20doc/"),
        ('https://x.example/"><script>(', "https://x.example/%22%3E%3Cscript%3E%28/"),
    ],
)
def test_address(named: str, address: str, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters that could end an attribute or a string of a PDF are escaped in the address.
    named: DARSHAN_DOC_URL; address: what precedes the path of the page in the link."""
    monkeypatch.setenv("DARSHAN_DOC_URL", named)
    with open_log(log) as opened:
        found = diagnose(opened)
        assert {f.reference for f in found} == {f"{address}{PAGE}{f.name}" for f in found}
        shown = found[0]._repr_html_()
    assert (f'<a href="{address}{PAGE}{NAME}"' in shown) == bool(address)


@pytest.mark.parametrize("named", ["javascript:alert(1)", "docs", "https:", "http://[x", "//"])
def test_no_address(named: str, log: Path, summary: Run) -> None:
    """An invalid DARSHAN_DOC_URL causes a warning of one line, and the report has no links."""
    done = summary("--json", "-o", "-", log, environment={"DARSHAN_DOC_URL": named})
    assert done.returncode == 0
    if named != "//":  # the root of the file system
        assert re.fullmatch(r"darshan-job-summary: DARSHAN_DOC_URL is neither .*\n", done.stderr)
        assert json.loads(done.stdout)["findings"][0]["reference"] == f"{PAGE}{NAME}"


def test_text(log: Path, summary: Run) -> None:
    """The report as text has the address of a diagnosis only with -v."""
    environment = {"DARSHAN_DOC_URL": SITE}
    assert SITE not in summary("--text", log, environment=environment).stdout
    shown = summary("--text", "-v", log, environment=environment).stdout
    assert f"\n  see: {SITE}/{PAGE}{NAME}\n" in shown


@pytest.mark.parametrize("way", ["", "--no-latex"])
def test_pdf(way: str, log: Path, summary: Run, tmp_path: Path) -> None:
    """A finding in a PDF, made with or without LaTeX, links to its description. way: the option."""
    needs("program:pdftohtml")
    done = summary(*([way] if way else []), log, environment={"DARSHAN_DOC_URL": f"{SITE}/a_b~%"})
    assert (done.returncode, done.stderr) == (0, "")
    found = subprocess.run(
        ["pdftohtml", "-i", "-stdout", "-noframes", tmp_path / "a.pdf"],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    assert f'href="{SITE}/a_b~%/{PAGE}{NAME}"' in found.stdout


def test_page_leads_there(log: Path, summary: Run, tmp_path: Path) -> None:
    """On the web page, a click opens the description of a diagnosis, or of a counter, in a local
    file."""
    needs("program:chromium", "program:chromedriver")
    site = tmp_path / "a site"
    (site / "doc").mkdir(parents=True)
    for page in ("diagnoses", "counters"):
        (site / "doc" / f"{page}.html").write_text(f"<title>{page}</title>")
    assert summary("--html", log, environment={"DARSHAN_DOC_URL": str(site)}).returncode == 0
    text = (tmp_path / "a.html").read_text("utf-8")
    assert '/doc/counters.html#posix_size_read_0_100"' in text
    with browser(tmp_path) as window:
        window.open(tmp_path / "a.html")
        window.run("document.querySelectorAll('details').forEach((d) => { d.open = true; });")
        window.click(f'a[href$="#diagnosis-{NAME}"]')
        window.other_tab()
        assert window.until("return document.title;") == "diagnoses"
        assert window.run("return location.hash;") == f"#diagnosis-{NAME}"
        assert window.run("return window.opener;") is None
        assert window.complaints() == []


def test_page_without_a_site(log: Path, summary: Run, tmp_path: Path) -> None:
    """Without a site for the documentation, the page has the names of diagnoses, and no links
    without a target."""
    assert summary("--html", log).returncode == 0
    text = (tmp_path / "a.html").read_text("utf-8")
    assert f"Diagnosis: {NAME}" in text
    assert "diagnoses.html" not in text
