"""Reads the screen of `darshan stat`."""

from __future__ import annotations

import unicodedata

LINES, COLUMNS = 24, 80
DATASETS = 8  # additional lines if the screen has a table of datasets
LAYERS = ("POSIX", "STDIO", "MPI-IO", "H5D", "PNETCDF_VAR")


def fits(screen: str, most: int = LINES) -> None:
    """Checks the number of the screen's lines, that they have at most 80 columns, and that no byte
    controls the terminal. Lines about parts of the log that could not be read are not counted."""
    lines = screen.splitlines()
    told = [line for line in lines if not line.startswith("darshan: /")]
    assert len(told) <= most + (DATASETS if "datasets by time" in screen else 0)
    for line in lines:
        assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in line), line
        if not line.startswith("darshan: "):  # the last line may hold a long path
            assert len(line) <= COLUMNS, line


def layers(screen: str) -> dict[str, list[str]]:
    """Returns the columns of the table of layers, by layer: files, reads, writes, ..."""
    found = [line.split() for line in screen.splitlines()]
    return {words[0]: words[1:] for words in found if words and words[0] in LAYERS}
