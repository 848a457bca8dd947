"""Posts the result of `darshan ask LAKE changes` to a web server, as JSON.

Address and token are secrets, because everyone who knows the address of a chat's webhook can write
to the chat. So they come from a file or from the environment, and messages contain only the host of
the address."""

from __future__ import annotations

import http.client
import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

from ...classes import dataclass
from ...units import plural
from ..ask.changes import COLUMNS, Change
from ..commit.storage import LakeError
from .arguments import Webhook

_SECONDS = 30.0  # seconds for everything: name service, connections, redirects, and the response
_REDIRECTS = 3
_REDIRECTS_OF_HTTP = (301, 302, 303, 307, 308)
_SAME_REQUEST = (307, 308)  # redirects after which the same request is sent again
_PORTS = {"http": 80, "https": 443}
_MARKUP = re.compile(r"[<>&@`\[\]]")  # of chats, in names that users choose


@dataclass(frozen=True)
class _Origin:
    """The scheme, host and port of an address. The token is sent only to the origin of
    --webhook."""

    scheme: str
    host: str
    port: int

    @property
    def is_here(self) -> bool:
        """Whether the host is this machine."""
        return self.host in ("localhost", "127.0.0.1", "::1")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        own = _PORTS.get(self.scheme) == self.port
        return f"{self.scheme}://{host}" + ("" if own else f":{self.port}")


def _origin(address: str) -> _Origin:
    """Returns the origin of an address. Raises LakeError if it is not an HTTP address."""
    try:
        parts = urllib.parse.urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urllib.parse.urlsplit(""), None
    # http.client refuses control characters, but names the whole address in its message.
    bad = (
        not address.isascii() or not address.isprintable() or " " in address or "@" in parts.netloc
    )
    if parts.scheme not in _PORTS or not parts.hostname or bad:
        raise LakeError("the webhook's address must begin with https:// or http:// and a host")
    return _Origin(parts.scheme, parts.hostname, port or _PORTS[parts.scheme])


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Treats each redirect as an error, which has its status and headers."""

    def redirect_request(self, *_: Any) -> None:
        """Returns None, so that no redirect is followed."""


def _next(request: urllib.request.Request, found: urllib.error.HTTPError) -> urllib.request.Request:
    """Returns the request to send after a redirect: the same request, to the same origin. Raises
    LakeError for any other redirect, because it would send the token to another server, or send a
    GET without the content."""
    here = _origin(request.full_url)
    address = urllib.parse.urljoin(request.full_url, found.headers.get("Location", ""))
    if found.code not in _SAME_REQUEST:
        raise LakeError(f"{here} answers with the redirect {found.code}; name the final address")
    there = _origin(address)
    if there != here:
        raise LakeError(f"{here} redirects to another host, {there}; name the final address")
    headers = dict(request.header_items())
    return urllib.request.Request(address, request.data, headers, method="POST")


def body(lake: str, since: str, found: list[Change], top: int) -> bytes:
    """Returns the JSON that is posted: `text` for people, which a chat shows, and the first `top`
    changes with all numbers. lake: its path. since: the day of --since."""
    some, more = found[:top], len(found) - top
    lines = [one.says for one in some]
    lines += [f"{plural(more, 'more change')} (--top)"] if more > 0 else []
    said = _MARKUP.sub(lambda one: f"\\x{ord(one[0]):02x}", "\n".join(lines))
    rows = [{name: value(one) for name, _, value in COLUMNS} for one in some]
    whole: Mapping[str, Any] = {
        "text": said, "lake": lake, "since": since, "changes": rows, "more": max(more, 0),
    }  # fmt: skip
    return json.dumps(whole, default=lambda moment: moment.isoformat()).encode()


def _why(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the answer was {error.code}"
    reason = getattr(error, "reason", error)
    words = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    return str(words).partition("\n")[0]


def _post(to: Webhook, content: bytes) -> None:
    """Posts the content, and follows redirects to the same origin. Raises HTTPError for any other
    answer than success, and URLError."""
    headers = {"Content-Type": "application/json", "User-Agent": "darshan"}
    if to.token:
        headers["Authorization"] = f"Bearer {to.token}"
    request = urllib.request.Request(to.address, content, headers, method="POST")
    opener = urllib.request.build_opener(_NoRedirect())
    for left in reversed(range(1 + _REDIRECTS)):
        try:
            with opener.open(request, timeout=_SECONDS):
                return  # the status is enough
        except urllib.error.HTTPError as found:
            with found:
                if found.code not in _REDIRECTS_OF_HTTP or not left:
                    raise
                request = _next(request, found)


def post(to: Webhook, content: bytes, seconds: float = _SECONDS) -> None:
    """Posts JSON, and returns when the server has accepted it. Raises LakeError, with a message of
    one line without secrets, if it has not. to: address and token. content: the JSON. seconds:
    limit of the whole request."""
    where = _origin(to.address)
    if to.token and where.scheme == "http" and not where.is_here:
        raise LakeError(f"cannot send a token to {where}, because http:// is not encrypted; "
                        "use https://")  # fmt: skip
    failed: list[str] = []

    def work() -> None:
        try:
            _post(to, content)
        except LakeError as error:
            failed.append(str(error))
        except (OSError, http.client.HTTPException, ValueError) as error:
            failed.append(f"cannot post to {where}: {_why(error)}")

    # The limits of sockets are for each read, so a server that sends a byte at a time, and the name
    # service, could take any time. The thread ends with the process.
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise LakeError(f"cannot post to {where}: no answer within {seconds:.0f} s")
    if failed:
        raise LakeError(failed[0])
