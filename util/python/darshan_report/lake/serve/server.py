"""Pages over HTTP: read, never written; one lake, which is looked at anew for each page."""

from __future__ import annotations

import contextlib
import http.server
import io
import ipaddress
import socket
import sys
import threading
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from ...summary.text import visible
from ..ask.engine import Asked
from ..commands.say import say
from ..commit.place import LakeError
from . import job, pages
from .wanted import Refused, Wanted, wanted

_AT_ONCE = 32  # connections; who has said nothing for longest makes room for another
_REPORTS = 2
_AGAIN = 2
_SECONDS = 30  # that a connection may be silent
_HEADERS = (
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Content-Security-Policy", "frame-ancestors 'none'"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
)  # fmt: skip
_LOCAL = frozenset(("localhost", "127.0.0.1", "[::1]"))


def _is_number(name: str) -> bool:
    """No name that somebody could turn elsewhere."""
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(name.strip("[]")))
    return False


class Site:
    """The lake behind the pages."""

    def __init__(self, lake: Asked, program: str) -> None:
        self._lake = lake
        self._program = program
        self._lock = threading.Lock()  # a page is of one commit
        self._reports = threading.BoundedSemaphore(_REPORTS)

    def page(self, target: str) -> bytes:
        """What an address shows; Refused."""
        asked = wanted(target)
        if asked.page == "report":
            return self._report(asked)
        if asked.page != "job" and asked.page not in pages.PAGES:
            raise Refused(404, "there is no such page")
        with self._lock:
            text = self._made(asked)
        return text.encode("utf-8", "backslashreplace")

    def _made(self, asked: Wanted) -> str:
        make = job.render if asked.page == "job" else pages.render
        for _ in range(_AGAIN):  # files may go while they are read: a user is pruned, say
            with contextlib.suppress(LakeError):
                self._lake.refresh()
                return make(self._lake, asked)
        self._lake.refresh()
        return make(self._lake, asked)

    def _report(self, asked: Wanted) -> bytes:
        with self._lock:
            self._lake.refresh()
            path = job.log_of(self._lake, asked)
        if not self._reports.acquire(blocking=False):
            raise Refused(503, "other reports are being made: ask again in a moment")
        try:
            return job.report(path, asked.log)
        finally:
            self._reports.release()

    def complain(self, target: str, error: Exception) -> None:
        """A line of what went wrong here, which is not told to who asked."""
        words = str(error).partition("\n")[0]
        say(self._program, f"/{target[:200].lstrip('/')}: {type(error).__name__}: {words}")


class _Lines(io.BufferedReader):
    """What a client says.  Half a request, of one who went or had to make room, would look
    whole to the parser of headers, and its page take the time of those who wait for theirs."""

    def readline(self, size: int | None = -1, /) -> bytes:
        """A line with its end, or as much of it as is wanted."""
        line = super().readline(size)
        if line.endswith(b"\n") or len(line) == size:
            return line
        raise ConnectionAbortedError


class Handler(http.server.BaseHTTPRequestHandler):
    """A request."""

    timeout = _SECONDS
    server: Server

    def setup(self) -> None:
        """Reads lines that are whole."""
        super().setup()
        self.rfile = _Lines(self.rfile.detach())

    def do_GET(self) -> None:
        """A page, or a line that says why not."""
        self.server.said(self.connection)
        try:
            self._allowed()
            self._send(200, "text/html; charset=utf-8", self.server.site.page(self.path))
        except Refused as refused:
            self._line(refused.status, str(refused))
        except (ConnectionError, TimeoutError):
            raise
        except (LakeError, OSError) as error:
            self.server.site.complain(self.path, error)
            self._line(503, "the lake cannot be read now")
        except Exception as error:
            self.server.site.complain(self.path, error)
            self._line(500, "this page could not be made")

    def _allowed(self) -> None:
        """A page of another site, whose name its owner has turned to this address, would be
        let in by the browser: so only names of this machine are answered to."""
        host = self.headers.get("Host", "localhost").lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if name not in self.server.names and not (self.server.remote and _is_number(name)):
            raise Refused(421, "this is no name of this machine")

    def _refuse(self) -> None:
        self._line(405, "pages are read, and nothing else")

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_TRACE = _refuse

    def _line(self, status: int, words: str) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{visible(words)}\n".encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in _HEADERS:
            self.send_header(name, value)
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Of a request that is none: a line, too, and nothing of it is said back."""
        self.command = getattr(self, "command", None) or "GET"
        self._line(code, "this is no request for a page")

    def version_string(self) -> str:
        """What the server is called."""
        return "darshan"

    def log_message(self, *_: Any) -> None:
        """Who read what is told by the proxy in front, if somebody wants that."""


class Server(http.server.ThreadingHTTPServer):
    """The server, with a bound on what is asked at once."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self, address: str, port: int, site: Site, remote: bool, names: Iterable[str] = ()
    ) -> None:
        """remote: answers to any address as a number, and to what this machine is called.
        names: others that it answers to."""
        self.site = site
        self.remote = remote
        self.shown = f"[{address}]" if ":" in address else address
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        own = (socket.gethostname(), socket.getfqdn()) if remote else ()
        self.names = {*_LOCAL, self.shown, *(name.lower() for name in (*own, *names))}
        self._lock = threading.Lock()
        self._silent: dict[Any, None] = {}  # connections, the oldest first
        self._open = 0
        super().__init__((address, port), Handler)

    def server_bind(self) -> None:
        """Binds; the name of the address is not asked for, which may take long."""
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.shown, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread; there is room, or somebody makes it, or nobody is let in."""
        with self._lock:
            if self._open >= _AT_ONCE and not self._ended_oldest():
                self.shutdown_request(request)
                return
            self._open += 1
            self._silent[request] = None
        super().process_request(request, client_address)

    def _ended_oldest(self) -> bool:
        """Of those who have not yet said what they want."""
        for request in self._silent:
            del self._silent[request]
            with contextlib.suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)  # its thread reads the end, and goes
            return True
        return False

    def said(self, request: Any) -> None:
        """What is wanted is known, and is being made."""
        with self._lock:
            self._silent.pop(request, None)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """One connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._silent.pop(request, None)
                self._open -= 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who asked went away; anything else is a fault."""
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, (ConnectionError, TimeoutError)):
            self.site.complain("", error)
