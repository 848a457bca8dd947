"""Finds runs that are slower than the spread of the same program's earlier runs explains.

A series has the times of runs of similar size, in the order of the runs. The last runs are compared
with up to 200 runs before them: with their median and their spread (the median deviation from it).
The last runs are a change if each of them is above the limit that the spread explains, and if the
earlier runs show that runs above it are rare. There are two tests of the latter, and one of them
must succeed.

The first test counts the earlier runs above a limit that depends on the median and the spread
alone. If a fraction p of a program's runs is above the limit, the chance that at most x of n
earlier runs are, and the last k all are, is known. The largest such chance, for any p, limits x.
The test is made with two limits.

The second test needs no limit: if a program did not change, any order of its runs is equally
likely. So the chance is known that the last k of n + k runs are all among the k + j - 1 slowest.

k, x and j are chosen so that the first chance is less than once in 1,000 weeks of the program, and
the second less than once in 2,000, whatever the distribution of its times.

doc/centre.md describes the method, and how often it is right."""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from ...classes import dataclass

Floats = npt.NDArray[np.float64]

HISTORY = 200  # the last runs are compared with at most this many earlier runs
LEAST = 10  # and with at least so many
FEWEST, MOST = 3, 12  # last runs that must be slow together
OFTEN = (14, 300)  # runs a week: above each, one run more must be slow
FACTOR = 1.2  # a slow run takes so many times the median, at least
DEVIATIONS = 2.25  # and is so many deviations above it
# The limits of the first test, as multiples of the logarithm of this limit.
LEVELS = (1.0, 1.5)
# One or two runs are listed only if they take so many times as long as the slowest earlier one.
ALONE = {1: 4.0, 2: 2.0}
# Times may have a long tail. On a logarithmic scale, a single slow run must be at least so many
# times as far above the slowest earlier run as that run is above the median.
TAIL = 1.5
_LEAST_ALONE = 20  # earlier runs
FALSE_ALARMS = 1e-3  # largest number per week of a program, whatever the noise
MEASURES = 2  # of a program are tested: time in I/O, run time
MATTERS = 1.0  # seconds that a run must have lost
_WEEK = 7 * 86400.0
# From so many earlier runs on, half of the false alarms are allowed: the two tests together make
# more of them than each, and hardly a slow-down is missed for that.
_LONG = 100
_SMALLEST_SPREAD = 0.02  # of logarithms: 2 %
_RUNS_A_PLACE = 12
_PLACES = HISTORY // _RUNS_A_PLACE  # of the slowest earlier runs, which a slow run may not exceed
_FEW = 16  # largest number of earlier runs above a limit
_AT_ONCE = 4096
_NORMAL = 1.4826  # median deviation -> standard deviation
_LESS_SURE = math.sqrt(math.pi / 2)  # ratio of a median's error to that of a mean
_WIDTH = 1.96  # standard errors on either side of 95 % of values


@dataclass(frozen=True)
class Slower:
    """Runs of a series that were slower than the runs before them, and by how much."""

    first: int  # index of the first slow run
    alarm: int  # index of the run with which they were noticed
    end: int  # behind the last run that is as slow
    history: int  # number of earlier runs with which they were compared
    usual: float  # median of these earlier runs, seconds
    spread: float  # standard deviation of their logarithms, by the median deviation
    seconds: float  # median of the slow runs
    low: float  # lower bound of the ratio of the two medians, at 95 %
    high: float  # upper bound

    @property
    def runs(self) -> int:
        """The number of slow runs."""
        return self.end - self.first

    @property
    def ratio(self) -> float:
        """How many times the usual time the slow runs took."""
        return self.seconds / self.usual


@functools.cache
def _chances() -> Floats:
    """Returns a table of chances (0 to 1), indexed by k, n and j. A chance is that the last k of n
    + k runs exceed all but j - 1 of the others, if their order is random. It is 1 where it is not
    defined."""
    found = np.ones((MOST + 1, HISTORY + 1, _PLACES + 1))
    for k in range(FEWEST, MOST + 1):
        for n in range(HISTORY + 1):
            for j in range(1, 1 + max(1, n // _RUNS_A_PLACE)):
                found[k, n, j] = math.comb(j + k - 1, k) / math.comb(n + k, k)
    return found


@functools.cache
def _worst() -> Floats:
    """Returns a table of chances (0 to 1), indexed by k, n and x. A chance is that at most x of n
    runs are above a limit, and the next k all are, for the fraction of runs above the limit with
    which this is most likely. It is 1 where it is not defined."""
    some = np.linspace(0.0025, 0.9975, 400)
    found = np.ones((MOST + 1, HISTORY + 1, _FEW + 1))
    for n in range(HISTORY + 1):
        number = np.arange(min(n, _FEW) + 1)
        ways = np.array([math.comb(n, x) for x in number.tolist()], float)
        exactly = ways * some[:, None] ** number * (1 - some[:, None]) ** (n - number)
        most = np.cumsum(exactly, axis=1)
        for k in range(FEWEST, MOST + 1):
            found[k, n, : len(number)] = np.max(most * some[:, None] ** k, axis=0)
    return found


def _spread(logarithms: Floats) -> float:
    middle = np.median(logarithms)
    return max(_NORMAL * float(np.median(np.abs(logarithms - middle))), _SMALLEST_SPREAD)


@dataclass(frozen=True)
class _Allowed:
    """How many earlier runs may be as slow as the last ones, for each window: fewer than `above` of
    them may be above a limit, and fewer than `slowest` of them slower than the fastest of the last
    runs."""

    above: npt.NDArray[np.int64]
    slowest: npt.NDArray[np.int64]

    def of(self, some: npt.NDArray[np.int64]) -> _Allowed:
        """Returns the numbers of the windows with these indices."""
        return _Allowed(self.above[some], self.slowest[some])

    def are_rare(self, earlier: Floats, limit: Floats, least: Floats) -> npt.NDArray[np.bool_]:
        """Returns a mask of the windows whose runs are all above the limit, and earlier runs were
        seldom. All are distances from the median of the earlier runs, as logarithms. earlier: of
        the earlier runs, a row for each window; NaN does not count. limit: that the spread
        explains. least: the smallest of the last runs."""
        found = np.zeros(len(least), bool)
        some = np.flatnonzero(least > limit)
        if len(some):
            earlier, limit, least = earlier[some], limit[some], least[some]
            rare = np.sum(earlier >= least[:, None], axis=1) < self.slowest[some]
            for level in LEVELS:
                number = np.sum(earlier > (level * limit)[:, None], axis=1)
                rare |= (least > level * limit) & (number < self.above[some])
            found[some] = rare
        return found


@dataclass(frozen=True)
class _Earlier:
    """Statistics of the runs before some windows. A window is a few consecutive runs; each array
    has an element per window. number: of runs that count. middle: median of the logarithms of their
    times."""

    first: int  # index at which the first window begins; the other windows follow
    number: npt.NDArray[np.int64]
    middle: Floats
    above: Floats  # limit that the spread explains
    ordered: Floats  # their logarithms in order, a row for each window

    def of(self, begins: npt.NDArray[np.int64]) -> _Earlier:
        """Returns the statistics of the windows that begin at the given indices."""
        at = begins - self.first
        return _Earlier(0, self.number[at], self.middle[at], self.above[at], self.ordered[at])


def _earlier(padded: Floats, first: int) -> _Earlier:
    """Returns the statistics of up to HISTORY runs before each window. padded: logarithms of times,
    from HISTORY runs before the first window on; NaN for runs that are not counted. first: index of
    the first window."""
    rows = np.lib.stride_tricks.sliding_window_view(padded, HISTORY)
    ordered = np.sort(rows, axis=1)  # NaN last
    number = np.sum(~np.isnan(rows), axis=1)
    middle = _medians(ordered, number)
    away = _medians(np.sort(np.abs(rows - middle[:, None]), axis=1), number)
    above = np.maximum(math.log(FACTOR), DEVIATIONS * np.maximum(_NORMAL * away, _SMALLEST_SPREAD))
    return _Earlier(first, number, middle, above, ordered)


def _medians(ordered: Floats, number: npt.NDArray[np.int64]) -> Floats:
    some = np.maximum(number, 1)
    return (_taken(ordered, (some - 1) // 2) + _taken(ordered, some // 2)) / 2


def _taken(ordered: Floats, places: npt.NDArray[np.int64]) -> Floats:
    found: Floats = np.take_along_axis(ordered, np.maximum(places, 0)[:, None], axis=1)[:, 0]
    return found


class _Series:
    """The runs of one program with similar size, in order of time, and the run at which the history
    begins with which later runs are compared. least: number of earlier runs that are needed."""

    def __init__(self, moments: Floats, seconds: Floats, least: int) -> None:
        self.seconds = seconds
        self.logarithms = np.log(np.maximum(seconds, 1e-3))
        self._moments = moments
        self._least = least
        self.begin = 0  # of the history

    def next(self, start: int) -> tuple[int, int, bool] | None:
        """Finds the first run, from the index `start` on, with which the last runs are slow or
        fast. Returns its index, the number of these last runs, and whether they are slow; None if
        there is no such run."""
        for first in range(start, len(self.seconds), _AT_ONCE):
            places = np.arange(first, min(first + _AT_ONCE, len(self.seconds)))
            if (found := self._among(places)) is not None:
                return found
        return None

    def _among(self, places: npt.NDArray[np.int64]) -> tuple[int, int, bool] | None:
        """Returns the first of the runs with these indices at which a change is noticed; None if
        there is no change. The result is its index, the number of last runs that differ, and
        whether they are slow."""
        earlier = self._earlier(places)
        numbers, allowed = self._window(places)
        found: list[tuple[int, int, bool]] = []
        for k in (1, 2, *np.unique(numbers[numbers > 0]).tolist()):
            some = np.flatnonzero(numbers == k) if k >= FEWEST else np.arange(len(places))
            some = some[places[some] - k + 1 > self.begin]
            if not len(some):
                continue
            last = np.stack([self.logarithms[places[some] - n] for n in range(k)], axis=1)
            before = earlier.of(places[some] - k + 1)
            slow, fast = self._judged(before, last, allowed.of(some) if k >= FEWEST else None)
            for hits, is_slow in ((slow, True), (fast, False)):
                if hits.any():
                    found.append((int(places[some[np.argmax(hits)]]), k, is_slow))
        return min(found, key=lambda one: (one[0], -one[1])) if found else None

    def _earlier(self, places: npt.NDArray[np.int64]) -> _Earlier:
        """Returns the statistics of the history before all windows that end at the given
        indices."""
        first = max(self.begin, int(places[0]) - MOST + 1)
        begin = max(self.begin, first - HISTORY)
        lacks = np.full(HISTORY - (first - begin), np.nan)
        padded = np.concatenate([lacks, self.logarithms[begin : int(places[-1])]])
        return _earlier(padded, first)

    def _judged(
        self, earlier: _Earlier, last: Floats, allowed: _Allowed | None
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Returns a mask of the slow windows and a mask of the fast windows. last: logarithms of
        the times in each window. allowed: numbers of earlier runs that may be as slow; None for
        windows of few runs."""
        usual = earlier.middle
        lost = np.exp(np.median(last, axis=1)) - np.exp(usual)
        matters = np.abs(lost) >= MATTERS
        if allowed is None:
            top = _taken(earlier.ordered, earlier.number - 1)
            high = np.maximum(usual + earlier.above, top)
            beyond = np.full(len(last), math.log(ALONE[last.shape[1]]))
            if last.shape[1] == 1:
                beyond = np.maximum(beyond, TAIL * (high - usual))
            limit = high + beyond
            enough = earlier.number >= max(_LEAST_ALONE, self._least)
            return enough & matters & (last.min(axis=1) > limit), np.zeros(len(last), bool)
        before = earlier.ordered - usual[:, None]
        above = earlier.above
        slow = allowed.are_rare(before, above, last.min(axis=1) - usual)
        fast = allowed.are_rare(-before, above, usual - last.max(axis=1))
        return matters & slow, matters & fast

    def _window(self, places: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], _Allowed]:
        """Returns, for each of these run indices, how many last runs are compared (0: there is too
        little history), and how many earlier runs may be as slow."""
        first = np.maximum(self.begin, places - HISTORY)
        weeks = (self._moments[places] - self._moments[first]) / _WEEK
        rate = (places - first + 1) / np.maximum(weeks, 1.0)  # runs a week
        most = FALSE_ALARMS / (MEASURES * np.maximum(rate, 1.0))
        fewest = FEWEST + np.searchsorted(OFTEN, rate)
        numbers = np.zeros(len(places), "i8")
        found = _Allowed(np.zeros(len(places), "i8"), np.zeros(len(places), "i8"))
        for k in range(MOST, FEWEST - 1, -1):
            history = np.clip(places - k + 1 - self.begin, 0, HISTORY)
            limit = np.where(history >= _LONG, most / 2, most)[:, None]
            above = np.sum(_worst()[k][history] <= limit, axis=1)
            slowest = np.sum(_chances()[k][history] <= limit / 2, axis=1)
            usable = ((above > 0) | (slowest > 0)) & (history >= self._least) & (k >= fewest)
            numbers[usable] = k
            found.above[usable], found.slowest[usable] = above[usable], slowest[usable]
        return numbers, found

    def slower(self, begin: int, first: int, alarm: int, end: int) -> Slower:
        """Returns the numbers of the slow runs from `first` until before `end`. begin: index at
        which their history starts. alarm: index of the run with which they were noticed."""
        before = self.logarithms[max(begin, first - HISTORY) : first]
        now = self.logarithms[first:end]
        usual, spread = float(np.median(before)), _spread(before)
        own = max(spread, _spread(now))
        error = _LESS_SURE * math.sqrt(own**2 / len(now) + spread**2 / len(before))
        ratio = float(np.median(now)) - usual
        low, high = (math.exp(ratio + side * _WIDTH * error) for side in (-1, 1))
        seconds = math.exp(usual + ratio)
        return Slower(
            first, alarm, end, len(before), math.exp(usual), spread, seconds, low, high
        )  # fmt: skip


@dataclass(frozen=True)
class _Hit:
    """A window of consecutive runs that are slower (or, if not is_slow, faster) than their history.
    Its fields are indices of runs: begin of the history, first run of the window, and its last run,
    with which the change was noticed (alarm)."""

    begin: int
    first: int
    alarm: int
    is_slow: bool = True


def _hits(series: _Series, at: int) -> tuple[list[_Hit], list[_Hit]]:
    """Returns two lists of changes from index `at` on: lasting ones, and those of one or two slow
    runs after which runs were normal again."""
    lasting: list[_Hit] = []
    alone: list[_Hit] = []
    while (found := series.next(at)) is not None:
        alarm, number, is_slow = found
        hit = _Hit(series.begin, alarm - number + 1, alarm, is_slow)
        while alone and alone[-1].alarm >= hit.first:  # the earlier hit continues
            alone.pop()
        if number < FEWEST:
            alone.append(hit)
        else:
            lasting.append(hit)
            series.begin = hit.first
        at = alarm + 1
    return lasting, alone


def slower(moments: Floats, seconds: Floats, since: float, least: int = LEAST) -> list[Slower]:
    """Returns the changes of a series that were noticed at or after the time `since`, in order of
    time. moments: begin of each run in seconds since 1970, ascending. seconds: duration of each
    run. least: number of earlier runs that are needed."""
    series = _Series(moments, seconds, least)
    first = int(np.searchsorted(moments, since))
    if first == len(moments):
        return []
    # Earlier changes end the history of later runs, so the search begins before `since`.
    at = max(0, first - HISTORY)
    series.begin = max(0, at - HISTORY)
    lasting, alone = _hits(series, at)
    ends = [hit.first for hit in lasting[1:]] + [len(seconds)]
    found = [
        series.slower(hit.begin, hit.first, hit.alarm, end)
        for hit, end in zip(lasting, ends)
        if hit.is_slow and hit.alarm >= first
    ]
    found += [
        series.slower(hit.begin, hit.first, hit.alarm, hit.alarm + 1)
        for hit in alone
        if hit.alarm >= first
    ]
    return sorted(found, key=lambda one: one.first)
