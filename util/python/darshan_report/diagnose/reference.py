"""The addresses of the descriptions of diagnoses and counters on the site with Darshan's
documentation."""

from __future__ import annotations

import functools
import os
from urllib.parse import quote, urlsplit

PAGE = "doc/diagnoses.html"  # relative to the site's first page; doc/conf.py makes it
_COUNTERS = "doc/counters.html"
VARIABLE = "DARSHAN_DOC_URL"
_SCHEMES = ("http", "https", "file")
_SAFE = "/:@&=+$,;~%!*'[]"  # not quoted in an address; safe in strings of PDF, LaTeX and HTML


def anchor(name: str) -> str:
    """Returns the anchor of a diagnosis on the page of all diagnoses."""
    return f"diagnosis-{name}"


def _address(named: str) -> str:
    """Returns an address, or the file: address of an absolute path, with "/" at its end; "" for
    other text."""
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
    """Returns the address of the site that configure set, or else the folder of the site that is
    installed with this package; "" if there is none."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:  # written by `make install`
        from .. import _installed as place  # noqa: PLC0415
    except ImportError:  # the build folder holds a link to this package below python/
        url, folder = "", os.path.join(os.pardir, os.pardir, "site")
    else:
        url, folder = getattr(place, "DOC_URL", ""), getattr(place, "DOC_FOLDER", "")
    site = os.path.normpath(os.path.join(package, folder))
    there = folder and os.path.isfile(os.path.join(site, PAGE))
    return url or (site if there else "")


def problem() -> str:
    """Returns an error message if the environment variable DARSHAN_DOC_URL is set, but is neither
    an address nor an absolute path; "" otherwise."""
    named = os.environ.get(VARIABLE, "")
    if not named or _address(named):
        return ""
    return f"{VARIABLE} is neither an address (https://...) nor an absolute path: no links"


def base() -> str:
    """Returns the address of the documentation's site, with "/" at its end; "" if neither
    DARSHAN_DOC_URL nor the installation names a valid one."""
    named = os.environ.get(VARIABLE)
    return _address(_installed() if named is None else named)


def reference(name: str) -> str:
    """Returns the address of a diagnosis's description; only page and anchor if no site is
    known."""
    return f"{base()}{PAGE}#{anchor(name)}"


def counter(name: str) -> str:
    """Returns the address of a counter's description; only page and anchor if no site is known."""
    return f"{base()}{_COUNTERS}#{name.lower()}"


def is_link(text: str) -> bool:
    """Returns whether text is an address that a browser can open: https, http or file."""
    return text.startswith(tuple(f"{scheme}://" for scheme in _SCHEMES))
