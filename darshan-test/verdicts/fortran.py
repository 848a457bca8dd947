"""Rows about Fortran's files."""

from __future__ import annotations

from dataclasses import replace

from row import HERE, Row

_SITES = (("DARSHAN_SITES", "1"),)


def rows() -> list[Row]:
    """Returns the rows of the program lines.f90."""

    def line(case: str, finding: str, remedy: str, size: int = 0) -> Row:
        return Row("lines.f90", case, finding, remedy, input=size)

    return [
        line("open-per-step", "opened-again", "Open once"),
        replace(
            line("flush-per-line", "small-accesses-write", "flush(unit)"),
            says=("no flush\\(unit\\) after each line",),
            never=("setvbuf", "std::endl", "Python"),
        ),
        line("inquire-each", "failed-lookups", "once"),
        line("rewind-each", "same-bytes-again-read", "memory", 8),
        line("stream-values", "random-access-write small-accesses-write", "memory"),
        Row(
            "lines.f90",
            "restart-by-value",
            place=HERE,
            settings=_SITES,
            says=("move a whole array",),
            never=("Save less often", "Young"),
        ),
        Row(
            "lines.f90",
            "text-checkpoint",
            place=HERE,
            settings=_SITES,
            says=(r"Writing numbers as text .* formatted text for", "form='unformatted'"),
            never=("The runtime of Fortran takes time", "Save less often", "read again and again"),
        ),
        Row(
            "lines.f90",
            "text-output",
            place=HERE,
            settings=_SITES,
            says=(r"Writing numbers as text .* formatted text for", "form='unformatted'"),
            never=("The runtime of Fortran takes time",),
        ),
        Row("lines.f90", "list-directed", place=HERE),
        Row("lines.f90", "unformatted-array"),
        Row(
            "lines.f90",
            "fields-computed",
            place=HERE,
            settings=(("DARSHAN_SITES", "1"),),
            never=("takes time between its calls",),
        ),
    ]
