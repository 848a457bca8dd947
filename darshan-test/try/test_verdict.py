"""Simulates trials, to check the quantiles that the verdict of `darshan try` uses, and how often it
says that a remedy helped."""

from __future__ import annotations

import random

import pytest

# By degrees of freedom: published two-sided 99 % quantiles of Student's distribution.
QUANTILES = {1: 63.657, 2: 9.925, 3: 5.841, 4: 4.604, 5: 4.032, 9: 3.250, 14: 2.977, 30: 2.750}
# Simulated trials.
TRIALS = 1000


@pytest.mark.parametrize("degrees", QUANTILES)
def test_student(degrees: int) -> None:
    """The computed quantile equals the published one."""
    from darshan_report.trial.comparing.verdict import student  # noqa: PLC0415

    assert student(degrees) == pytest.approx(QUANTILES[degrees], abs=6e-4)


def pairs(random_: random.Random, ratio: float, noise: str) -> tuple[list[float], list[float]]:
    """Returns the times in seconds of the runs of a simulated trial: a list without and one with a
    remedy, where a run without takes `ratio` times as long. The pilot runs determine the number of
    pairs. noise: "calm", "busy", "spikes" or "drifts"."""
    from darshan_report.trial.comparing.verdict import PILOT, pairs_needed  # noqa: PLC0415

    def seconds(number: int) -> float:
        if noise == "calm":
            return 2 * random_.lognormvariate(0, 0.02)
        if noise == "busy":
            return 2 * random_.lognormvariate(0, 0.15)
        if noise == "spikes":
            return 2 * random_.lognormvariate(0, 0.03) * (2 if random_.random() < 0.1 else 1)
        return 2 * random_.lognormvariate(0, 0.02) * 1.03**number  # drifts

    without: list[float] = []
    with_it: list[float] = []
    wanted = PILOT
    while len(without) < wanted:
        without.append(seconds(2 * len(without)))
        with_it.append(seconds(2 * len(with_it) + 1) / ratio)
        if len(without) == PILOT:
            wanted = pairs_needed(without, with_it)
    return without, with_it


@pytest.mark.parametrize("noise", ["calm", "busy", "spikes", "drifts"])
def test_healthy_programs_are_not_called_helped(noise: str) -> None:
    """With any noise, fewer than 1 % of simulated trials of a remedy without an effect have the
    result "helped". With little noise, a remedy that makes the program twice as fast is found in
    over 99 %."""
    from darshan_report.trial.comparing.verdict import verdict  # noqa: PLC0415

    random_ = random.Random(f"{noise} 25")
    helped = sum(verdict(*pairs(random_, 1.0, noise)).helped for _ in range(TRIALS))
    assert helped < TRIALS / 100
    if noise == "calm":
        found = sum(verdict(*pairs(random_, 2.0, noise)).helped for _ in range(TRIALS))
        assert found > 0.99 * TRIALS


def test_a_gain_below_a_tenth_of_a_second_is_none() -> None:
    """A gain of less than 0.1 s does not count as help, however certain it is."""
    from darshan_report.trial.comparing.verdict import verdict  # noqa: PLC0415

    short = verdict([0.10, 0.101, 0.099, 0.1, 0.1], [0.05, 0.051, 0.049, 0.05, 0.05])
    assert short.low > 1.10
    assert not short.helped
