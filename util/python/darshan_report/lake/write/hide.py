"""Anonymizes names and ids, for data that leave the centre. With the same key, a name always
becomes the same string, so that lakes of several months or machines can be combined. Without the
key the names cannot be restored."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import numpy as np
import pyarrow as pa

from ..columns import WHOSE, Table


class Hide:
    """Anonymizes names with a key. Without a key, its methods return values unchanged and it is
    false."""

    def __init__(self, key: str = "") -> None:
        said = key.encode("utf-8", "surrogateescape")
        self._key = hashlib.blake2b(said, digest_size=32).digest() if key else b""
        self.text = functools.lru_cache(maxsize=65536)(self._text)

    @property
    def sign(self) -> str:
        """A string that identifies the key, from which the key cannot be computed."""
        return self._text("key of a lake")

    @property
    def for_paths(self) -> bytes:
        """The key for hashes of paths that are not in the tables; b"" if names are not
        anonymized."""
        return hashlib.blake2b(b"paths", digest_size=32, key=self._key).digest() * bool(self._key)

    def __bool__(self) -> bool:
        return bool(self._key)

    def _text(self, text: str) -> str:
        if not self._key or not text:
            return text
        digest = hashlib.blake2b(text.encode("utf-8", "surrogateescape"), key=self._key)
        return digest.hexdigest()[:16]

    def number(self, value: int) -> int:
        """Returns an anonymized integer, such as a user id: a hash of 63 bits."""
        return int(self._text(str(value)), 16) >> 1 if self._key else value

    def _bytes(self, value: bytes) -> bytes:
        return hashlib.blake2b(value, digest_size=len(value), key=self._key).digest()

    def ids(self, array: np.ndarray) -> np.ndarray:
        """Returns anonymized record ids, so that a reader cannot test a guessed name by its hash.
        0, which means no id, stays 0."""
        if not self._key or not len(array):
            return array
        used, places = np.unique(array, return_inverse=True)
        data = np.ascontiguousarray(used).view("V8").tolist()
        words = b"".join(map(self._bytes, data))
        found = np.where(used == 0, 0, np.frombuffer(words, "<u8")).astype("u8")
        return np.asarray(found[places])

    def uuids(self, array: np.ndarray) -> np.ndarray:
        """Returns anonymized UUIDs, as an array of the same form."""
        if not self._key or not len(array):
            return array
        words = b"".join(map(functools.cache(self._bytes), array.tolist()))
        return np.frombuffer(words, "V16")

    def column(self, column: pa.DictionaryArray) -> pa.DictionaryArray:
        """Returns a column of strings with anonymized values. Without a key, returns the same
        column."""
        if not self._key:
            return column
        values = [None if v is None else self.text(v) for v in column.dictionary.to_pylist()]
        return pa.DictionaryArray.from_arrays(column.indices, pa.array(values, pa.string()))

    def row(self, table: Table, row: dict[str, Any]) -> dict[str, Any]:
        """Returns a copy of a row of a table, in which the secret columns are anonymized. The first
        columns, which come from job.whose, are anonymized already."""
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
