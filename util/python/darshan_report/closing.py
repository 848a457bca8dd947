"""The base class of objects that must be closed: a log, a database, a connection."""

from __future__ import annotations

import abc
from types import TracebackType
from typing import TypeVar

_Self = TypeVar("_Self", bound="Closing")


class Closing(abc.ABC):
    """A base class for objects that must be closed. Used as a context manager, the object is closed
    at the end of the block."""

    @abc.abstractmethod
    def close(self) -> None:
        """Releases what the object has open, such as a file. Further calls do nothing."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
