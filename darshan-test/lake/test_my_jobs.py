"""The link to a reader's own jobs on the pages of `darshan serve --user-header`, for a proxy that
sends the reader's name in a header."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from darshan_report.lake.commit import storage

from .rows import make_logs
from .test_serve import ask, serving, table
from .test_sums import fill

_LINK = re.compile(r'<li><a href="([^"]*)">My jobs</a></li>')


def test_my_jobs(build: Path, tmp_path: Path) -> None:
    """Each reader's pages have a link to the reader's own jobs, even pages that were computed for
    another reader. Without the option, the header is ignored."""
    lake = tmp_path / "lake"
    fill(lake, make_logs(tmp_path / "logs", 6))
    with serving(build, lake, "--user-header", "X-Remote-User") as port:
        for user in ("user1", "user2", "o'neil & <script>", "user1"):
            _, page = ask(port, "/programs", **{"X-Remote-User": user})
            [link] = _LINK.findall(page)
            address = urlparse(link.replace("&amp;", "&"))
            assert (address.path, parse_qs(address.query)) == ("user", {"name": [user]})
            assert "<script>" not in link
        _, mine = ask(port, f"/{link}&since=2000-01-01")
        assert {row["User"] for row in table(mine, "jobs")} == {"user1"}
        _, page = ask(port, "/programs")
        assert "My jobs" not in page and "<!--" not in page
    with serving(build, lake) as port:
        assert "My jobs" not in ask(port, "/programs", **{"X-Remote-User": "user1"})[1]


def test_no_link_among_hidden_names(build: Path, tmp_path: Path) -> None:
    """A lake with anonymized names does not know the names of its readers, so it has no such
    link."""
    storage.make(str(tmp_path / "lake"), {"mode": "0640", "hidden": True})
    with serving(build, tmp_path / "lake", "--user-header", "X-Remote-User") as port:
        assert "My jobs" not in ask(port, "/programs", **{"X-Remote-User": "user1"})[1]
