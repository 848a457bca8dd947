"""Simulates a loss of power after a trace of calls: synced data is preserved, all other data may be
lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

# A folder's content: name of a file, and the number that Disk gives the file.
Names = dict[str, int]


@dataclass
class DataCall:
    """A call that changes the content of a file: a write or a truncation. Files are numbered."""

    file: int  # number of the file in Disk
    offset: int
    data: bytes | None  # None: truncates the file at the offset

    def apply(self, content: bytes) -> bytes:
        """Returns the content that the file has after the call. content: before it."""
        padded = content.ljust(self.offset, b"\0")
        if self.data is None:
            return padded[: self.offset]
        return padded[: self.offset] + self.data + padded[self.offset + len(self.data) :]


@dataclass
class Disk:
    """A folder with one file, number 0, on a disk that guarantees only synced data. Changes of
    names reach the disk in the order of the calls, changes of data in any order."""

    folder: int  # its inode
    name: str  # of file 0
    inode: int  # of file 0
    content: bytes  # of file 0
    contents: dict[int, bytes] = field(init=False)
    names: Names = field(init=False)
    numbers: dict[int, int] = field(init=False)  # inode -> file
    waiting: list[DataCall] = field(default_factory=list)
    waiting_names: list[Callable[[Names], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.contents = {0: self.content}
        self.names = {self.name: 0}
        self.numbers = {self.inode: 0}

    def feed(self, call: str, *arguments: str) -> None:
        """Applies one call of a trace. call: its name, such as "write"; arguments: its fields, as
        text."""
        getattr(self, f"call_{call}")(*arguments)

    def call_create(self, inode: str, path: str) -> None:
        """Creates an empty file, with the next number."""
        number = len(self.contents)
        self.numbers[int(inode)] = number
        self.contents[number] = b""
        self.waiting_names.append(lambda names: names.update({Path(path).name: number}))

    def call_write(self, inode: str, offset: str, data: str) -> None:
        """Records a write of data, given in hexadecimal, at an offset; it is not synced yet."""
        self.waiting.append(DataCall(self.numbers[int(inode)], int(offset), bytes.fromhex(data)))

    def call_truncate(self, inode: str, size: str) -> None:
        """Records that a file gets this size; it is not synced yet."""
        self.waiting.append(DataCall(self.numbers[int(inode)], int(size), None))

    def call_rename(self, old: str, new: str) -> None:
        """Records that a file is renamed, replacing another one; it is not synced yet."""
        before, after = Path(old).name, Path(new).name
        self.waiting_names.append(lambda names: names.update({after: names.pop(before)}))

    def call_unlink(self, path: str) -> None:
        """Records that the name of a file is removed; it is not synced yet."""
        self.waiting_names.append(lambda names: names.pop(Path(path).name))

    def call_sync(self, inode: str) -> None:
        """Syncs a file's data or, for the folder's inode, all changes of names."""
        if int(inode) == self.folder:
            for change in self.waiting_names:
                change(self.names)
            self.waiting_names.clear()
            return
        synced = self.numbers[int(inode)]
        for call in self.waiting:
            if call.file == synced:
                self.contents[synced] = call.apply(self.contents[synced])
        self.waiting = [call for call in self.waiting if call.file != synced]

    def outcomes(self) -> Iterator[dict[str, bytes]]:
        """Yields contents that the folder may have after a loss of power at this point: the bytes
        of each file by name."""
        some = self.waiting
        choices = (
            [],
            some,
            [call for call in some if call.file == 0],
            [call for call in some if call.file != 0],
            some[: len(some) // 2],
            some[len(some) // 2 :],
        )
        for names_kept in range(len(self.waiting_names) + 1):
            names = dict(self.names)
            for change in self.waiting_names[:names_kept]:
                change(names)
            for kept in choices:
                contents = dict(self.contents)
                for call in kept:
                    contents[call.file] = call.apply(contents[call.file])
                yield {name: contents[number] for name, number in names.items()}
