"""The HTML site of the guides is built without a warning, works without a server, and has the pages
to which findings link."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from place import needs
from report.browser import Browser, browser
from sample import turning
from tree import SOURCE

sys.path.insert(0, str(SOURCE / "doc" / "site"))

import check_links
import manual_pages

SECONDS = 180
# Pattern of a word in a path or an anchor.
WORD = r"[a-z0-9][a-z0-9_/.-]*[a-z0-9]"
# Widths of the browser's window in pixels: of a screen, and of a telephone.
WIDTHS = (1280, 400)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the HTML site like ./dev docs. Returns the folder of the site."""
    folder = tmp_path_factory.mktemp("docs")
    done = subprocess.run(
        [SOURCE / "dev", "docs", folder], capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert re.fullmatch(r"docs: \d+ pages, .*/site/index.html is the first\n", done.stdout)
    return folder / "site"


def test_every_page_is_in_the_navigation(site: Path) -> None:
    """All Markdown pages of the tree are in the site's navigation. Sphinx warns only about files
    that it reads, so the test checks that it reads all."""
    files = subprocess.run(
        [SOURCE / "dev", "files"], stdout=subprocess.PIPE, text=True, check=True, timeout=SECONDS
    ).stdout.split()
    pages = {name for name in files if name.endswith(".md") and "third_party" not in name}
    pages = {name for name in pages if not name.startswith("debian/")}
    made = {str(path.relative_to(site).with_suffix(".md")) for path in site.rglob("*.html")}
    assert pages <= made
    first = check_links.read(site / "doc" / "index.html")
    assert {name for name in pages if name.startswith("doc/") and name.count("/") == 1} - {
        "doc/" + link.replace(".html", ".md") for link in first.links
    } == {"doc/index.md"}


def test_counters_and_diagnoses_have_anchors(site: Path) -> None:
    """On the site, each counter and diagnosis has an anchor in lower case, to which the report
    links."""
    counters = check_links.read(site / "doc" / "counters.html").ids
    rows = re.findall(r"`([A-Z0-9]+_[A-Z0-9_]+)` \|", (SOURCE / "doc" / "counters.md").read_text())
    assert len(rows) > 500
    assert not {row.lower() for row in rows}.difference(counters)
    names = re.findall(r"^### (\S+)$", (SOURCE / "doc" / "diagnoses.md").read_text(), re.MULTILINE)
    told = check_links.read(site / "doc" / "diagnoses.html").ids
    assert not {f"diagnosis-{name}" for name in names}.difference(told)


@pytest.mark.needs("program:man")
def test_the_manual_has_the_words_of_its_pages(site: Path) -> None:
    """Each manual page has a page on the site with the same words as `man` shows. A manual page
    that only refers to another has none."""
    wide = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "1000"}
    pages = {path.stem: path for path in (SOURCE / "doc" / "man").glob("*.1")}
    aliases = {name for name, path in pages.items() if path.read_text().startswith(".so ")}
    made = {path.stem for path in (site / "doc" / "man").glob("*.html")}
    assert made == set(pages) - aliases and len(made) > 20 and len(aliases) > 10
    for name in made:
        shown = subprocess.run(
            ["man", "--nh", "--nj", "-P", "cat", "-l", pages[name]], env=wide, text=True,
            capture_output=True, timeout=SECONDS, check=True,
        ).stdout  # fmt: skip
        told = shown.partition("NAME\n")[2].partition("SEE ALSO\n")[0].lower()
        text = check_links.read(site / "doc" / "man" / f"{name}.html").text.lower()
        lost = set(re.findall(WORD, told)) - set(re.findall(WORD, text))
        assert lost <= {"description", name}, name  # a description that says the same is left out


def test_commands_lead_to_their_pages(site: Path) -> None:
    """The site's page of `darshan` links to the page of each command, including commands whose
    pages have other names."""
    links = check_links.read(site / "doc" / "man" / "darshan.html").links
    assert {"darshan-run.html", "darshan-parser.html", "darshan-job-summary.html"} <= set(links)
    assert "../user-guide.html" in links and "../environment.html" in links


@pytest.mark.parametrize("wrong", [".IP text", "a \\(zz b"])
def test_an_unknown_request_of_a_page(wrong: str, caplog: pytest.LogCaptureFixture) -> None:
    """An unknown request or escape in a manual page causes a warning, which ends the build of the
    site. Without the warning, the text would be lost. wrong: a line with such a request."""
    page = manual_pages.Manual(
        "x", f".SH NAME\nx \\- y\n.SH SYNOPSIS\nx\n.SH DESCRIPTION\n{wrong}\n"
    )
    with caplog.at_level("WARNING", "sphinx.manual_pages"):
        logging.getLogger("sphinx").propagate = True
        page.body("DESCRIPTION")
    assert "unknown" in caplog.text


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('href="user-guide.html"', 'href="user-guise.html"', "user-guise.html is not there"),
        ('href="user-guide.html"', 'href="user-guide.html#x"', "#x has no such anchor"),
        ('href="user-guide.html"', 'href="../../x.html"', "x.html is outside"),
        ("<head>", '<head><script src="https://x.example/x.js"></script>', "loads https://x"),
        ("<head>", '<head><link rel="stylesheet" href="//x.example/x.css">', "loads //x.example"),
        ("<body>", '<body id="a"><p id="a"></p>', "a twice"),
    ],
)
def test_a_bad_link_is_found(site: Path, tmp_path: Path, old: str, new: str, said: str) -> None:
    """check_links reports a dead link, a doubled anchor, and anything that is loaded from a
    network. old, new: the change to a page of the site. said: the expected message."""
    (tmp_path / "doc").mkdir()
    text = (site / "doc" / "index.html").read_text("utf-8")
    assert old in text
    before = set(problems_of(text, tmp_path))
    assert [line for line in problems_of(text.replace(old, new, 1), tmp_path)
            if line not in before and said in line]  # fmt: skip


def problems_of(text: str, folder: Path) -> list[str]:
    """Returns the messages of check_links about a site with this HTML as its page doc/index.html.
    folder: where the site is written."""
    (folder / "doc" / "user-guide.html").write_text("<html></html>")
    (folder / "doc" / "index.html").write_text(text)
    return check_links.problems(folder)


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """Yields a browser's window."""
    needs("program:chromium", "program:chromedriver")
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.mark.parametrize(
    "words, first",
    [
        ("POSIX_BYTES_WRITTEN", "doc/counters.html#posix_bytes_written"),
        ("small-accesses-read", "doc/diagnoses.html#diagnosis-small-accesses-read"),
        ("darshan_logpath", "doc/environment.html#darshan_logpath"),
        ("settings of the runtime", "doc/environment.html"),
    ],
)
def test_search_from_a_disk(site: Path, window: Browser, words: str, first: str) -> None:
    """Search works when the site is opened from a disk, without a server. The page about the
    searched name comes first, at its anchor."""
    window.open(f"{site}/search.html?q={words}")
    link = window.until("const a = document.querySelector('ul.search li a'); return a && a.href;")
    assert link == f"file://{site}/{first}"
    assert window.complaints() == []


def test_pages_fit(site: Path, window: Browser) -> None:
    """No page of the site is wider than the window, even on a small screen: tables and code scroll
    by themselves."""
    wide = []
    for path in turning(sorted(site.rglob("*.html")), 0.15, "pages of the site"):
        for width in WIDTHS:
            window.open(path, width)
            over = window.run("return document.scrollingElement.scrollWidth - innerWidth;")
            wide += [f"{path.relative_to(site)} at {width}: {over}"] if over > 0 else []
    assert not wide
    assert window.complaints() == []


def test_first_page_leads_on(site: Path, window: Browser) -> None:
    """The first page of the site leads to the first page of the guides."""
    window.open(site / "index.html")
    window.until("return location.pathname.endsWith('/doc/index.html');")


# Prints the address of the description of a diagnosis.
SAYS = "from darshan_report.diagnose.reference import reference; print(reference('syncs'))"


def says(package: Path) -> str:
    """Returns the address of the description of the diagnosis "syncs", as the installed Python
    package gives it. package: folder that contains darshan_report."""
    env = {k: v for k, v in os.environ.items() if k != "DARSHAN_DOC_URL"}
    done = subprocess.run(
        [sys.executable, "-B", "-c", SAYS], env={**env, "PYTHONPATH": str(package)},
        stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def test_it_is_installed_where_findings_look(site: Path, build: Path, tmp_path: Path) -> None:
    """`make install` puts the site below the prefix, where findings link to it, also after the
    prefix was moved. An address given to configure takes precedence."""
    prefix = tmp_path / "a prefix"
    done = subprocess.run(
        ["make", "-s", "-C", build, "install-site", "install-nodist_reportPYTHON",
         f"prefix={prefix}", f"made_site={site}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    (place,) = prefix.rglob("_installed.py")
    sources = SOURCE / "util" / "python" / "darshan_report"
    shutil.copytree(sources, place.parent, dirs_exist_ok=True)
    moved = prefix.rename(tmp_path / "moved here")
    package = moved / place.relative_to(prefix).parent.parent
    page, _, anchor = says(package).removeprefix("file://").partition("#")
    found = Path(page.replace("%20", " "))
    assert found == moved / "share/doc/darshan/html/doc/diagnoses.html"
    assert anchor in check_links.read(found).ids
    recipe = subprocess.run(
        ["make", "-n", "-s", "-C", build, "-W", "Makefile", "_installed.py",
         "with_doc_url=https://docs.example/darshan"],
        stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    subprocess.run(["sh", "-c", recipe.stdout], cwd=package / "darshan_report", check=True)
    assert says(package) == "https://docs.example/darshan/doc/diagnoses.html#diagnosis-syncs"
