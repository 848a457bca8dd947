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
    "\u00d7": r"\texttimes{}",
    "\u00b5": r"\textmu{}",
}
# Letters that LaTeX's T1 fonts and matplotlib's font both have.
_LETTERS = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĂăĄąĆćČčĎďĘęĚěĞğŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŤťŮůŰűŸŹźŻżŽž"
)


def visible(text: str) -> str:
    """The text for a terminal or a title: what could steer it is shown by its number.

    Bytes that are not UTF-8 (surrogates here) become \\xNN, control and format
    characters, which could turn the reading order round, \\uNNNN.
    """
    return "".join(_visible(c) for c in text)


def _visible(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character == " " or not unicodedata.category(character).startswith(("C", "Z")):
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def printable(text: str) -> str:
    """The text for a page: what the report's fonts cannot draw is shown by its number."""
    return "".join(
        c if " " <= c <= "\x7e" or c in _LETTERS or c in _LATEX else f"<U+{ord(c):04X}>"
        for c in visible(text)
    )


def shorten(text: str, width: int) -> str:
    """At most this many characters: the middle gives way, the end most telling."""
    text = printable(text)
    if len(text) <= width:
        return text
    tail = (width - 1) * 2 // 3
    return f"{text[: width - 1 - tail]}{ELLIPSIS}{text[-tail:]}"


def latex(text: str, breakable: bool = False) -> str:
    """Text as LaTeX source that typesets it; breakable: lines may end anywhere."""
    parts = [_LATEX.get(c, c) for c in printable(text)]
    return r"\hskip0pt{}".join(parts) if breakable else "".join(parts)


def pdf_string(text: str) -> str:
    """Text as a PDF string object in hexadecimal, which needs no escaping."""
    return f"<FEFF{visible(text).encode('utf-16-be').hex().upper()}>"
