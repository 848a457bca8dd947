"""Plans the runs of a corpus: user, program, start, size, duration and damage. Random numbers are
drawn for a chunk of some hundred runs at once, from the seed and the number of the chunk's first
run."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass

import numpy as np

from .programs import (
    ARCHIVE,
    BACKUP,
    CLIMATE,
    GIB,
    PROGRAMS,
    RATE,
    RENDER,
    RESHUFFLE,
    SOLVER,
    TRAIN,
    WRITERS,
    Files,
    Program,
    Writer,
)

CHUNK = 256  # runs that are planned and made together
SLOWER = 8.0  # factor by which the slow night is slower
GROWN = 4.0  # factor by which the archive's bytes grow from the first to the last week
# Fraction of logs that are damaged.
DAMAGED = 0.03
# The kinds of damage, which are equally frequent.
DAMAGES = ("cut in the header", "cut in the records", "a flipped bit", "a blank header")
_DAY, _WEEK = 86_400, 7 * 86_400
# Programs with runs in the slow night, even in a small corpus.
_NIGHT = (RENDER, TRAIN, CLIMATE, SOLVER)
# Number of the run that moves most in the slow night. Runs with smaller numbers are in this night,
# too.
CULPRIT = 8
# Bytes of a run at most, except for that of the slow night.
_MOST = 2500 * GIB
_UTC = datetime.timezone.utc


@dataclass(frozen=True)
class Calendar:
    """The first second of the corpus, its number of weeks, and the times at which its stories
    happen: the bug, and the begin and end of the slow night. Times are in seconds since 1970."""

    begin: int
    weeks: int
    bug: int
    night: int
    morning: int

    @property
    def seconds(self) -> int:
        """The length of the whole period in seconds."""
        return self.weeks * _WEEK


def calendar(seed: int, begin: datetime.date, weeks: int) -> Calendar:
    """Returns the calendar of a corpus, with random times of the stories. begin: a day of its first
    week, which starts on the Monday."""
    monday = begin - datetime.timedelta(days=begin.weekday())
    first = int(datetime.datetime(monday.year, monday.month, monday.day, tzinfo=_UTC).timestamp())
    rng = np.random.default_rng([seed, 1])
    bug = int(rng.integers(45, 56)) * weeks * 7 // 100
    night = int(rng.integers(60, 80)) * weeks * 7 // 100
    if night % 7 == 6:  # on Sundays the backup runs
        night += 1
    evening = first + night * _DAY
    return Calendar(first, weeks, first + bug * _DAY, evening + 3600, evening + 5 * 3600)


@dataclass(frozen=True)
class Run:
    """One planned run of a program: everything that its log depends on."""

    number: int
    program: Program
    files: tuple[Files, ...]
    user: str
    uid: int
    writer: Writer
    begun: int
    seconds: float
    ranks: int
    rounds: int
    pace: float
    damage: int  # index in DAMAGES; -1: none
    slow: bool

    @property
    def moved(self) -> int:
        """The bytes read and written that the run's log records: those of files whose modules the
        log's version has."""
        known = [f for f in self.files if self.writer.version(_lowest(f)) is not None]
        return self.rounds * sum(f.moved for f in known)


def _lowest(files: Files) -> str:
    """Returns the module of the lowest layer that a kind of files uses."""
    return "POSIX" if "POSIX" in files.layers else files.layers[0]


def io_seconds(files: tuple[Files, ...]) -> float:
    """Returns the seconds that POSIX calls of one round take, summed over all ranks, if the file
    system is not slow."""
    return sum(
        f.number
        * (
            f.reads * (f.latency + f.read_size / RATE)
            + f.writes * (f.latency + f.write_size / RATE)
        )
        for f in files
        if _lowest(f) == "POSIX"
    )


def _backups(count: int, weeks: int) -> int:
    """Returns the number of backup runs among `count` runs: at least one for each week, and as many
    in each."""
    return max(1, round(BACKUP.share * count / weeks)) * weeks


def _whose(rng: np.random.Generator, numbers: np.ndarray, backups: int) -> np.ndarray:
    """Returns the program of each run, as an index in PROGRAMS. numbers: of the runs; backups:
    number of backup runs."""
    place = {program.name: i for i, program in enumerate(PROGRAMS)}
    shares = np.array([0 if p is BACKUP else p.share for p in PROGRAMS])
    found = rng.choice(len(PROGRAMS), len(numbers), p=shares / shares.sum())
    for i, program in enumerate(_NIGHT):
        found[(numbers < CULPRIT) & (numbers % len(_NIGHT) == i)] = place[program.name]
    found[numbers == CULPRIT] = place[RESHUFFLE.name]
    weekly = (numbers > CULPRIT) & (numbers <= CULPRIT + backups)
    found[weekly] = place[BACKUP.name]
    return found


def _when(
    rng: np.random.Generator, numbers: np.ndarray, backups: int, days: Calendar
) -> np.ndarray:
    """Returns the start time of each run, in seconds since 1970: random, with twice as many in the
    last week as in the first, except for the runs of stories. backups: number of backup runs."""
    chance = rng.random(len(numbers))
    begun = days.begin + (np.sqrt(1 + 3 * chance) - 1) * days.seconds
    half = (days.morning - days.night) / 2
    begun = np.where(numbers < CULPRIT, days.night + chance * half, begun)
    begun = np.where(numbers == CULPRIT, days.night + 900, begun)
    weekly = (numbers > CULPRIT) & (numbers <= CULPRIT + backups)
    week = (numbers - CULPRIT - 1) % days.weeks
    sunday = days.begin + week * _WEEK + 6 * _DAY + 2 * 3600
    return np.where(weekly, sunday + chance * 3600, begun).astype(np.int64)


def _user(program: Program, chance: float, count: int) -> tuple[str, int]:
    """Returns the name and the number of a run's user. chance: between 0 and 1. count: number of
    all runs."""
    base = 10_000 * (1 + PROGRAMS.index(program))
    if program.user:
        return program.user, base
    crowd = max(program.users, int(program.share * count / 500))
    place = int(chance * crowd)
    return f"{program.name[:3]}{place:03}", base + place


def runs(seed: int, days: Calendar, count: int, first: int) -> list[Run]:
    """Returns the planned runs of the chunk that begins with run number `first`. count: number of
    all runs of the corpus."""
    numbers = np.arange(first, min(first + CHUNK, count))
    size = len(numbers)
    rng = np.random.default_rng([seed, 2, first])
    backups = _backups(count, days.weeks)
    programs = _whose(rng, numbers, backups)
    begun = _when(rng, numbers, backups, days)
    writers = rng.choice(len(WRITERS), size, p=[w.share for w in WRITERS])
    amounts, lengths, paces = rng.standard_normal((3, size))
    ranks, users, damage, kinds = rng.random((4, size))
    return [
        _run(
            _Drawn(
                int(number), PROGRAMS[programs[i]], WRITERS[writers[i]], int(begun[i]),
                users[i], ranks[i], amounts[i], lengths[i], paces[i],
                int(kinds[i] * len(DAMAGES)) if damage[i] < DAMAGED and number > CULPRIT else -1,
            ),
            days, count,
        )
        for i, number in enumerate(numbers)
    ]  # fmt: skip


@dataclass(frozen=True)
class _Drawn:
    """The random choices for one run, which are made for its whole chunk at once. user and ranks
    are uniform from 0 to 1; amount, length and pace are normal."""

    number: int
    program: Program
    writer: Writer
    begun: int
    user: float
    ranks: float
    amount: float
    length: float
    pace: float
    damage: int


def _run(drawn: _Drawn, days: Calendar, count: int) -> Run:
    """Returns the plan of a run, from its random choices, its program's habits and the day. count:
    number of all runs of the corpus."""
    program, begun = drawn.program, drawn.begun
    ranks = program.ranks[int(drawn.ranks * len(program.ranks))]
    rounds = program.rounds * math.exp(program.sigma * drawn.amount)
    if program is ARCHIVE:
        rounds *= GROWN ** ((begun - days.begin) / days.seconds)
    if program is not RESHUFFLE:
        rounds = min(rounds, _MOST / program.moved)
    rounds = max(1, round(rounds))
    slow = days.night <= begun < days.morning
    pace = math.exp(0.2 * drawn.pace) * (SLOWER if slow else 1.0)
    files = program.since if program.since and begun >= days.bug else program.files
    seconds = program.seconds
    if program is not RESHUFFLE:  # the reshuffle ends before the morning
        least = io_seconds(files) * rounds * pace / ranks / 0.6
        seconds = max(seconds * math.exp(0.3 * drawn.length), least)
    user, uid = _user(program, drawn.user, count)
    return Run(
        drawn.number, program, files, user, uid, drawn.writer, begun, round(seconds, 3), ranks,
        rounds, pace, drawn.damage, slow,
    )  # fmt: skip
