"""What a machine said once, kept in the tree: by row the stake that the report named, and the
gain of the cure, measured.  `./dev verdicts --keep` writes both down; `--quick` reads the gain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parent / "gains.txt"
HEAD = (
    "# Name, seconds that the cure gains (all processes), its standard error, and what was said\n"
    "# first with its seconds at stake.  ./dev verdicts --keep writes it.\n"
)
CERTAIN = 3  # standard errors that a gain has to have
FACTOR = 2  # by which a stake may miss the gain


@dataclass(frozen=True)
class Gain:
    """What a cure gains: the difference of two medians."""

    seconds: float
    error: float  # standard error of the difference

    @property
    def certain(self) -> bool:
        """Whether it is more than noise."""
        return self.seconds > CERTAIN * self.error

    def reached_by(self, stake: float) -> bool:
        """Whether a stake is this gain, within a factor."""
        return self.seconds / FACTOR <= stake <= self.seconds * FACTOR


@dataclass(frozen=True)
class Kept:
    """A line of the file."""

    gain: Gain
    said: str = ""
    stake: float = 0.0


def kept() -> dict[str, Kept]:
    """By name of the row."""
    found = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else []:
        if line and line[0] != "#":
            name, gain, error, said, stake = line.split("\t")
            found[name] = Kept(Gain(float(gain), float(error)), said, float(stake))
    return found


def write(rows: Iterable[tuple[str, Kept]], known: Iterable[str]) -> None:
    """Replaces what is kept of these rows; of rows that there are no more, takes it out."""
    every = kept() | dict(rows)
    FILE.write_text(
        HEAD
        + "".join(
            f"{name}\t{k.gain.seconds:.3f}\t{k.gain.error:.3f}\t{k.said}\t{k.stake:.3f}\n"
            for name, k in sorted(every.items())
            if name in set(known)
        )
    )
