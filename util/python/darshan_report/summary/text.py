"""Text of a stranger's log made fit to print.  A file name is data, never markup."""

from __future__ import annotations

import unicodedata

ELLIPSIS = "\u2026"

# What these characters are in LaTeX with T1 fonts.  The braces behind some keep
# two neighbours from becoming one glyph (a dash, a quote).
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
    "\u00b5": r"\textmu{}",
}
# Letters that every T1 font has; others are shown by their number.
_LETTERS = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĂăĄąĆćČčĎďĘęĚěĞğŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŤťŮůŰűŸŹźŻżŽž"
)


def printable(text: str) -> str:
    """The text with everything that has no picture shown by its number.

    Bytes that are not UTF-8 (surrogates here) become \\xNN, control and format
    characters, which could turn the reading order round, \\uNNNN.
    """
    return "".join(_shown(c) for c in text)


def _shown(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character == " " or not unicodedata.category(character).startswith(("C", "Z")):
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def shorten(text: str, width: int) -> str:
    """At most this many characters: the middle gives way, the end most telling."""
    text = printable(text)
    if len(text) <= width:
        return text
    tail = (width - 1) * 2 // 3
    return f"{text[: width - 1 - tail]}{ELLIPSIS}{text[-tail:]}"


def latex(text: str, breakable: bool = False) -> str:
    """Text as LaTeX source that typesets it; breakable: lines may end anywhere."""
    parts = [_latex(c) for c in printable(text)]
    return r"\hskip0pt{}".join(parts) if breakable else "".join(parts)


def _latex(character: str) -> str:
    found = _LATEX.get(character)
    if found is not None:
        return found
    if character in _LETTERS or " " <= character <= "\x7e":
        return character
    return rf"\textless{{}}U+{ord(character):04X}\textgreater{{}}"


def pdf_string(text: str) -> str:
    """Text as a PDF string object in hexadecimal, which needs no escaping."""
    return f"<FEFF{printable(text).encode('utf-16-be').hex().upper()}>"
