"""From a part, which nobody sees, to a commit, which all see at once.

Of two collectors that have read the same log, the one that commits first has it: the other
one finds that out when its number is taken, takes the log's rows out of its files, and
tries the next number.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import place, seen
from .commits import Change, File, Snapshot
from .seen import Seen

if TYPE_CHECKING:
    from ..write.part import Part


def _text(row: np.void) -> str:
    return f"{int(row['high']):016x}{int(row['low']):016x}"


def without(source: str, target: str, column: str, values: pa.Array) -> tuple[int, int]:
    """Copies a file of Parquet but for the rows whose column has one of these values, a group
    of rows at a time; how many rows are left, and how many are gone."""
    left = gone = 0
    with (
        pq.ParquetFile(source) as file,
        pq.ParquetWriter(
            target, file.schema_arrow, compression="zstd", use_dictionary=_texts(file.schema_arrow)
        ) as writer,
    ):
        for number in range(file.num_row_groups):
            group = file.read_row_group(number)
            keep = pc.invert(pc.is_in(group[column].cast(pa.string()), value_set=values))
            kept = group.filter(keep)
            left += len(kept)
            gone += len(group) - len(kept)
            if len(kept):
                writer.write_table(kept)
    return left, gone


def _texts(schema: pa.Schema) -> list[str]:
    return [f.name for f in schema if pa.types.is_dictionary(f.type)]


class Publisher:
    """Commits the parts of one collector."""

    def __init__(self, lake: str) -> None:
        self.snapshot = Snapshot(lake)
        self.seen = Seen(lake)
        self.seen.update(self.snapshot.seen)
        self._lake = lake

    def refresh(self) -> None:
        """Looks at what others committed."""
        self.snapshot.refresh()
        self.seen.update(self.snapshot.seen)

    def publish(self, part: Part) -> int:
        """Makes a part visible; how many of its logs others had committed before."""
        twice = 0
        name = ""
        published: list[str] = []
        try:
            while True:
                self.refresh()
                again = self.seen.has(part.seen["high"], part.seen["low"])
                if again.any():
                    twice += int(again.sum())
                    self._leave_out(part, again)
                    self._drop(name)
                    name = ""
                if not len(part.seen) and not len(part.copies):
                    break
                name = name or seen.write(self._lake, np.concatenate([part.seen, part.copies]))
                self._move(part, published)
                note = {"logs": len(part.seen), "records": part.records}
                if self.snapshot.commit(Change("collect", part.files, seen=[name], note=note)):
                    self.seen.update(self.snapshot.seen)
                    published, name = [], ""
                    break
        finally:
            if published or name:
                self._give_up(published, name)
            if part.folder:
                shutil.rmtree(part.folder, ignore_errors=True)
        return twice

    def _give_up(self, published: list[str], name: str) -> None:
        """Removes what was not committed, which is asked of the lake itself: what ended the
        attempt may have come after the commit.  What cannot be asked stays, to be swept."""
        self.snapshot.refresh()
        if name not in self.snapshot.seen:
            self._drop(name)
        for path in published:
            if path not in self.snapshot.files:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self._lake, path))

    def _drop(self, name: str) -> None:
        if name:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(self._lake, place.SEEN, name))

    def _move(self, part: Part, published: list[str]) -> None:
        """Puts the files where they belong; nobody looks at them before they are committed."""
        folders = set()
        for file in part.files:
            if file.path in published:
                continue
            target = os.path.join(self._lake, file.path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            published.append(file.path)
            os.rename(os.path.join(part.folder, file.path), target)
            folders.add(os.path.dirname(target))
        for folder in folders:
            place.sync(folder)

    def _leave_out(self, part: Part, again: np.ndarray) -> None:
        """Takes logs that another one has committed out of the files of a part."""
        logs = pa.array([_text(row) for row in part.seen[again]], pa.string())
        part.copies = np.concatenate([part.copies, part.seen[again]])
        part.seen = part.seen[~again]
        files: list[File] = []
        for file in part.files:
            source = os.path.join(part.folder, file.path)
            if not os.path.exists(source):  # it was moved for the number that was taken
                os.rename(os.path.join(self._lake, file.path), source)
            target = f"{source}.new"
            left, gone = without(source, target, "log", logs)
            if gone:
                os.replace(target, source)
            else:
                os.unlink(target)
            if left:
                size = os.path.getsize(source)
                more = {"rows": left, "bytes": size}
                files.append(File(**{**vars(file), **more}))
                place.sync(source)
            else:
                os.unlink(source)
        part.files = files
