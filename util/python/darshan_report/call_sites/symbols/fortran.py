"""Names of procedures in modules of Fortran. For `find` in the module `archive`, the symbol of
gfortran is __archive_MOD_find; the symbols of Intel's and NAG's compilers are archive_mp_find_ and
archive_MP_find."""

from __future__ import annotations

import re

_GNU = re.compile(r"__([a-z]\w*?)_MOD_([a-z]\w*)")
_OTHERS = re.compile(r"([a-z]\w*?)_(?:mp|MP)_([a-z]\w*?)_?")


def plain(symbol: str) -> str:
    """Returns the name that the programmer gave the procedure, "archive::find"; other names
    unchanged."""
    found = _GNU.fullmatch(symbol) or _OTHERS.fullmatch(symbol)
    return f"{found[1]}::{found[2]}" if found else symbol
