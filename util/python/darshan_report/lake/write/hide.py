"""Names that say nothing: for data that leave the house.

With one key the same name becomes the same word, so that lakes of several months, or of
several machines, still fit together; without it nobody can tell what it was.
"""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import pyarrow as pa

from ..columns import WHOSE, Table


class Hide:
    """Hides names with a key; without one it leaves them as they are."""

    def __init__(self, key: str = "") -> None:
        self._key = hashlib.blake2b(key.encode(), digest_size=32).digest() if key else b""
        self.text = functools.lru_cache(maxsize=65536)(self._text)

    @property
    def sign(self) -> str:
        """By which a key is known again, and from which it cannot be had."""
        return self._text("key of a lake")

    def __bool__(self) -> bool:
        return bool(self._key)

    def _text(self, text: str) -> str:
        if not self._key or not text:
            return text
        digest = hashlib.blake2b(text.encode("utf-8", "surrogateescape"), key=self._key)
        return digest.hexdigest()[:16]

    def number(self, value: int) -> int:
        """The same of a number."""
        return int(self._text(str(value)), 16) >> 1 if self._key else value

    def column(self, column: pa.DictionaryArray) -> pa.DictionaryArray:
        """A column of texts."""
        if not self._key:
            return column
        values = [None if v is None else self.text(v) for v in column.dictionary.to_pylist()]
        return pa.DictionaryArray.from_arrays(column.indices, pa.array(values, pa.string()))

    def row(self, table: Table, row: dict[str, Any]) -> dict[str, Any]:
        """A row by name: what tells who, or of what, is hidden; whose it is was, before."""
        if not self._key:
            return row
        hidden = dict(row)
        for column in table.columns[len(WHOSE) :]:
            value = hidden.get(column.name)
            if not column.secret or value is None:
                continue
            if isinstance(value, str):
                hidden[column.name] = self.text(value)
            elif isinstance(value, int):
                hidden[column.name] = self.number(value)
        return hidden
