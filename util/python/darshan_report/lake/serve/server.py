"""The HTTP server of `darshan serve`: read-only pages of one lake, which is refreshed for each
page."""

from __future__ import annotations

import contextlib
import http.server
import io
import ipaddress
import re
import socket
import sys
import threading
import time
from collections.abc import Hashable, Iterable
from http import HTTPStatus
from typing import Any

from ...show.text import visible
from .. import dates
from ..ask.engine import Asked
from ..ask.limits import LimitExceeded
from ..commands.messages import say
from ..commit.storage import LakeError
from . import complete, job, pages
from .blocks import MINE, link
from .kept_pages import KeptPages
from .request import Refused, Wanted, wanted
from .turns import Turns

_AT_ONCE = 256  # connections; at the limit the oldest one without a complete request is closed
_REPORTS = 2
_AGAIN = 2
_SECONDS = 30  # timeout of a silent connection
_NAME = 256  # characters of a user's name
_RETRY = 2  # seconds after which a refused client may send another request
_LOOK = 10.0  # seconds after which all commits of the lake are listed again
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::[0-9]{1,5})?")  # a name or number, and a port
_HEADERS = (
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Content-Security-Policy", "frame-ancestors 'none'"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
)  # fmt: skip
_HTML, _JSON = "text/html; charset=utf-8", "application/json"
_OTHERS = {"job": job.render, "complete": complete.render}  # that are not of many jobs
_LOCAL = frozenset(("localhost", "127.0.0.1", "[::1]"))


def _is_number(name: str) -> bool:
    """Returns whether the host in a request is an IP address, which DNS cannot redirect."""
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(name.strip("[]")))
    return False


def _kind(asked: Wanted) -> Hashable:
    """Returns the parts of a request that determine how long making its page takes."""
    filters = asked.filters
    return asked.page, filters.mount is not None, filters.user is None, filters.program is None


def kind_of(target: str) -> str:
    """Returns the content type of the response to a request. target: the request's address."""
    return _JSON if target.partition("?")[0].lstrip("/") == "complete" else _HTML


class Site:
    """Makes the pages of one lake, one at a time, and caches them."""

    def __init__(self, lake: Asked, program: str, seconds: float = 0.0) -> None:
        """Opens a site of an open lake. program: name of this command, for messages. seconds: the
        largest time of making a page; 0: any."""
        self._lake = lake
        self._limits = lake.limits(seconds)
        self._program = program
        self._turns = Turns()  # a page shows one commit
        self._kept = KeptPages()
        self._looked = 0.0  # when all commits were listed
        self._reports = threading.BoundedSemaphore(_REPORTS)

    def page(self, target: str, client: str = "", viewer: str = "") -> bytes:
        """Returns the page, list of names or report at an address. client: the address of the
        requesting machine. viewer: name of the requesting user, to whose own jobs the page links;
        "": no user, no link. Raises Refused if the address is invalid or names no page."""
        page = self._page(target, client)
        if kind_of(target) == _JSON:
            return page
        mine = ""
        if viewer and not self._lake.hidden:
            of_viewer = Wanted("").address("user", name=viewer)
            mine = f"<li>{link('My jobs', of_viewer)}</li>"
        return page.replace(MINE.encode(), mine.encode("utf-8", "backslashreplace"), 1)

    def _page(self, target: str, client: str) -> bytes:
        """Returns the page of an address, without links for its viewer: from the cache, or made
        when it is the client's turn."""
        asked = wanted(target)
        if asked.page == "report":
            return self._report(asked, client)
        if asked.page not in _OTHERS and asked.page not in pages.PAGES:
            raise Refused(404, "this page does not exist")
        what = (asked, dates.utc().date())
        page = self._known(what)
        if page is not None:
            return page
        with self._turns.turn(client, _kind(asked)):
            page = self._known(what)  # another client may have waited for the same page
            if page is None:
                page = self._made(asked).encode("utf-8", "backslashreplace")
                if asked.page != "job":  # the page shows whether the log's file still exists
                    self._kept.put(self._lake.commit, what, page)
        return page

    def _known(self, what: Hashable) -> bytes | None:
        """Returns a cached page of the newest commit; None if it must be made first."""
        look = time.monotonic() - self._looked > _LOOK
        if look:
            self._looked = time.monotonic()
        return self._kept.get(self._lake.commit, what) if self._lake.is_newest(look) else None

    def _made(self, asked: Wanted) -> str:
        """Returns a new page, of the newest commit. Tries again if a commit removes files
        meanwhile."""
        make = _OTHERS.get(asked.page, pages.render)
        with self._lake.limited(self._limits) as watch:
            for _ in range(_AGAIN):  # a prune may remove files while they are read
                with contextlib.suppress(LakeError):
                    self._lake.refresh()
                    return make(self._lake, asked)
                watch.check()
            self._lake.refresh()
            return make(self._lake, asked)

    def _report(self, asked: Wanted, client: str) -> bytes:
        """Returns the report of the requested log. Raises Refused if _REPORTS reports are being
        made."""
        with self._turns.turn(client, asked.page), self._lake.limited(self._limits):
            self._lake.refresh()
            path = job.log_of(self._lake, asked)
        if not self._reports.acquire(blocking=False):
            raise Refused(503, "other reports are being made; try again later")
        try:
            return job.report(path, asked.log)
        finally:
            self._reports.release()

    def complain(self, target: str, error: Exception) -> None:
        """Prints an error of the server on stderr. The client does not receive it. target: the
        address that was requested."""
        words = str(error).partition("\n")[0]
        say(self._program, f"/{target[:200].lstrip('/')}: {type(error).__name__}: {words}")


class _Lines(io.BufferedReader):
    """Reads the lines of a request. If a connection is closed early, the parser of headers would
    take an incomplete request for a complete one, and making its page would delay other
    requests."""

    def readline(self, size: int | None = -1, /) -> bytes:
        """Returns a line with its end, or `size` bytes of it. Raises ConnectionAbortedError if the
        connection ends within a line."""
        line = super().readline(size)
        if line.endswith(b"\n") or len(line) == size:
            return line
        raise ConnectionAbortedError


class Handler(http.server.BaseHTTPRequestHandler):
    """Handles a connection of a browser: responds to its request with a page or a refusal."""

    timeout = _SECONDS
    server: Server

    def setup(self) -> None:
        """Replaces the reader, so that only complete lines are read."""
        super().setup()
        self.rfile = _Lines(self.rfile.detach())

    def do_GET(self) -> None:
        """Sends a page, or one line with the reason why there is none."""
        self.server.said(self.connection)
        try:
            self._allowed()
            self._send(
                200, kind_of(self.path),
                self.server.site.page(self.path, self._client(), self._viewer()),
            )  # fmt: skip
        except Refused as refused:
            self._line(refused.status, str(refused))
        except (ConnectionError, TimeoutError):
            raise
        except LimitExceeded as error:
            self.server.site.complain(self.path, error)
            self._line(504, f"this page was not made: {error}")
        except (LakeError, OSError) as error:
            self.server.site.complain(self.path, error)
            self._line(503, "cannot read the lake now; try again later")
        except Exception as error:
            self.server.site.complain(self.path, error)
            self._line(500, "this page could not be made")

    def _client(self) -> str:
        """Returns the address of the client, by which requests are queued fairly. Behind a proxy on
        this machine, it is the address that the proxy adds in a header."""
        address = str(self.client_address[0])
        if ipaddress.ip_address(address).is_loopback:
            return self.headers.get("X-Forwarded-For", address).rpartition(",")[2].strip()[:64]
        return address

    def _viewer(self) -> str:
        """Returns the name of the user that a proxy adds in a header; "" if the server does not use
        such a header."""
        header = self.server.user_header
        return self.headers.get(header, "").strip()[:_NAME] if header else ""

    def _allowed(self) -> None:
        """Raises Refused for host names that are not this machine's. An attacker's DNS name could
        point to this address (DNS rebinding), and the browser would then let the attacker's site
        read the pages."""
        hosts = self.headers.get_all("Host", ["localhost"])
        found = _HOST.fullmatch(hosts[0].lower()) if len(hosts) == 1 else None
        name = found[1] if found else ""
        if name not in self.server.names and not (self.server.remote and _is_number(name)):
            raise Refused(421, "the request names another host; see --name")

    def _refuse(self) -> None:
        self._line(405, "pages are read, and nothing else")

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_TRACE = _refuse

    def _line(self, status: int, words: str) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{visible(words)}\n".encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        """Sends a response with its headers. kind: the content type. The content is left out after
        a HEAD request."""
        self.send_response(status)
        for name, value in _HEADERS:
            self.send_header(name, value)
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET")
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.send_header("Retry-After", str(_RETRY))
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Sends one line in response to a malformed request, without quoting the request."""
        self.command = getattr(self, "command", None) or "GET"
        self._line(code, "this is not a request for a page")

    def version_string(self) -> str:
        """Returns the server's name for the response's header."""
        return "darshan"

    def log_message(self, *_: Any) -> None:
        """Logs nothing, because a proxy can log requests."""


class Server(http.server.ThreadingHTTPServer):
    """The HTTP server, with a limit on simultaneous connections."""

    daemon_threads = True
    request_queue_size = 256
    user_header = ""  # in which a proxy names the user

    def __init__(
        self, address: str, port: int, site: Site, remote: bool, names: Iterable[str] = ()
    ) -> None:
        """Listens at an address and a port. remote: whether other machines may connect: every IP
        address, and this machine's names, are then accepted as host of a request. names: further
        accepted host names."""
        self.site = site
        self.remote = remote
        self.shown = f"[{address}]" if ":" in address else address
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        own = (socket.gethostname(), socket.getfqdn()) if remote else ()
        self.names = {*_LOCAL, self.shown, *(name.lower() for name in (*own, *names))}
        self._lock = threading.Lock()
        # connections without a complete request, the oldest first
        self._silent: dict[Any, None] = {}
        self._open = 0
        super().__init__((address, port), Handler)

    def server_bind(self) -> None:
        """Binds the socket. Skips the look-up of the address's name, which may take long."""
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.shown, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handles a connection in a thread. If there are too many connections, closes the oldest
        one that has no complete request, or else the new one."""
        with self._lock:
            if self._open >= _AT_ONCE and not self._ended_oldest():
                self.shutdown_request(request)
                return
            self._open += 1
            self._silent[request] = None
        super().process_request(request, client_address)

    def _ended_oldest(self) -> bool:
        """Closes the oldest connection without a complete request. Returns whether there was
        one."""
        for request in self._silent:
            del self._silent[request]
            with contextlib.suppress(OSError):
                # its thread reads the end of the stream and ends
                request.shutdown(socket.SHUT_RDWR)
            return True
        return False

    def said(self, request: Any) -> None:
        """Records that the request of a connection is complete, so that it is no longer closed in
        favour of a new one."""
        with self._lock:
            self._silent.pop(request, None)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handles one connection in its thread. Afterwards, it no longer counts as open."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._silent.pop(request, None)
                self._open -= 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints the error of a connection, unless the client closed it or timed out."""
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, (ConnectionError, TimeoutError)):
            self.site.complain("", error)
