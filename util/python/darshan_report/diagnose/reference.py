"""Where diagnoses and counters are described: anchors on pages of the documentation's site."""

from __future__ import annotations

import functools
import os
from urllib.parse import quote, urlsplit

PAGE = "doc/diagnoses.html"  # below the site's first page; doc/conf.py makes it
_COUNTERS = "doc/counters.html"
VARIABLE = "DARSHAN_DOC_URL"
_SCHEMES = ("http", "https", "file")
_SAFE = "/:@&=+$,;~%!*'[]"  # of an address; nothing that PDF, LaTeX or HTML would end


def anchor(name: str) -> str:
    """Of a diagnosis on the page."""
    return f"diagnosis-{name}"


def _address(named: str) -> str:
    """An address or an absolute path as an address that ends with "/"; "" for neither."""
    if named.startswith("/"):
        return f"file:///{quote(named.strip('/'), errors='surrogateescape')}/"
    try:
        parts = urlsplit(named)
    except ValueError:
        return ""
    if parts.scheme not in _SCHEMES or not (parts.netloc or parts.path.startswith("/")):
        return ""
    whole = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/"
    return quote(whole, safe=_SAFE, errors="surrogateescape")


@functools.cache
def _installed() -> str:
    """What configure was told, else the site that was installed with this package."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:  # written by `make install`
        from .. import _installed as place  # type: ignore[attr-defined]  # noqa: PLC0415
    except ImportError:  # the build folder holds a link to this package below python/
        url, folder = "", os.path.join(os.pardir, os.pardir, "site")
    else:
        url, folder = getattr(place, "DOC_URL", ""), getattr(place, "DOC_FOLDER", "")
    site = os.path.normpath(os.path.join(package, folder))
    there = folder and os.path.isfile(os.path.join(site, PAGE))
    return url or (site if there else "")


def problem() -> str:
    """A line if the variable names no place where a site may be."""
    named = os.environ.get(VARIABLE, "")
    if not named or _address(named):
        return ""
    return f"{VARIABLE} is neither an address (https://...) nor an absolute path: no links"


def base() -> str:
    """Address of the site, with "/" at its end; empty if none is known."""
    named = os.environ.get(VARIABLE)
    return _address(_installed() if named is None else named)


def reference(name: str) -> str:
    """Address of a diagnosis; the page and anchor alone where no site is known."""
    return f"{base()}{PAGE}#{anchor(name)}"


def counter(name: str) -> str:
    """Address of a counter of the tables, as above."""
    return f"{base()}{_COUNTERS}#{name.lower()}"


def is_link(text: str) -> bool:
    """Whether a reference leads somewhere from wherever the report is read."""
    return text.startswith(tuple(f"{scheme}://" for scheme in _SCHEMES))
