"""Reads the text of a PDF report and the numbers in it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

# Factors to the base units: bytes, seconds, and for shares fractions of 1.
_UNITS = {
    "B": 1.0,
    **{f"{p}iB": 1024.0**n for n, p in enumerate("KMGTPE", 1)},
    "s": 1.0,
    "ms": 1e-3,
    "\u00b5s": 1e-6,
    "\u03bcs": 1e-6,  # some PDF readers turn the micro sign into the Greek letter
    "%": 0.01,
    "MiB/s": 1.0,
}
_QUANTITY = re.compile(
    r"(?P<less>< )?(?P<number>-?[\d,]+(?:\.\d+)?) ?"
    r"(?P<unit>MiB/s|[KMGTPE]iB|B|ms|[\u00b5\u03bc]s|s|%)"
    r"(?![\w/])|(?P<word>unknown|(?<= )-(?= |$))"
)


def text_of(pdf: Path) -> str:
    """Returns the text of a PDF, laid out as on its pages."""
    command = ["pdftotext", "-layout", "-enc", "UTF-8", pdf, "-"]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()


def reports_of(text: str) -> list[str]:
    """Returns the text of each report in a PDF of several reports, each of which begins with page
    number 1."""
    found: list[str] = []
    for page in text.split("\f"):
        number = page.split()[-1] if page.strip() else ""
        if number == "1":
            found.append(page)
        elif found:
            found[-1] += page
    return found


def quantities(line: str) -> list[float | str | None]:
    """Returns the numbers with units in a line, in bytes, seconds or fractions; None for "unknown",
    "-" for a value that was not measured. "< 0.1 %" becomes 0."""
    found: list[float | str | None] = []
    for match in _QUANTITY.finditer(line):
        if match["word"]:
            found.append(None if match["word"] == "unknown" else "-")
        else:
            value = float(match["number"].replace(",", "")) * _UNITS[match["unit"]]
            found.append(0.0 if match["less"] else value)
    return found


def close(shown: float, true: float, unit: float) -> bool:
    """Returns whether a number that is shown with three digits equals the true one. unit: the
    difference that is always permitted, mostly the smallest unit shown."""
    return abs(shown - true) <= max(0.0051 * abs(true), unit)
