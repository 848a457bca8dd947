"""Makes text of an untrusted log printable, for terminals, PDF, LaTeX and HTML. A file name is
data, never markup."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import takewhile

ELLIPSIS = "\u2026"
_CUTS = 4  # how often equal short names are shortened again before they get numbers

# The LaTeX source of these characters with T1 fonts. The braces after some of them keep two
# neighbours from becoming one glyph (a dash, a quote).
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "-{}",
    ",": ",{}",
    "?": "?{}",
    "!": "!{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    ELLIPSIS: r"\dots{}",
    "\u00d7": r"\texttimes{}",
    "\u00b5": r"\textmu{}",
    "\u2018": r"\textquoteleft{}",
    "\u2019": r"\textquoteright{}",
    "\u201c": r"\textquotedblleft{}",
    "\u201d": r"\textquotedblright{}",
    "\u2013": r"\textendash{}",
}
# Letters that exist in LaTeX's T1 fonts and in matplotlib's font.
_LETTERS = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĂăĄąĆćČčĎďĘęĚěĞğŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŤťŮůŰűŸŹźŻżŽž"
)


def visible(text: str) -> str:
    r"""Returns text for a terminal or a title. Bytes that are not UTF-8 (surrogates here) become
    \xNN. Control and format characters, which could reverse the reading order, become \uNNNN."""
    return "".join(_visible(c) for c in text)


def _visible(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character == " " or not unicodedata.category(character).startswith(("C", "Z")):
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def printable(text: str) -> str:
    """Returns text for a page of the PDF. Characters that the report's fonts lack become their code
    points."""
    return "".join(
        c if " " <= c <= "\x7e" or c in _LETTERS or c in _LATEX else f"<U+{ord(c):04X}>"
        for c in visible(text)
    )


def shorten(text: str, width: int) -> str:
    """Returns printable text of at most `width` characters. The middle of a longer text is replaced
    by an ellipsis, because the end is most distinctive."""
    text = printable(text)
    if len(text) <= width:
        return text
    tail = (width - 1) * 2 // 3
    return f"{text[: width - 1 - tail]}{ELLIPSIS}{text[-tail:]}"


def _around(text: str, place: int, width: int) -> str:
    """Returns at most `width` characters of a text: those at index `place` and those at the end."""
    tail = width // 3
    room = width - tail - 2
    start = max(0, place - room // 4)
    if start + room >= len(text) - tail - 1:
        return f"{ELLIPSIS}{text[1 - width :]}"
    if start == 0:
        return f"{text[: room + 1]}{ELLIPSIS}{text[-tail:]}"
    return f"{ELLIPSIS}{text[start : start + room]}{ELLIPSIS}{text[-tail:]}"


def _agree(texts: Sequence[str]) -> int:
    """Returns the length of the beginning that all texts share."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts)))


def _alike(shown: dict[str, str]) -> list[list[str]]:
    """Returns groups of texts whose short forms are equal. shown: short forms by text."""
    groups: dict[str, list[str]] = {}
    for text, short in shown.items():
        groups.setdefault(short, []).append(text)
    return [group for group in groups.values() if len(group) > 1]


def shorten_all(texts: Iterable[str], width: int) -> list[str]:
    """Returns each text, printable and in at most `width` characters, in the same order. Different
    texts stay different: if their short forms would be equal, they are cut around the characters in
    which they differ, or get numbers."""
    full = [printable(text) for text in texts]
    shown = {text: shorten(text, width) for text in full}
    # Each round finds a longer common prefix of a group and cuts after it.
    for _ in range(_CUTS):
        for group in _alike(shown):
            place = _agree(group)
            shown.update((text, _around(text, place, width)) for text in group)
    for group in _alike(shown):
        for number, text in enumerate(group, 1):
            shown[text] = numbered(shown[text], number, width)
    return [shown[text] for text in full]


def numbered(text: str, number: int, width: int) -> str:
    """Returns a text that ends in "~NUMBER", which distinguishes it from others; its end is cut so
    that it has at most `width` characters."""
    mark = f"~{number}"
    return f"{text[: width - len(mark)]}{mark}"


class ShortNames:
    """Cuts the names in one report to a number of characters. Different names never have the same
    short form."""

    def __init__(self) -> None:
        self.full: dict[str, str] = {}  # short name -> full name, in order of use
        self._shown: dict[tuple[str, int], str] = {}  # (name, width) -> short name

    def all(self, names: Sequence[str], width: int) -> list[str]:
        """Returns the short forms of the names in one table, in at most `width` characters. A name
        that an earlier table had with this width keeps its short form."""
        for name, short in zip(names, shorten_all(names, width)):
            if (name, width) not in self._shown:
                self._shown[name, width] = self._own(name, short, width)
        return [self._shown[name, width] for name in names]

    def _own(self, name: str, short: str, width: int) -> str:
        """Returns a short form that no other name in this report has. short: the preferred one."""
        if short == printable(name):
            return short
        shown, number = short, 0
        while (owner := self.full.setdefault(shown, name)) != name:
            if number == 0:
                pair = [printable(owner), printable(name)]
                shown = _around(pair[1], _agree(pair), width)
            else:
                shown = numbered(short, number, width)
            number += 1
        return shown


def latex(text: str, breakable: bool = False) -> str:
    """Returns LaTeX source that prints the text. breakable: lines may break at any character."""
    parts = [_LATEX.get(c, c) for c in printable(text)]
    return r"\hskip0pt{}".join(parts) if breakable else "".join(parts)


def pdf_string(text: str) -> str:
    """Returns the text as a PDF string object in hexadecimal, which needs no escaping."""
    return f"<FEFF{visible(text).encode('utf-16-be').hex().upper()}>"
