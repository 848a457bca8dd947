"""The thresholds in force: those of the table, with the changes of a user's file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from .threshold import Limit
from .thresholds import LIMITS


class LimitError(Exception):
    """A file of thresholds cannot be used. The message has the path, the line and the reason."""


class Limits(Mapping[str, float]):
    """The thresholds by name, with the values that a user's file changed."""

    def __init__(self, changed: Mapping[str, float] | None = None) -> None:
        self._rows = {limit.name: limit for limit in LIMITS}
        self._changed = dict(changed or {})
        # A dict, because the rules look up several hundred values for each log.
        self._values = {name: row.value for name, row in self._rows.items()}
        self._values.update((n, v) for n, v in self._changed.items() if n in self._rows)

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, name: str) -> Limit:
        """Returns a threshold with the value in force; its source says if the user changed it.
        Raises KeyError if there is none of this name."""
        row = self._rows[name]
        if name not in self._changed:
            return row
        return Limit(name, self[name], row.unit, row.meaning, "changed by the user")


def read_limits(path: str | os.PathLike[str]) -> Limits:
    """Returns the thresholds of a user's file; those that it does not name keep their values. The
    file has lines `name = number` and comments from # on. Raises LimitError if a line has another
    form or an unknown name, or if the file cannot be read."""
    known = {limit.name for limit in LIMITS}
    changed: dict[str, float] = {}
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                text = line.partition("#")[0].strip()
                if not text:
                    continue
                name, equals, value = (part.strip() for part in text.partition("="))
                if not equals or name not in known:
                    raise LimitError(
                        f"{os.fspath(path)}:{number}: there is no threshold {name}; "
                        "--list-thresholds prints all"
                    )
                try:
                    changed[name] = float(value)
                except ValueError:
                    raise LimitError(
                        f"{os.fspath(path)}:{number}: {value!r} is not a number"
                    ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise LimitError(f"{os.fspath(path)}: {error}") from None
    return Limits(changed)
