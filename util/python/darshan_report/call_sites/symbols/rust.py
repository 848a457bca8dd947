"""Names of Rust functions as a user writes them, and whether they belong to the standard library.
Symbols have one of two forms. The older form is that of C++, with a hash at its end and escapes
such as $LT$. The newer form begins with _R; its grammar is in the reference of rustc ("v0 symbol
mangling"). Names are shown without type arguments, and a trait's function under its type:
std::fs::File::write.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_HASH = re.compile(r"::h[0-9a-f]{16}$")
_ESCAPES = (
    ("$LT$", "<"), ("$GT$", ">"), ("$RF$", "&"), ("$BP$", "*"), ("$LP$", "("), ("$RP$", ")"),
    ("$C$", ","), ("$SP$", "@"),
)  # fmt: skip
_CODE = re.compile(r"\$u([0-9a-f]{1,6})\$")
_STANDARD = re.compile(r"(?:std|core|alloc|proc_macro|test)(?:::|$)|__?rust_|rust_begin_unwind$")
_IMPL = re.compile(r"(?:^|(?<=[<(&, ]))<(?P<type>[^<>]*?)(?: as [^<>]*)?>::")
_GENERIC = re.compile(r"(?<=[\w:])<[^<>]*>")
_BASIC = {
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8",
    "i": "isize", "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_",
    "s": "i16", "t": "u16", "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!",
}  # fmt: skip
_DEPTH = 60  # of a name within a name
_STEPS = 5000  # of one symbol


class _BadError(Exception):
    """The symbol is not of the newer form."""


def plain(symbol: str) -> str:
    """Returns the name of a Rust function as programmers write it; other names unchanged."""
    if symbol.startswith("_R") and len(symbol) > 2 and symbol[2] in "CMXYNIB":
        try:
            return _Symbol(symbol.partition(".")[0][2:]).path() or symbol
        except (_BadError, IndexError, ValueError, RecursionError):
            return symbol
    is_told = symbol.startswith("<") and " as " in symbol  # by debug information
    if not is_told and not _HASH.search(symbol) and "$LT$" not in symbol:
        return symbol
    name = _HASH.sub("", symbol)
    for escape, character in _ESCAPES:
        name = name.replace(escape, character)
    name = _CODE.sub(lambda found: chr(int(found[1], 16) % 0x110000), name).replace("..", "::")
    name = name.removeprefix("_") if name.startswith("_<") else name
    before = ""
    while before != name:  # an implementation within the type of another implementation
        before, name = name, _IMPL.sub(lambda found: f"{found['type']}::", name)
        name = _GENERIC.sub("", name)
    return name.replace("::::", "::").replace("_{{closure}}", "{closure}")


def is_rust(symbol: str) -> bool:
    """Returns whether a symbol of a program's symbol table has the form of a mangled name of
    Rust."""
    return bool(symbol.startswith("_R") or _HASH.search(symbol) or "$LT$" in symbol)


def is_standard(name: str) -> bool:
    """Returns whether a name that plain() returned is of the standard library."""
    return bool(_STANDARD.match(name))


class _Symbol:
    """Parses a Rust symbol of the newer form, given without its prefix _R."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._depth, self._steps = text, 0, 0, 0

    def _next(self) -> str:
        self._steps += 1
        if self._steps > _STEPS:
            raise _BadError
        self._at += 1
        return self._text[self._at - 1]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _base62(self) -> int:
        """Reads a number and returns it: 0 for an underscore alone; else 1 more than the digits of
        base 62 before the underscore."""
        found, any_digit = 0, False
        while (one := self._next()) != "_":
            found = found * 62 + (
                int(one) if one.isdigit() else ord(one) - (87 if one.islower() else 29)
            )
            any_digit = True
        return found + 1 if any_digit else 0

    def _identifier(self) -> str:
        """Reads an identifier and returns it without its disambiguator."""
        if self._peek() == "s":
            self._next()
            self._base62()
        is_puny = self._peek() == "u"
        if is_puny:
            self._next()
        digits = self._next()
        while digits != "0" and self._peek().isdigit():
            digits += self._next()
        if self._peek() == "_":
            self._next()
        name = self._text[self._at : self._at + int(digits)]
        self._at += int(digits)
        if is_puny:
            head, _, tail = name.rpartition("_")
            name = f"{head}-{tail}".encode().decode("punycode") if tail else name
        return name

    def _back(self, read: str) -> str:
        """Follows a back reference: reads an earlier offset from the symbol, parses the text at
        that offset with the method named `read`, and returns the result. Raises _BadError if the
        offset is not an earlier one."""
        place = self._base62()
        here, self._at = self._at, place
        if place >= here:
            raise _BadError
        found: str = getattr(self, read)()
        self._at = here
        return found

    def path(self) -> str:
        """Parses a path of the symbol and returns it as Rust writes it. Raises _BadError."""
        self._depth += 1
        if self._depth > _DEPTH:
            raise _BadError
        found = self._path(self._next())
        self._depth -= 1
        return found

    def _path(self, kind: str) -> str:
        if kind == "C":
            return self._identifier()
        if kind == "N":
            space = self._next()
            outer, name = self.path(), self._identifier()
            if space.isupper():
                name = "{closure}" if space == "C" else f"{{{name or space}}}"
            return f"{outer}::{name}" if name else outer
        if kind == "B":
            return self._back("path")
        if kind == "I":
            found = self.path()
            self._until_end(self._argument)
            return found
        if kind in "MX":
            if self._peek() == "s":
                self._next()
                self._base62()
            self.path()  # of the implementation
        if kind not in "MXY":
            raise _BadError
        found = self.type()
        if kind in "XY":
            self.path()  # of the trait
        return found

    def _until_end(self, read: Callable[[], object]) -> str:
        """Parses and skips a list of items up to its end marker "E". read: parses one item. Returns
        "", because shown names leave out lists."""
        while self._peek() != "E":
            read()
        self._next()
        return ""

    def _argument(self) -> None:
        if self._peek() == "L":
            self._next()
            self._base62()
        elif self._peek() == "K":
            self._next()
            self._constant()
        else:
            self.type()

    def _constant(self) -> str:
        kind = self._next()
        if kind == "B":
            return self._back("_constant")
        if kind != "p":
            while self._next() != "_":
                continue
        return ""

    def type(self) -> str:
        """Parses a type of the symbol and returns it as Rust writes it. Raises _BadError."""
        self._depth += 1
        if self._depth > _DEPTH:
            raise _BadError
        found = self._type(self._next())
        self._depth -= 1
        return found

    def _type(self, kind: str) -> str:
        if kind in _BASIC:
            return _BASIC[kind]
        read = {
            "B": lambda: self._back("type"),
            "R": self._reference,
            "Q": self._reference,
            "P": self.type,
            "O": self.type,
            "A": self._array,
            "S": self.type,
            "T": lambda: self._until_end(self.type) or "(...)",
            "F": self._function,
            "D": self._dynamic,
        }.get(kind)
        return read() if read else self._path(kind)

    def _reference(self) -> str:
        if self._peek() == "L":
            self._next()
            self._base62()
        return self.type()

    def _array(self) -> str:
        found = self.type()
        self._constant()
        return found

    def _function(self) -> str:
        """Skips the type of a function pointer and returns "fn"."""
        for mark in "GUK":
            if self._peek() == mark:
                self._next()
                if mark == "G":
                    self._base62()
                elif mark == "K":
                    self._next() if self._peek() == "C" else self._identifier()
        self._until_end(self.type)
        self.type()
        return "fn"

    def _dynamic(self) -> str:
        """Parses a trait object and returns its first trait. Raises _BadError."""
        if self._peek() == "G":
            self._next()
            self._base62()
        names: list[str] = []

        def bound() -> None:
            names.append(self.path())
            while self._peek() == "p":
                self._next()
                self._identifier()
                self.type()

        self._until_end(bound)
        if self._next() != "L":
            raise _BadError
        self._base62()
        return names[0] if names else "dyn"
