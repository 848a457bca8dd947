"""The base class of objects that are open until they are closed: a log, a database, a
connection."""

from __future__ import annotations

import abc
from types import TracebackType
from typing import TypeVar

_Self = TypeVar("_Self", bound="Closing")


class Closing(abc.ABC):
    """A base class for what must be closed: used as a context manager, the object closes itself at
    the end of the block."""

    @abc.abstractmethod
    def close(self) -> None:
        """Releases what the object has open."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
