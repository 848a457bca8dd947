"""Measured results stored in the tree: by row, the potential saving that the report stated, and
the measured saving of the fix. `./dev verdicts --keep` writes both; `--quick` reads the measured
saving."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parent / "gains.txt"
HEAD = (
    "# Name, seconds that the cure gains (all processes), its standard error, and what was said\n"
    "# first with its seconds at stake.  ./dev verdicts --keep writes it.\n"
)
CERTAIN = 3  # standard errors that a measured saving must exceed
FACTOR = 2  # factor by which the potential saving may differ from the measured one


@dataclass(frozen=True)
class Gain:
    """The measured saving of a fix: the difference of two medians."""

    seconds: float
    error: float  # standard error of the difference

    @property
    def certain(self) -> bool:
        """Returns whether it exceeds the noise."""
        return self.seconds > CERTAIN * self.error

    def reached_by(self, stake: float) -> bool:
        """Returns whether a potential saving equals this one, within a factor."""
        return self.seconds / FACTOR <= stake <= self.seconds * FACTOR


@dataclass(frozen=True)
class Kept:
    """A line of the file."""

    gain: Gain
    said: str = ""
    stake: float = 0.0


def kept() -> dict[str, Kept]:
    """Returns the lines by name of the row."""
    found = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else []:
        if line and line[0] != "#":
            name, gain, error, said, stake = line.split("\t")
            found[name] = Kept(Gain(float(gain), float(error)), said, float(stake))
    return found


def write(rows: Iterable[tuple[str, Kept]], known: Iterable[str]) -> None:
    """Replaces the lines of these rows, and removes lines of rows that no longer exist."""
    every = kept() | dict(rows)
    FILE.write_text(
        HEAD
        + "".join(
            f"{name}\t{k.gain.seconds:.3f}\t{k.gain.error:.3f}\t{k.said}\t{k.stake:.3f}\n"
            for name, k in sorted(every.items())
            if name in set(known)
        )
    )
