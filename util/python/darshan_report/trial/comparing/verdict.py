"""Decides how many pairs of runs are needed, and whether they show that a remedy helped.

A pair is a run without and a run with the remedy, one after the other. From each pair comes one
number: the logarithm of the ratio of its two times. Student's t gives the confidence interval of
the mean of these numbers. It is valid for few pairs as well as for many, if the numbers are roughly
normally distributed, which the ratios themselves are not."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...classes import dataclass
from ...report.tried import LEAST_GAIN, LEAST_RATIO

CONFIDENCE = 0.99
PILOT, FEWEST, MOST = 3, 5, 15  # pairs


def _within(t: float, degrees: int) -> float:
    """Returns the probability that Student's t is between -t and t. It is a finite series for an
    integer number of degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    square = math.cos(angle) ** 2
    odd = degrees % 2
    if degrees == 1:
        return 2 * angle / math.pi
    term, total = 1.0, 1.0
    for k in range(2 + odd, degrees - 1, 2):
        term *= square * (k - 1) / k
        total += term
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)
    return math.sin(angle) * total


def student(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Returns the number t for which Student's t with these degrees of freedom is between -t and t
    with probability `confidence`."""
    low, high = 0.0, 1e6
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if _within(middle, degrees) < confidence:
            low = middle
        else:
            high = middle
    return high


def _mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return mean, spread


def _logarithms(without: Sequence[float], with_it: Sequence[float]) -> list[float]:
    return [math.log(a / b) for a, b in zip(without, with_it)]


def pairs_needed(without: Sequence[float], with_it: Sequence[float]) -> int:
    """Returns how many pairs are needed in all, from FEWEST to MOST: so many that the confidence
    interval is expected to be completely above or below the ratio LEAST_RATIO. without, with_it:
    seconds of the first pairs, at least two."""
    mean, spread = _mean_and_spread(_logarithms(without, with_it))
    least = math.log(LEAST_RATIO)
    wanted = max(abs(mean - least) / 2, least / 2)
    for pairs in range(FEWEST, MOST):
        if student(pairs - 1) * spread / math.sqrt(pairs) <= wanted:
            return pairs
    return MOST


@dataclass(frozen=True)
class Verdict:
    """The result of pairs of runs: how many times faster the program is with the remedy, with a
    confidence interval."""

    pairs: int
    ratio: float  # time without the remedy, divided by the time with it
    low: float
    high: float  # bounds of the interval of the ratio
    gain: float  # mean seconds that a run is shorter with the remedy

    @property
    def helped(self) -> bool:
        """Whether the runs show a gain that is worth a change of the program: with CONFIDENCE, the
        ratio is at least LEAST_RATIO, and the mean gain is at least LEAST_GAIN seconds."""
        return self.low >= LEAST_RATIO and self.gain >= LEAST_GAIN


def verdict(without: Sequence[float], with_it: Sequence[float]) -> Verdict:
    """Returns the result of at least two pairs. without, with_it: seconds of the runs, in the order
    of the pairs."""
    values = _logarithms(without, with_it)
    mean, spread = _mean_and_spread(values)
    half = student(len(values) - 1) * spread / math.sqrt(len(values))
    gain = sum(without) / len(without) - sum(with_it) / len(with_it)
    return Verdict(
        len(values), math.exp(mean), math.exp(mean - half), math.exp(min(700.0, mean + half)), gain
    )
