"""For `darshan list`: finds the most important finding of each log, and caches it in the user's
cache folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Sequence

_KEPT = 1000  # entries of the cache
_RULES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "diagnose")


def _folder() -> str:
    """Returns the folder of the cache; "" if the user has no home folder."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.environ.get("HOME", "")
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return os.path.join(base, "darshan", "findings") if base else ""


def _rules() -> str:
    """Returns a string that changes with the files of the rules, so that the cache never returns
    findings of older rules."""
    entries = [entry for folder, _, _ in os.walk(_RULES)
               for entry in os.scandir(folder) if entry.name.endswith(".py")]  # fmt: skip
    return f"{len(entries)} {max(entry.stat().st_mtime_ns for entry in entries)}"


class _Cache:
    """A cache on disk of the first finding of each log: one small file per log. An entry is ignored
    after the log or the rules have changed."""

    def __init__(self) -> None:
        self._folder = _folder()
        self._rules = _rules()

    def _path(self, log: str) -> str:
        status = os.stat(log)
        key = f"{os.path.realpath(log)}\0{status.st_size}\0{status.st_mtime_ns}\0{self._rules}"
        name = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
        return os.path.join(self._folder, name)

    def get(self, log: str) -> tuple[str, str] | None:
        if not self._folder:
            return None
        try:
            with open(self._path(log), encoding="utf-8") as file:
                name, tab, title = file.read(1000).rstrip("\n").partition("\t")
        except (OSError, UnicodeDecodeError):
            return None
        return (name, title) if tab else None

    def put(self, log: str, found: tuple[str, str]) -> None:
        """Stores the first finding of a log. log: its path. found: name and title of the diagnosis;
        both are empty if there is no finding. Ignores errors of a cache that cannot be written."""
        if not self._folder:
            return
        with contextlib.suppress(OSError):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".new-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write("\t".join(found) + "\n")
            os.replace(temporary, self._path(log))

    def prune(self) -> None:
        """Removes the oldest entries; _KEPT remain."""
        with contextlib.suppress(OSError):
            entries = sorted(os.scandir(self._folder), key=lambda entry: entry.stat().st_mtime)
            for entry in entries[:-_KEPT]:
                os.unlink(entry.path)


def _compute(log: str) -> tuple[str, str]:
    from ..diagnose.finding import shown_first  # noqa: PLC0415 - only if the cache lacks a log
    from ..diagnose.limits import Limits  # noqa: PLC0415
    from ..log import open_log  # noqa: PLC0415
    from .context import Context  # noqa: PLC0415

    with open_log(log) as opened:
        first = shown_first(Context(opened, Limits()).findings)[:1]
    return (first[0].name, first[0].title) if first else ("", "")


def _print(number: int, found: tuple[str, str]) -> None:
    print(number, *found, sep="\t", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `--first-findings SECONDS -- LOG...`. For each log prints a line: its number (from 0),
    the name of the diagnosis and its title, which are empty without a finding, separated by tabs;
    logs in the cache come first. After SECONDS, begins no further log. Logs that cannot be read are
    left out. Returns the exit status 0."""
    seconds, _, *logs = sys.argv[1:] if arguments is None else arguments
    until = time.monotonic() + float(seconds)
    cache = _Cache()
    others = []
    for number, log in enumerate(logs):
        found = cache.get(log)
        if found is None:
            others.append((number, log))
        else:
            _print(number, found)
    for number, log in others:
        if time.monotonic() >= until:
            break
        from ..library import LogError  # noqa: PLC0415

        try:
            found = _compute(log)
        except LogError:
            continue  # `darshan list` reports it
        cache.put(log, found)
        _print(number, found)
    if others:
        cache.prune()
    return 0
