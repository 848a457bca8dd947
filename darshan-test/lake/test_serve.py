"""The pages of `darshan serve` have the right sums, only for readers who may see them, and no
request harms the server."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

import pytest
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.ask.ready.questions import Filters
from darshan_report.lake.commands import arguments
from darshan_report.lake.commit.commits import Snapshot
from darshan_report.lake.commit.prune import Which, prune
from darshan_report.lake.commit.sweep import sweep
from darshan_report.lake.serve import pages
from darshan_report.lake.serve.kept_pages import KeptPages
from darshan_report.lake.serve.request import Refused, wanted
from darshan_report.lake.serve.server import Server, Site
from place import needs
from report.browser import Browser, browser
from sample import everything

from .conftest import SECONDS, Run
from .many import PROGRAMS, make_many
from .rows import committed, identity, rows
from .test_digest import JOBS, collected, week_of_logs

# Copies of the 28 logs of week_of_logs in the large lake: 100,000 jobs in ./dev full, otherwise
# 5,000.
COPIES = 3600 if everything() else 180
DAYS = "since=2026-11-01&until=2026-11-30"
PAGES = ("", "week", "programs", "users", "file-systems", "lines", "lineage", "jobs")


@contextmanager
def serving(build: Path, lake: Path, *more: str, host: str = "127.0.0.1") -> Iterator[int]:
    """Runs `darshan serve`; yields the port that it prints. At the end of the context, checks that
    SIGTERM ends the command without a traceback. more: further options; host: the address in the
    line that it prints."""
    environment = {**os.environ, "DARSHAN_PYTHON": sys.executable}
    environment.pop("DARSHAN_READ_LIB", None)
    command = subprocess.Popen(
        [build / "darshan", "serve", lake, "--port", "0", *more],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert command.stdout is not None
        line = command.stdout.readline()
        found = re.fullmatch(rf"darshan serve: http://{re.escape(host)}:(\d+)/\n", line)
        assert found, line or command.communicate()
        yield int(found[1])
    finally:
        command.terminate()
        said = command.communicate(timeout=SECONDS)[1]
    assert command.returncode == -signal.SIGTERM and "Traceback" not in said


def ask(
    port: int, target: str, method: str = "GET", host: str = "127.0.0.1", **headers: str
) -> tuple[HTTPResponse, str]:
    """Sends a request to a server; returns the response and its body. target: path and query.
    headers: names with _ in place of -."""
    connection = HTTPConnection(host, port, timeout=SECONDS)
    connection.request(method, target, headers=headers)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply, text


def data(page: str) -> dict[str, Any]:
    """Returns the JSON data that a page gives to its script."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


def table(page: str, name: str) -> list[dict[str, Any]]:
    """Returns the rows of a page's table as dicts by column title; "link" is the address to which
    the row leads, or None. name: the id of the table."""
    one = next(t for t in data(page)["tables"] if t["id"] == name)
    titles = [title for title, _ in one["columns"]]
    links = one["links"] or [None] * len(one["rows"])
    return [{**dict(zip(titles, row)), "link": link} for row, link in zip(one["rows"], links)]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Writes the logs of two weeks; returns their paths."""
    return week_of_logs(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def lake(logs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of the logs, with findings. Returns the lake's path."""
    made = tmp_path_factory.mktemp("serve") / "lake"
    collected(made, logs)
    return made


@pytest.fixture(scope="module")
def site(lake: Path) -> Iterator[Site]:
    """Yields the pages as a Site, without a server."""
    with Asked(lake) as asked:
        yield Site(asked, "test")


@pytest.fixture(scope="module")
def port(build: Path, lake: Path) -> Iterator[int]:
    """Yields the port of a server."""
    with serving(build, lake) as number:
        yield number


def shown(site: Site, target: str) -> str:
    """Returns the HTML of a page. target: its address without the first slash."""
    return site.page(f"/{target}").decode()


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Returns size and modification time (in nanoseconds) of every file in a folder, by path."""
    found = {p: p.stat() for p in folder.rglob("*")}
    return {str(p): (s.st_size, s.st_mtime_ns) for p, s in found.items()}


def test_programs_and_users(lake: Path, site: Site) -> None:
    """On the pages of programs and users, the lost seconds are the sums of findings, for each log
    at most its own time, in descending order."""
    lost: dict[str, dict[tuple[str, str], float]] = {"program": {}, "user": {}}
    had: dict[str, float] = {}
    for row in rows(lake, "findings"):
        if row["kind"] == "problem" and row["same_as"] is None and row["stake_seconds"] > 0:
            had[row["log"]] = row["of_seconds"]
            for by, sums in lost.items():
                key = row[by], row["log"]
                sums[key] = sums.get(key, 0) + row["stake_seconds"]
    for by, page in (("program", "programs"), ("user", "users")):
        want: dict[str, float] = {}
        for (name, log), seconds in lost[by].items():
            want[name] = want.get(name, 0) + min(seconds, had[log])
        found = table(shown(site, f"{page}?{DAYS}"), page)
        assert [r["Lost"] for r in found] == pytest.approx(sorted(want.values(), reverse=True))
        assert sum(r["Jobs"] for r in found) == JOBS
    plain = {r["User"]: r["Lost"] for r in found}
    assert plain == pytest.approx(want)


def smallest_mount(lake: Path) -> tuple[str, set[str]]:
    """Returns the mount point that the fewest logs use, and the identities of these logs."""
    mounts: dict[str, set[str]] = {}
    for name in ("files_posix", "files_stdio"):
        for row in rows(lake, name):
            mounts.setdefault(row["mount"], set()).add(row["log"])
    return min(((m, logs) for m, logs in mounts.items() if m), key=lambda p: len(p[1]))


def test_filters(lake: Path, site: Site) -> None:
    """The pages accept filters by days, user, program and file system, and any combination of
    them."""
    mount, on_it = smallest_mount(lake)
    jobs = [r for r in rows(lake, "jobs") if str(r["day"]) <= "2026-11-12"]
    assert 0 < len(on_it) < JOBS
    for chosen, keep in (
        ({}, lambda r: True),
        ({"user": "user1"}, lambda r: r["user"] == "user1"),
        ({"program": "program1"}, lambda r: r["program"] == "program1"),
        ({"mount": mount}, lambda r: r["log"] in on_it),
        (
            {"mount": mount, "user": "user2"},
            lambda r: r["log"] in on_it and r["user"] == "user2",
        ),
    ):
        query = urlencode({"since": "2026-11-01", "until": "2026-11-12", **chosen})
        found = table(shown(site, f"jobs?{query}"), "jobs")
        want = {r["log"] for r in jobs if keep(r)}
        assert {parse_qs(r["link"].partition("?")[2])["log"][0] for r in found} == want and want


def test_a_user_and_a_program(lake: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's page lists first the finding that costs most time. The diagram on a program's page
    has a point for every run; if there are too many, for runs at equal intervals."""
    sums: dict[tuple[str, str], float] = {}
    for row in rows(lake, "findings"):
        if row["kind"] == "problem" and row["same_as"] is None and row["user"] == "user1":
            key = row["program"], row["rule"]
            sums[key] = sums.get(key, 0) + row["stake_seconds"]
    page = shown(site, f"user?name=user1&{DAYS}")
    assert "Change first" in page
    found = table(page, "changes")
    assert found[0]["Lost"] == pytest.approx(max(sums.values()))
    assert found[0]["Remedy"] and html.escape(found[0]["Remedy"]) in page
    page = shown(site, f"program?name=program1&{DAYS}")
    runs = data(page)["runs"]
    jobs = [r for r in rows(lake, "jobs") if r["program"] == "program1"]
    assert runs["times"] == sorted(r["started"].timestamp() for r in jobs)
    assert len(table(page, "jobs")) == len(jobs)
    monkeypatch.setattr(pages, "_POINTS", 3)
    monkeypatch.setattr(site, "_kept", KeptPages())
    page = shown(site, f"program?name=program1&{DAYS}")
    assert "shows 3 runs, evenly distributed" in page
    assert set(data(page)["runs"]["times"]) < set(runs["times"])
    assert len(table(page, "jobs")) == len(jobs) > len(data(page)["runs"]["times"]) == 3


def test_weeks(site: Site) -> None:
    """The start page is that of the newest week; the page of a week without jobs says that there
    are none."""
    page = shown(site, "")
    assert "<h1>Week 2026-W46</h1>" in page and "week?week=2026-W45" in page
    assert sum(r["Jobs"] for r in table(page, "programs")) == JOBS // 2
    assert table(page, "broken")[-1]["Logs"] >= 1
    assert "The lake has no job of this week" in shown(site, "week?week=2020-W01")


def test_a_week_of_one(lake: Path, site: Site) -> None:
    """The page of a week can be limited to a user, a program or a file system, and then counts only
    their jobs."""
    week = [r for r in rows(lake, "jobs") if str(r["day"]) >= "2026-11-09"]
    for by in ("user", "program"):
        for name in sorted({r[by] for r in week}):
            page = shown(site, f"week?week=2026-11-12&{urlencode({by: name})}")
            jobs = sum(r[by] == name for r in week)
            assert f"<b>{jobs}</b> <span>job{'s' * (jobs != 1)}</span>" in page
            assert '<input type="text" name="week" value="2026-11-09" ' in page
            before = re.search(r'<a href="(week[^"]*)">the week before, 2026-W45</a>', page)
            assert before and wanted(html.unescape(before[1])).filters == Filters(**{by: name})
    mount, logs = smallest_mount(lake)
    found = table(shown(site, f"week?week=2026-W46&{urlencode({'mount': mount})}"), "mounts")
    assert mount in {r["Mount point"] for r in found}
    page = shown(site, f"week?week=2026-W45&{urlencode({'mount': mount})}")
    jobs = sum(r["log"] in logs and str(r["day"]) < "2026-11-09" for r in rows(lake, "jobs"))
    assert f"<b>{jobs}</b> <span>job{'s' * (jobs != 1)}</span>" in page
    assert "The lake has no job like that of this week" in shown(site, "week?user=nobody")
    assert "Week 2026-W45" in shown(site, "week?since=2026-11-01&until=2026-11-08")


def test_hostile_names(lake: Path, site: Site) -> None:
    """A name with markup is shown as text on every page, and a name with SQL finds only jobs of
    that name."""
    name = next(r["program"] for r in rows(lake, "jobs") if "script" in r["program"])
    for target in (f"program?name={quote(name)}&{DAYS}", f"programs?{DAYS}", "", f"jobs?{DAYS}"):
        page = shown(site, target)
        assert "<script>**" not in page and "\x1b" not in page
    assert table(shown(site, f"program?name={quote(name)}&{DAYS}"), "jobs")
    for evil in ("x' OR '1'='1", 'x" OR 1=1 --', "$name", "?", "%", "'; DROP VIEW jobs; --"):
        assert "No job is like that" in shown(site, f"program?name={quote(evil)}&{DAYS}")
        assert "No job is like that" in shown(site, f"jobs?mount={quote(evil)}&{DAYS}")
    assert "jobs" in shown(site, "programs")
    page = shown(site, f'programs?user="><script>alert(1)</script>&{DAYS}')
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    "target, status",
    [
        ("/etc/passwd", 404), ("/../../etc/passwd", 404), ("/assets", 404), ("//", 200),
        ("/programs?since=2026-13-01", 400), ("/programs?until=yesterday", 400),
        ("/program?name=%00", 400), ("/program?name=%ff", 400), ("/week?week=W1", 400),
        ("/job?log=' OR 1", 400), ("/job", 404), (f"/job?log={'0' * 32}", 404),
        (f"/report?log={'0' * 32}", 404), ("/report", 404), ("/user", 400),
        ("/program?nam=x", 400), ("/week?week=9998-W52", 200), ("/week?until=0001-01-01", 400),
        ("/jobs?since=0001-01-01", 200), ("/jobs?until=9999-12-31", 200),
        ("/week?until=9999-12-31", 200),
        (f"/program?name={'x' * 5000}", 400),
        ("/?" + "&".join(f"a{i}=1" for i in range(99)), 400),
    ],
)  # fmt: skip
def test_addresses(site: Site, target: str, status: int) -> None:
    """An invalid address is refused with this HTTP status and a message of one line. status 200:
    the address is valid."""
    if status == 200:
        assert site.page(target)
        return
    with pytest.raises(Refused) as refused:
        site.page(target)
    assert refused.value.status == status and "\n" not in str(refused.value)


def test_links_are_relative(site: Site) -> None:
    """Links are relative, so that a proxy can serve the pages below a folder."""
    for target in PAGES:
        page = shown(site, target)
        links = re.findall(r'(?:href|action)="([^"]*)"', page)
        links += [row["link"] for t in data(page)["tables"] for row in table(page, t["id"])]
        for link in filter(None, links):
            assert not re.match(r"/|\w+:", link), link
            assert link.startswith("#") or wanted(html.unescape(link))


def test_over_http(port: int, lake: Path) -> None:
    """All pages have the headers that isolate them; only GET requests are answered, and only under
    names of this machine; no file of the lake changes."""
    before = state(lake)
    with ThreadPoolExecutor(6) as pool:  # all at once
        replies = list(pool.map(lambda target: ask(port, f"/{target}"), PAGES))
    for reply, text in replies:
        assert (reply.status, text[:15]) == (200, "<!DOCTYPE html>")
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert "default-src 'none'; script-src 'sha256-" in text
        assert reply.headers["Server"] == "darshan"
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
        reply, _ = ask(port, "/programs", method)
        assert (reply.status, reply.headers["Allow"]) == (405, "GET"), method
    assert ask(port, "/", "BREW")[0].status == 501
    for host, status in (("localhost:1", 200), ("[::1]:80", 200), ("evil.example", 421), ("", 421)):
        assert ask(port, "/users", Host=host)[0].status == status, host
    assert ask(port, "/nothing")[1] == "this page does not exist\n"
    assert state(lake) == before


def test_what_is_no_request(port: int) -> None:
    """Invalid requests, and connections without a request, are closed without harm to the server,
    and no reply repeats their bytes. If there are too many silent connections, the oldest are
    closed."""
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
    for one in idle:
        one.close()
    for noise in (b"\x16\x03\x01<script>\r\n\r\n", b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(noise)
            stranger.settimeout(SECONDS)
            assert b"<script>" not in stranger.recv(4096)
    assert ask(port, "/users")[0].status == 200
    with ExitStack() as held:  # silent connections are closed, the oldest first
        silent = [
            held.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(300)
        ]
        silent[-1].sendall(b"GET /users HT")
        for _ in range(3):
            assert ask(port, "/users")[0].status == 200
        silent[0].settimeout(SECONDS)
        assert silent[0].recv(1) == b""
        silent[-1].sendall(b"TP/1.0\r\n\r\n")
        silent[-1].settimeout(SECONDS)
        assert silent[-1].recv(4096).startswith(b"HTTP/1.0 200")


def test_half_a_request_is_no_request() -> None:
    """If a connection is closed to make room for others before its request is complete, no page is
    computed for it."""
    asked: list[str] = []

    class Counted(Site):
        def __init__(self) -> None: ...

        def page(self, target: str, client: str = "", viewer: str = "") -> bytes:
            asked.append(target)
            return b"page"

    with Server("127.0.0.1", 0, Counted(), remote=False) as server, ExitStack() as held:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        held.callback(thread.join)
        held.callback(server.shutdown)
        for _ in range(300):
            one = socket.create_connection(("127.0.0.1", server.server_port))
            held.enter_context(one).sendall(b"GET /half HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        for number in range(5):
            assert ask(server.server_port, f"/{number}")[1] == "page"
    assert asked == [f"/{number}" for number in range(5)]


def test_names_of_this_machine(build: Path, lake: Path) -> None:
    """A server that other machines can reach answers only under numeric addresses and its own
    names, because another site could direct its name to this server (DNS rebinding)."""
    more = ("--bind", "127.0.0.2", "--allow-remote", "--name", "io.example.org")
    with serving(build, lake, *more, host="127.0.0.2") as port:
        for host, status in (
            ("127.0.0.2", 200), ("10.1.2.3:8642", 200), ("[fe80::1]", 200), (None, 200),
            ("IO.example.org:80", 200), (socket.gethostname(), 200), ("evil.example", 421),
            ("127.0.0.2.evil.example", 421), ("127.0.0.1:8642@evil.example", 421),
            ("io.example.org.evil", 421), ("[evil]", 421),
        ):  # fmt: skip
            headers = {} if host is None else {"Host": host}
            assert ask(port, "/users", host="127.0.0.2", **headers)[0].status == status, host


def test_a_lake_that_goes_away(build: Path, logs: list[Path], tmp_path: Path) -> None:
    """While the lake's folder is missing, the server replies with status 503; after the folder is
    back, with the pages."""
    lake = tmp_path / "lake"
    collected(lake, logs[:2])
    with serving(build, lake) as port:
        assert ask(port, "/users")[0].status == 200
        lake.rename(tmp_path / "away")
        reply, text = ask(port, "/users")
        assert (reply.status, text) == (503, "cannot read the lake now; try again later\n")
        (tmp_path / "away").rename(lake)
        assert ask(port, "/users")[0].status == 200


def test_a_job_and_its_report(logs: list[Path], tmp_path: Path) -> None:
    """The report of a job is made from the log that was collected; if another file is at its path
    now, there is no report."""
    path = tmp_path / logs[0].name
    path.write_bytes(logs[0].read_bytes())
    log = identity(path)
    collected(tmp_path / "lake", [path])
    with Asked(tmp_path / "lake") as asked:
        site = Site(asked, "test")
        page = shown(site, f"job?log={log}")
        link = re.search(r'href="(report[?]since=([-0-9]+)&amp;until=\2&amp;log=\w+)"', page)
        assert link and link[1].endswith(log) and "What to change" in page
        assert {r["Layer"] for r in table(page, "layers")} == {"POSIX", "STDIO"}
        assert str(path) in shown(site, f"report?log={log}")
        path.write_bytes(logs[1].read_bytes())
        with pytest.raises(Refused, match="not the log that was collected"):
            site.page(f"/report?log={log}")
        path.unlink()
        os.mkfifo(path)  # opening a pipe would block
        with pytest.raises(Refused, match="not the log"):
            site.page(f"/report?log={log}")
        path.unlink()
        assert "was moved or removed" in shown(site, f"job?log={log}")
        with pytest.raises(Refused, match="was moved or removed"):
            site.page(f"/report?log={log}")


def test_what_comes_later_is_seen(logs: list[Path], tmp_path: Path) -> None:
    """The pages of an empty lake say that it has no jobs; logs that are committed later are on the
    pages at the next request."""
    collected(tmp_path / "lake", [])
    with Asked(tmp_path / "lake") as asked:
        site = Site(asked, "test")
        assert "no job with a known date" in shown(site, "programs")
        collected(tmp_path / "lake", logs[:2])
        assert sum(r["Jobs"] for r in table(shown(site, "programs"), "programs")) == 2


def test_files_that_go_while_they_are_read(
    logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a user's rows are removed while a page is computed, the page is computed again without
    this user."""
    lake = tmp_path / "lake"
    collected(lake, logs)
    with Asked(lake) as asked:
        site = Site(asked, "test")
        assert "user1" in shown(site, "users")
        assert prune(str(lake), Which(user="user1")).rows
        sweep(Snapshot(str(lake)), 86_400, replaced_now=True)
        real, looked = asked.refresh, []

        def late() -> None:
            looked.append(len(looked))
            if len(looked) > 1:
                real()

        monkeypatch.setattr(asked, "refresh", late)
        page = shown(site, "users")
        assert "user1" not in page and "user2" in page and len(looked) == 2


def test_hidden_names(logs: list[Path], tmp_path: Path) -> None:
    """The pages of a lake with anonymized names show no names, and no reports are made of its logs,
    because these contain names."""
    collected(tmp_path / "lake", logs, key="a key")
    with Asked(tmp_path / "lake") as asked:
        site = Site(asked, "test")
        job = table(shown(site, f"jobs?{DAYS}"), "jobs")[0]
        for target in (*PAGES, job["link"]):
            page = shown(site, target)
            assert "names in this lake are anonymized" in page
            for word in ("user1", "program1", str(logs[0].parent)):
                assert word not in page, (target, word)
        with pytest.raises(Refused) as refused:
            site.page(f"/{job['link'].replace('job', 'report')}")
        assert refused.value.status == 403


def test_a_user_alone(lake: Path) -> None:
    """A server for one user shows no jobs of other users, even if their names or logs are
    requested."""
    others = next(r["log"] for r in rows(lake, "jobs") if r["user"] == "user0")
    with Asked(lake, user="user1") as asked:
        site = Site(asked, "test")
        for target in PAGES:
            assert "user0" not in shown(site, target)
        assert "No job is like that" in shown(site, f"user?name=user0&{DAYS}")
        for page in ("job", "report"):
            with pytest.raises(Refused):
                site.page(f"/{page}?log={others}")


def test_where_it_does_not_begin(
    lake: Path, port: int, darshan: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """Listening on an address that other machines can reach requires --allow-remote; each usage
    error has a message of one line."""
    for given, words in (
        ("--bind 0.0.0.0", "--allow-remote"),
        ("--bind ::", "--allow-remote"),
        ("--bind example.org", "must be a numeric address"),
        ("--port 70000", "from 0 to 65535"),
    ):
        with pytest.raises(SystemExit) as ended:
            arguments.serve([str(lake), *given.split()])
        assert ended.value.code == 2
        assert words in capsys.readouterr().err.splitlines()[-1], given
    assert arguments.serve([str(lake), "--bind", "::", "--allow-remote"]).allow_remote
    for given, words in (
        (f"--port {port}", "in use"),
        ("--memory much", "must be a size like"),
        ("--bind 192.0.2.1 --allow-remote", "192.0.2.1"),
    ):
        done = darshan("serve", lake, *given.split())
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), given
        assert words in done.stderr, given


def test_a_lake_that_lacks_a_file(lake: Path, darshan: Run, tmp_path: Path) -> None:
    """If a file of the lake is missing, serve, digest and ask print one line that names it, and
    exit with 1."""
    shutil.copytree(lake, tmp_path / "lake")
    (tmp_path / "lake" / committed(lake)["jobs"][0]).unlink()
    for command in (["serve", "lake", "--port", "0"], ["digest", "lake"], ["ask", "lake", "users"]):
        done = darshan(*command)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), command
        assert "jobs/month=" in done.stderr


@pytest.fixture(scope="module")
def many(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake of COPIES copies of the logs. Returns its path."""
    made = tmp_path_factory.mktemp("many") / "lake"
    make_many(lake, made, COPIES)
    return made


def is_ready(window: Browser) -> None:
    """Checks that the page's script is ready, without messages on the console."""
    assert window.until("return document.documentElement.dataset.ready") == "yes"
    assert window.complaints() == []


def test_in_a_browser(build: Path, many: Path, tmp_path: Path) -> None:
    """In a browser, links, forms and tables lead from the page of a week to a job and its report,
    without console messages, also in a narrow window."""
    needs("program:chromium", "program:chromedriver")
    rest = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    first = "#{} tbody a"
    with serving(build, many) as port, browser(tmp_path) as window:
        for page in PAGES:
            window.open(f"http://127.0.0.1:{port}/{page}", 400)
            is_ready(window)
            assert window.run(rest) <= 0, page
        window.open(f"http://127.0.0.1:{port}/programs")
        is_ready(window)
        assert window.run("return document.querySelector('[role=status]').textContent") == (
            f"{PROGRAMS} rows"
        )
        window.type("input[type=search]", "program17")
        assert f"of {PROGRAMS} rows" in window.run(
            "return document.querySelector('[role=status]').textContent"
        )
        window.type("input[name=user]", "user3")
        window.click("form.filters button")
        window.until("return location.search.includes('user=user3')")
        is_ready(window)
        window.click(first.format("programs"))
        window.until("return location.pathname === '/program'")
        is_ready(window)
        assert window.run("return document.querySelectorAll('#runs canvas').length") == 1
        window.click("#jobs th button")
        assert window.run("return document.querySelector('#jobs th').ariaSort") == "ascending"
        window.click(first.format("jobs"))
        window.until("return location.pathname === '/job'")
        is_ready(window)
        assert "Layers" in window.run("return document.body.textContent")
        window.click("main dl + p a + a")
        window.until("return location.pathname === '/user'")
        is_ready(window)
        assert window.run("return document.querySelector('.change h2').textContent") == (
            "Change first"
        )
