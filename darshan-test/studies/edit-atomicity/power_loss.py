"""What a loss of power may leave of a trace of calls: what was synced, and any of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Names = dict[str, int]  # of a folder: name -> file


@dataclass
class DataCall:
    """A call that changes the content of a file."""

    file: int
    offset: int
    data: bytes | None  # None: the file ends at the offset

    def apply(self, content: bytes) -> bytes:
        """The content after it."""
        padded = content.ljust(self.offset, b"\0")
        if self.data is None:
            return padded[: self.offset]
        return padded[: self.offset] + self.data + padded[self.offset + len(self.data) :]


@dataclass
class Disk:
    """A folder with one file, number 0, on a disk that keeps only what was synced.

    Names reach the disk in the order of the calls, data in any order.
    """

    folder: int  # its inode
    name: str
    inode: int
    content: bytes
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
        """One call of a trace."""
        getattr(self, f"call_{call}")(*arguments)

    def call_create(self, inode: str, path: str) -> None:
        """A new file with a new name."""
        number = len(self.contents)
        self.numbers[int(inode)] = number
        self.contents[number] = b""
        self.waiting_names.append(lambda names: names.update({Path(path).name: number}))

    def call_write(self, inode: str, offset: str, data: str) -> None:
        """pwrite."""
        self.waiting.append(DataCall(self.numbers[int(inode)], int(offset), bytes.fromhex(data)))

    def call_truncate(self, inode: str, size: str) -> None:
        """ftruncate."""
        self.waiting.append(DataCall(self.numbers[int(inode)], int(size), None))

    def call_rename(self, old: str, new: str) -> None:
        """A name in the place of another."""
        before, after = Path(old).name, Path(new).name
        self.waiting_names.append(lambda names: names.update({after: names.pop(before)}))

    def call_unlink(self, path: str) -> None:
        """A name less."""
        self.waiting_names.append(lambda names: names.pop(Path(path).name))

    def call_sync(self, inode: str) -> None:
        """Of a file, its data; of the folder, its names."""
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
        """Folders that may be found after a loss of power now."""
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
