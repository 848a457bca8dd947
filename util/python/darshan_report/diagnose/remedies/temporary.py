"""Remedies for many temporary files, in the words of the library or the shell that makes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ...call_sites.lines import Site, sites_of
from ...call_sites.measured import OPEN
from ...call_sites.told import name_of
from ...library import LogError
from ..accesses import here_files
from ..facts import Facts
from ..finding import Remedy

# Kinds of temporary files: a pattern for a function of the library that makes them, a pattern for
# the names of the files, and the remedy. A kind applies if one of its patterns matches.
_KINDS = (
    (
        r"(?:javax\.imageio\.)?(?:ImageIO\.|(?:new )?FileCacheImage(?:Input|Output)Stream)",
        r"/imageio\d+\.tmp$",
        Remedy(
            "Java's ImageIO copies each stream that it reads or writes through a temporary file: "
            "let it keep the image in memory, which is enough unless the images are huge.",
            "Java: ImageIO.setUseCache(false);  // once, at the start of the program",
        ),
    ),
    (
        r"tempfile\.SpooledTemporaryFile\.",
        r"(?!)",
        Remedy(
            "SpooledTemporaryFile makes a file once the data are larger than max_size, or fileno() "
            "is called: give it a larger max_size, or use a buffer in memory.",
            "Python: tempfile.SpooledTemporaryFile(max_size=64 << 20)\nPython: io.BytesIO()",
        ),
    ),
    (r"(?!)", here_files.NAMES, here_files.REMEDY),
    (
        r"(?!)",
        r"/Rtmp\w+/\w+$",
        Remedy(
            "Keep the values in R, or text in a textConnection or rawConnection, which need no "
            "file; or write one file with all of them.",
            "R: con <- textConnection(text);  rows <- read.csv(text = text)",
        ),
    ),
)
_MOST = 0.5  # part of the files, or of the opens


def made_by(facts: Facts, records: Iterable[int]) -> Remedy | None:
    """Returns the remedy for temporary files that one library made; None for others. records: ids
    of the files."""
    names = [facts.name(record) for record in records]
    opens = Counter[int]()
    for site in _opening(facts):
        inside = site.places[: max(0, site.user)] if site.user >= 0 else site.places
        called = [name_of(place) for place in inside]
        for number, (function, _, _) in enumerate(_KINDS):
            if any(re.match(function, name) for name in called):
                opens[number] += int(site.sums.calls_of[OPEN])
    for number, (_, name, remedy) in enumerate(_KINDS if names else ()):
        named = sum(re.search(name, one) is not None for one in names)
        if named > _MOST * len(names) or opens[number] > _MOST * max(1, len(names)):
            return remedy
    return None


def by_name(name: str) -> Remedy | None:
    """Returns the remedy for a temporary file whose name tells what made it; None for others."""
    return next((remedy for _, pattern, remedy in _KINDS if re.search(pattern, name)), None)


def _opening(facts: Facts) -> list[Site]:
    try:
        return [site for site in sites_of(facts.log) if site.sums.calls_of[OPEN] > 0]
    except LogError:
        return []
