"""Checks and reads the screen that `darshan stat` prints."""

from __future__ import annotations

import unicodedata

LINES, COLUMNS = 24, 80
# Additional lines if the screen has a table of datasets.
DATASETS = 8
# Names in the first column of the table of layers.
LAYERS = ("POSIX", "STDIO", "MPI-IO", "H5D", "PNETCDF_VAR")


def fits(screen: str, most: int = LINES) -> None:
    """Fails if the screen has too many lines, a line of more than 80 columns, or a character that
    controls the terminal. Messages about unreadable parts of the log do not count as lines. most:
    of lines, without the table of datasets."""
    lines = screen.splitlines()
    told = [line for line in lines if not line.startswith("darshan: /")]
    assert len(told) <= most + (DATASETS if "datasets by time" in screen else 0)
    for line in lines:
        assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in line), line
        if not line.startswith("darshan: "):  # the last line may hold a long path
            assert len(line) <= COLUMNS, line


def layers(screen: str) -> dict[str, list[str]]:
    """Returns the columns of the table of layers, by the layer's name: number of files, reads,
    writes and so on."""
    found = [line.split() for line in screen.splitlines()]
    return {words[0]: words[1:] for words in found if words and words[0] in LAYERS}
