"""A replacement for dataclasses.dataclass that makes commands start faster. The standard library
compiles six functions for each frozen class, which took a seventh of the time of a short command.
This module compiles only __init__; the other functions are closures. At run time a frozen object
can be changed; only mypy forbids it."""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Callable

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, eq: bool = True
    ) -> type | Callable[[type], type]:
        """Makes a dataclass like dataclasses.dataclass, as a decorator with or without arguments.
        frozen: the class gets a hash; mypy forbids changes of its objects. eq: objects are compared
        by their fields."""

        def made(cls: type) -> type:
            own = set(cls.__dict__)
            dataclasses.dataclass(cls, repr=False, eq=False)
            functions = {"__repr__": _shown}
            if eq:
                functions |= _compared(cls, frozen)
            for name, function in functions.items():
                if name not in own:
                    setattr(cls, name, function)
            return cls

        return made if cls is None else made(cls)


def _shown(self: Any) -> str:
    """Returns the text that __repr__ of a class made by dataclass() returns."""
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _compared(cls: Any, frozen: bool) -> dict[str, Any]:
    """Returns the methods __eq__ (and, if frozen, __hash__) for a class. They use the class's
    fields."""
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    key: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def same(self: Any, other: Any) -> bool:
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    def hashed(self: Any) -> int:
        return hash(key(self))

    return {"__eq__": same, "__hash__": hashed if frozen else None}
