"""The version of the package, which configure.ac defines."""

from __future__ import annotations

import os
import re


def _version() -> str:
    """Returns the version of the installed package or, in a source tree, the version in
    configure.ac; "unknown" if neither exists."""
    try:
        from ._installed import VERSION  # type: ignore[import-not-found]  # noqa: PLC0415

        return str(VERSION)
    except ImportError:
        pass
    package = os.path.dirname(os.path.realpath(__file__))
    try:
        with open(os.path.join(package, "../../../configure.ac"), encoding="utf-8") as file:
            found = re.search(r"^AC_INIT\(\[darshan\], \[([^]]+)\]\)", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else "unknown"


VERSION = _version()
