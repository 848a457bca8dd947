"""`darshan ask LAKE changes --webhook`: the request that a server receives, and servers that
fail."""

from __future__ import annotations

import contextlib
import datetime
import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from darshan_report.lake.ask.changes import changes
from darshan_report.lake.ask.engine import Asked
from darshan_report.lake.commands import webhook
from darshan_report.lake.commands.arguments import Webhook
from darshan_report.lake.commands.main import main
from darshan_report.lake.commit.storage import LakeError

from .conftest import Run
from .test_changes import FEWEST, RUNS, runs
from .test_commits import fill

SINCE = str(datetime.date(2026, 9, 1) + datetime.timedelta(RUNS - FEWEST))
TOKEN = "not-for-everybody"
# Requests that the server received: path, JSON body, headers.
Got = list[tuple[str, Any, dict[str, str]]]
Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


def _status(code: int, **headers: str) -> Answer:
    """Returns a function that answers a request with this HTTP status. headers: of the answer."""

    def answer(connection: http.server.BaseHTTPRequestHandler) -> None:
        connection.send_response(code)
        for name, value in headers.items():
            connection.send_header(name, value)
        connection.send_header("Content-Length", "0")
        connection.end_headers()

    return answer


@contextlib.contextmanager
def receiving(**pages: Answer) -> Iterator[tuple[str, Got]]:
    """Runs an HTTP server that sends these replies, by page name; yields its address and the list
    of requests that it received."""
    got: Got = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.path, json.loads(said), dict(self.headers.items())))
            pages[self.path.strip("/")](self)

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", got
        finally:
            server.shutdown()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a lake in which three programs became slower. Returns the lake's path."""
    folder = tmp_path_factory.mktemp("slow")
    fill(folder / "lake", runs(folder / "logs"))
    return folder / "lake"


def test_an_alarm(
    lake: Path, darshan: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """With --webhook-file, a server receives the lines and all numbers of the changes, and the
    token in a header; without changes, nothing is sent. If the server fails, the command prints one
    line without the secret part of the address."""
    ask = [str(lake), "changes", "--since", SINCE]
    hook = ["--webhook-file", str(tmp_path / "hook")]
    with Asked(lake) as asked:
        found = changes(asked, datetime.date.fromisoformat(SINCE))
    lines = [one.says for one in found]
    assert len(lines) == 3
    with receiving(secret=_status(204), broken=_status(500)) as (address, got):
        (tmp_path / "hook").write_text(f"{address}/secret\n{TOKEN}\n")
        done = darshan("ask", *ask, *hook, "--top", "2")
        assert (done.returncode, done.stderr) == (0, ""), done
        [(path, said, headers)] = got
        assert path == "/secret" and headers["Authorization"] == f"Bearer {TOKEN}"
        assert headers["Content-Type"] == "application/json"
        assert said["text"].split("\n") == [*lines[:2], "1 more change (--top)"]
        assert (said["since"], said["more"], len(said["changes"])) == (SINCE, 1, 2)
        assert said["changes"][0]["ratio"] == pytest.approx(found[0].slower.ratio)
        assert said["changes"][0]["says"] == lines[0]
        assert main("ask", [*ask, *hook, "--program", "steady.exe"]) == 0
        assert capsys.readouterr() == ("", "") and len(got) == 1
        monkeypatch.setenv("DARSHAN_WEBHOOK", f"{address}/broken")
        assert main("ask", [*ask, "--webhook"]) == 1 and len(got) == 2
        assert "Authorization" not in got[1][2]
        printed, error = capsys.readouterr()
        assert printed.splitlines() == lines
        assert error == f"darshan ask: cannot post to {address}: the answer was 500\n"


@pytest.mark.parametrize(
    "given",
    [
        ("changes", "--since", "1d", "--webhook"),  # without an address
        ("changes", "--since", "1d", "--webhook-file", "none"),
        ("changes", "--since", "1d", "--webhook-file", "empty"),
        ("changes", "--since", "1d", "--webhook-file", "odd"),
        ("programs", "--webhook-file", "odd"),
    ],
)
def test_usage(given: tuple[str, ...], darshan: Run, tmp_path: Path) -> None:
    """If an option of webhooks is incomplete or its file invalid, the command fails at its start
    with a usage error, and not only when there is a change to send."""
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "odd").write_text("https://example.org/\nt\u00f6ken\n")
    done = darshan("ask", "lake", *given)
    assert done.returncode == 2 and "webhook" in done.stderr.splitlines()[-1], done


def test_other_servers() -> None:
    """A redirect to the same host is followed with the same request; one to another host is not,
    because it would get the token. A server that never ends its reply is given up after a time
    limit."""
    end = threading.Event()

    def slow(connection: http.server.BaseHTTPRequestHandler) -> None:
        connection.wfile.write(b"HTTP/1.0 200 OK\r\nX: ")
        while not end.is_set():
            with contextlib.suppress(OSError):
                connection.wfile.write(b"x")
            time.sleep(0.02)

    with receiving(there=_status(200)) as (other, stolen), receiving(
        moved=_status(308, Location="/fine"), fine=_status(200), slow=slow,
        away=_status(307, Location=f"{other}/there"), get=_status(302, Location="/fine"),
        circle=_status(307, Location="/circle"), file=_status(307, Location="file:///etc/passwd"),
    ) as (address, got):  # fmt: skip
        webhook.post(Webhook(f"{address}/moved", TOKEN), b"{}")
        assert [path for path, *_ in got] == ["/moved", "/fine"]
        assert got[1][1] == {} and got[1][2]["Authorization"] == f"Bearer {TOKEN}"
        for page, why in (
            ("away", f"redirects to another host, {other}"), ("get", "the redirect 302"),
            ("circle", "cannot post to"), ("file", "must begin with https://"),
            ("slow", "no answer within"),
        ):  # fmt: skip
            with pytest.raises(LakeError, match=why):
                webhook.post(Webhook(f"{address}/{page}", TOKEN), b"{}", 0.5)
        end.set()
        assert stolen == []
    with pytest.raises(LakeError, match="Connection refused"):
        webhook.post(Webhook(f"{address}/fine", TOKEN), b"{}")


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "ftp://127.0.0.1/", "https://", "x", "http://[::1", "http://a b/",
     "http://user:word@127.0.0.1/", "http://127.0.0.1:99999/", "http://127.0.0.1/\r\nX: y",
     "http://192.0.2.1/"],
)  # fmt: skip
def test_addresses(address: str) -> None:
    """Only addresses of HTTP and HTTPS without a password are accepted. A token is not sent to
    another machine without encryption."""
    with pytest.raises(LakeError) as refused:
        webhook.post(Webhook(address, TOKEN), b"{}", 0.5)
    assert "\n" not in str(refused.value) and "word" not in str(refused.value)


def test_names_are_no_markup(lake: Path) -> None:
    """In the text for a chat, characters of names that would become a link or a mention of
    everybody are escaped; the JSON fields have the plain name."""
    with Asked(lake) as asked:
        [one, *_] = changes(asked, datetime.date.fromisoformat(SINCE))
    object.__setattr__(one, "program", "<!channel> @here [x](http://y)")
    said = json.loads(webhook.body("lake", SINCE, [one], 20))
    assert not set("<>@[]") & set(said["text"])
    assert said["changes"][0]["program"] == "<!channel> @here [x](http://y)"
