"""Checks that the files of a lake still have the contents that were written.

A commit has the hash of each file. Most readers of Parquet use neither this hash nor the checksums
of pages, so a flipped bit would change their sums without a warning."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import os
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from . import storage
from .commits import File, Snapshot

_STEP = 1 << 20
_PLACE = "_checked.json"  # in the lake: where the next check of a part begins


def hash_of(path: str) -> str:
    """Returns the hash of a file's content as 32 hexadecimal digits, the form that commits
    store."""
    whole = hashlib.blake2b(digest_size=16)
    with open(path, "rb", buffering=0) as file:
        while part := file.read(_STEP):
            whole.update(part)
    return whole.hexdigest()


def _pages(path: str) -> str:
    """Reads each page of a file of an earlier release, whose commit has no hash. Returns an error
    message; "" if the pages are intact."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as opened:
            for number in range(opened.num_row_groups):
                opened.read_row_group(number)
    except pa.ArrowException as error:
        return str(error).split("\n")[0]
    return ""


def wrong(lake: str, file: File) -> str:
    """Returns a message on how a file's content differs from what was written; "" if it is the
    same. lake: path of the lake."""
    path = os.path.join(lake, file.path)
    try:
        if not file.hash:
            return _pages(path)
        same = hash_of(path) == file.hash
    except OSError as error:
        return error.strerror or str(error)
    return "" if same else "has another content than was written: restore it, or collect again"


def all_wrong(lake: str, some: Iterable[File]) -> Iterator[str]:
    """Yields a line for each of these files whose content differs from what was written: its path,
    and how it differs. lake: path of the lake."""
    for file in some:
        if said := wrong(lake, file):
            yield f"{file.path}: {said}"


def _order(path: str) -> str:
    return hashlib.blake2b(path.encode(), digest_size=8).hexdigest()


def _begin(lake: str) -> str:
    """Returns the place in the order of files at which the next partial check begins; if that is
    unknown, one that depends on the day."""
    with contextlib.suppress(storage.LakeError):
        return str(storage.load_json(os.path.join(lake, _PLACE)).get("next", ""))
    return _order(str(datetime.date.today()))


def next_part(snapshot: Snapshot, most: int) -> list[File]:
    """Returns the files to check next: at least one if the lake has any, and together at most
    `most` bytes unless the first is larger. Repeated calls return all files of the lake one after
    another, if this user may write there."""
    ordered = sorted(snapshot.files.values(), key=lambda f: _order(f.path))
    begin = _begin(snapshot.path)
    ordered = [f for f in ordered if _order(f.path) >= begin] + [
        f for f in ordered if _order(f.path) < begin
    ]
    size, number = 0, 0
    for file in ordered:
        size += file.bytes
        if number and size > most:
            break
        number += 1
    if ordered:
        place = _order(ordered[number % len(ordered)].path)
        with contextlib.suppress(OSError):  # a reader of the lake may check it, too
            content = storage.as_json({"next": place})
            storage.replace(os.path.join(snapshot.path, _PLACE), content)
    return ordered[:number]
