"""The names that a field on a page of `darshan serve` suggests while a reader types: which ones,
for which reader, and in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.serve import complete
from darshan_report.lake.serve.request import Refused
from darshan_report.lake.serve.server import Site
from place import needs
from report.browser import KEYS, browser
from report.diagnose.build import Job, row, write

from .test_commits import fill
from .test_serve import ask, is_ready, serving

DAY = 1_790_000_000
ENTER, ESCAPE = "\ue007", "\ue00c"
EVIL = "<img src=x onerror=alert(1)>"
BOLD = "<b>&'x"
FILES = (
    "/scratch/jane/a.dat", "/scratch/jane/deep/b.dat", "/scratch/joe/c.dat", f"/scratch/{EVIL}",
    "/scratchy/d.dat",
)  # fmt: skip


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of three users: jane has more jobs than joe and anna, and 25 programs more.
    Returns the lake's path."""
    folder = tmp_path_factory.mktemp("complete")
    names = [("jane", "simulate")] * 3 + [("joe", "Sim2"), ("anna", "analyse"), ("joe", BOLD)]
    names += [("jane", f"many{number:02}") for number in range(25)]
    made = []
    for number, (user, program) in enumerate(names):
        some = [row("POSIX", path, WRITES=1, BYTES_WRITTEN=9) for path in FILES if user in path]
        some += [row("POSIX", path, READS=1, BYTES_READ=9) for path in FILES[3:] if user == "anna"]
        job = Job(
            tuple(some),
            10,
            (DAY + 86400 * (user == "joe")) + number,
            1,
            command=f"/opt/{program}".encode(),
        )
        made.append(write(job, folder / f"{user}_{program}_id{number}-1_1-1-1-1_1.darshan"))
    fill(folder / "lake", made)
    return folder / "lake"


def names(site: Site, field: str, prefix: str) -> Any:
    """Returns the names that the server proposes for the beginning of a name."""
    return json.loads(site.page(f"/complete?{urlencode({'field': field, 'name': prefix})}"))


@pytest.fixture
def site(lake: Path) -> Iterator[Site]:
    """Yields the pages as a Site, without a server."""
    with Asked(lake) as asked:
        yield Site(asked, "test")


def test_names(site: Site) -> None:
    """Suggested names begin with the entered text in any case; those with most jobs come first, and
    there are at most 20."""
    assert names(site, "user", "") == ["jane", "joe", "anna"]
    assert names(site, "user", "J") == ["jane", "joe"]
    assert names(site, "program", "sim") == ["simulate", "Sim2"]
    assert names(site, "program", "many") == [f"many{number:02}" for number in range(20)]
    assert names(site, "program", BOLD[:2]) == [BOLD]
    assert names(site, "mount", "/") == ["/"]
    for odd in ("%", "_", "' OR '1'='1", "$prefix", "*", "nobody"):
        assert names(site, "user", odd) == names(site, "program", odd) == []


def test_paths(site: Site) -> None:
    """Suggestions for a path complete the next folder only, which ends with a slash, or the
    file."""
    assert names(site, "path", "/") == ["/scratch/", "/scratchy/"]
    assert names(site, "path", "/scratch/") == [
        f"/scratch/{EVIL}", "/scratch/jane/", "/scratch/joe/",
    ]  # fmt: skip
    assert names(site, "path", "/scratch/jane/d") == ["/scratch/jane/deep/"]
    assert names(site, "path", "/scratch/jane/deep/b.dat") == ["/scratch/jane/deep/b.dat"]
    for none in ("", "scratch", "/Scratch/", "/scratch/%", "/scratch/jane/a.dat/"):
        assert names(site, "path", none) == []


def test_within_a_mount_point(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first suggestions for a path are mount points, and folders are suggested only below the
    entered mount point, because a large file system has too many folders."""
    query = complete.rows

    def mounted(lake: Any, question: Any, *more: Any, **values: Any) -> Any:
        if question is complete._FIELDS["mount"]:
            return [{"name": name} for name in ("/", "/scratch", "/home")]
        return query(lake, question, *more, **values)

    monkeypatch.setattr(complete, "rows", mounted)
    assert names(site, "path", "/") == ["/home", "/scratch"]
    assert names(site, "path", "/s") == ["/scratch"]
    assert names(site, "path", "/scratch/j") == ["/scratch/jane/", "/scratch/joe/"]
    assert names(site, "path", "/scratchy") == ["/scratchy/"]


def test_the_last_days(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Suggested paths are only those of the last days, as many as can be read in little time."""
    monkeypatch.setattr(complete, "_RECORDS", 1)
    assert names(site, "path", "/scratch/") == ["/scratch/joe/"]


@pytest.mark.parametrize("by_sums", [True, False])
def test_of_one_user(lake: Path, by_sums: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader who may see only the jobs of one user gets no names of other users, with precomputed
    sums and without."""
    if not by_sums:
        monkeypatch.setattr(Asked, "has_sums", lambda _: False)
    with Asked(lake, user="joe") as asked:
        site = Site(asked, "test")
        assert names(site, "user", "") == ["joe"] and names(site, "user", "ja") == []
        assert set(names(site, "program", "")) == {"Sim2", BOLD}
        assert names(site, "path", "/scratch/") == ["/scratch/joe/"]


def test_requests(build: Path, lake: Path, site: Site) -> None:
    """The reply to a request is JSON, whatever characters the names have; a request for another
    field is refused."""
    for odd in ("field=job", "", "field=path'", "field=sql&name=x"):
        with pytest.raises(Refused):
            site.page(f"/complete?{odd}")
    with serving(build, lake) as port:
        reply, text = ask(port, f"/complete?{urlencode({'field': 'program', 'name': '<'})}")
        assert reply.headers["Content-Type"] == "application/json"
        assert "<" not in text and json.loads(text) == [BOLD]
        assert ask(port, "/complete?field=job")[0].status == 400


def test_in_a_browser(build: Path, lake: Path, tmp_path: Path) -> None:
    """The list of names below a field opens while a user types, is controlled by keys, and shows
    names with markup as text."""
    needs("program:chromium", "program:chromedriver")
    listed = (
        "const l = document.querySelector('#names-of-{}'); "
        "return l.hidden ? null : [...l.children].map((e) => e.textContent)"
    )
    value = "return document.querySelector('input[name={}]').value"
    with serving(build, lake) as port, browser(tmp_path) as window:
        window.open(f"http://127.0.0.1:{port}/lineage")
        is_ready(window)
        window.type("input[name=program]", "s")
        assert window.until(listed.format("program")) == ["simulate", "Sim2"]
        window.type("input[name=program]", KEYS["Down"] + KEYS["Down"])
        chosen = "return document.activeElement.getAttribute('aria-activedescendant')"
        assert window.run(chosen) == "names-of-program-1"
        window.type("input[name=program]", ENTER)  # takes the name, and sends nothing
        assert window.run(value.format("program")) == "Sim2"
        assert window.run(listed.format("program")) is None
        window.type("input[name=path]", "/scratch/")
        assert window.until(listed.format("path"))[0] == f"/scratch/{EVIL}"
        assert window.run("return document.querySelectorAll('#names-of-path img').length") == 0
        window.type("input[name=path]", KEYS["Up"] + ENTER)  # a folder opens the next list
        assert window.until(listed.format("path")) == ["/scratch/joe/c.dat"]
        window.type("input[name=path]", ESCAPE)
        assert window.run(listed.format("path")) is None
        window.type("input[name=user]", "a")
        window.until(listed.format("user"))
        window.click("#names-of-user li")
        assert window.run(value.format("user")) == "anna"
        window.type("input[name=user]", ENTER)
        window.until("return location.search.includes('user=anna')")
        is_ready(window)
