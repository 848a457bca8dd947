"""Simulates runs of programs, to find how often `darshan ask LAKE changes` is right.

PYTHONPATH=darshan-test:build/python .venv/bin/python -m lake.noise

prints the tables of doc/centre.md."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from darshan_report.lake.ask.slower import HISTORY, MEASURES, Floats, slower

DAY = 86_400.0
HISTORY_RUNS = 60  # runs of a program before a slow-down


@dataclass(frozen=True)
class Noise:
    """How the run times of an unchanged program vary. The logarithms of the times are normally
    distributed with the standard deviation `spread`. The fraction `disturbed` of the runs takes 1.5
    to 3 times as long, because of other programs. `form` may add a long tail, or runs of another
    kind."""

    spread: float
    disturbed: float = 0.01
    runs_a_week: int = 7
    form: str = "normal"  # or pareto: exponent 1.5; or kinds: a third takes three times as long

    def times(self, random: np.random.Generator, number: int) -> tuple[Floats, Floats]:
        """Returns for `number` runs their starts and their durations, both in seconds; the first
        run starts at 0, and durations are about 1."""
        moments = np.arange(number) * 7 * DAY / self.runs_a_week
        times = np.exp(random.normal(0, self.spread, number))
        slow = random.random(number) < self.disturbed
        times *= np.where(slow, random.uniform(1.5, 3, number), 1)
        if self.form == "pareto":
            times *= 1 + random.pareto(1.5, number)
        elif self.form == "kinds":
            times *= np.where(random.random(number) < 1 / 3, 3.0, 1.0)
        return moments, 100 * times


@dataclass(frozen=True)
class Power:
    """How often slow-downs were found."""

    found: float  # fraction of slow-downs that were found within three runs
    covered: (
        float  # fraction of confidence intervals that contain the true factor after twenty runs
    )


def power(noise: Noise, factor: float, trials: int, seed: int, before: int = HISTORY_RUNS) -> Power:
    """Simulates `trials` programs that become slower by `factor` after `before` runs. Returns how
    often the change was found."""
    random = np.random.default_rng(seed)
    found = covered = later = 0
    for _ in range(trials):
        moments, seconds = noise.times(random, before + 20)
        seconds[before:] *= factor
        since, three = moments[before], before + 3
        found += bool(slower(moments[:three], seconds[:three], since))
        lasting = [one for one in slower(moments, seconds, since) if one.end == len(seconds)]
        later += bool(lasting)
        covered += any(one.low <= factor <= one.high for one in lasting)
    return Power(found / trials, covered / max(1, later))


def false_alarms(noise: Noise, weeks: int, seed: int) -> tuple[int, int]:
    """Simulates unchanged programs for about `weeks` weeks. Returns how many changes were listed,
    and the number of simulated weeks. A program has two times, of I/O and of the run, which vary
    independently."""
    random = np.random.default_rng(seed)
    alarms = done = 0
    while done < weeks:
        for _ in range(MEASURES):
            moments, seconds = noise.times(random, HISTORY + 50 * noise.runs_a_week)
            alarms += len(slower(moments, seconds, moments[HISTORY]))
        done += 50
    return alarms, done


SPREADS = (0.05, 0.08, 0.1, 0.15, 0.2, 0.3)
FACTORS = (1.5, 2, 4)
# Rows of the table of false alarms: the text and the noise.
NOISES = (
    ("8 %, 1 % disturbed, a run a day", Noise(0.08)),
    ("30 %, 1 % disturbed, a run a day", Noise(0.3)),
    ("20 %, 2 % disturbed, five runs a day", Noise(0.2, 0.02, 35)),
    ("30 %, 5 % disturbed, a run a day", Noise(0.3, 0.05)),
    ("8 %, and a third of the runs takes three times as long", Noise(0.08, form="kinds")),
    ("8 %, with a long tail (Pareto, exponent 1.5)", Noise(0.08, form="pareto")),
)


def main() -> None:
    """Prints the table of changes that are found, and that of false alarms."""
    parser = argparse.ArgumentParser(description="Prints how often changes are found.")
    parser.add_argument("--trials", type=int, default=1000, metavar="N")
    parser.add_argument("--weeks", type=int, default=20_000, metavar="N")
    options = parser.parse_args()
    kinds = [(factor, HISTORY_RUNS) for factor in FACTORS] + [(FACTORS[0], HISTORY)]
    heads = (f"{factor} times, {before} runs before" for factor, before in kinds)
    print("| spread of the runs | " + " | ".join(heads) + " |")
    print("|---" * (len(kinds) + 1) + "|")
    for spread in SPREADS:
        cells = [power(Noise(spread), factor, options.trials, 1, before).found
                 for factor, before in kinds]  # fmt: skip
        print(f"| {100 * spread:.0f} % | " + " | ".join(f"{100 * c:.1f} %" for c in cells) + " |")
    print("\n| noise | false alarms | in weeks of a program |\n|---|---|---|")
    for words, noise in NOISES:
        alarms, weeks = false_alarms(noise, options.weeks, 2)
        print(f"| {words} | {alarms} | {weeks:,} |")


if __name__ == "__main__":
    main()
