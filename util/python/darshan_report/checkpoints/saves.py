"""The checkpoints of a run. Files whose names differ only in numbers share a row.

A file is a checkpoint if a library function that saves state wrote it (known from call sites), or
if its name says so. Without either, it is one if the program wrote files of this name again and
again and computed in between (checkpoints/savers.py)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import field, replace

import numpy as np

from ..call_sites.installed import is_thread
from ..call_sites.lines import Site, sites_of
from ..call_sites.measured import CLOSE, LONG, OPEN, SEEK, SYNC, WRITE
from ..call_sites.stack import Python
from ..classes import dataclass
from ..diagnose.facts import Facts, once
from ..diagnose.remedies.language import languages
from ..diagnose.training.data_loader import is_of_batch
from ..library import LogError
from .files import WHOLE, File, written_files
from .savers import Saver, saver_by_name, saver_of

# Files of a pattern may differ in a number, which is not in an extension such as .h5, and in the
# random end of a temporary name of safetensors.
_DIGITS = re.compile(
    r"((?<=/\.tmp)[A-Za-z0-9]{6}$|(?<=/)[0-9a-f]{32}$|\d+(?!\d)(?<!\.h5)(?<!\.hdf5))"
)
_TEMPORARY = re.compile(r"/\.tmp(?:[A-Za-z0-9]{6}|\*)$")
_INSIDE = (WRITE, SEEK, SYNC, CLOSE)  # kinds of calls on a file that is open
MOST_TIMES = 500  # largest number of saves of one pattern whose times are kept
_HALF = 0.5  # largest share of the time from the first save to the last that the saves may take
_MANY = 20  # files of which a program reads back only few if they are checkpoints


@dataclass(frozen=True)
class Checkpoint:
    """Files whose names differ only in numbers, to which the program saved its state. Times are
    seconds after the start of the run."""

    saver: Saver
    name: str  # of the file; numbers that differ are "*"
    files: int  # number of files, including versions that were renamed
    saves: int  # by all processes
    rounds: int  # largest number of saves of one process
    written: int  # bytes, by all processes
    in_calls: float  # seconds, summed over processes
    # Seconds of all saves of the process that spent most on them, including time between calls.
    wall: float
    first: float  # begin of the first save, in seconds after the start
    last: float  # end of the last save
    replaced: int  # number of saves that replaced an older file of the same name
    removed: int  # files that the program removed
    processes: int  # processes that saved
    even: bool  # each of several processes wrote the same number of bytes
    beside: bool | None  # a thread saved while the program continued; None: unknown
    from_calls: bool  # call sites show the library function
    in_python: bool  # the programs may be in Python, like most savers
    ids: frozenset[int]  # ids of the files' records
    sites: tuple[int, ...]  # ids of the call sites that wrote, the site with most bytes first
    # Begin and end of each save, in order, at most MOST_TIMES; empty if files were saved more than
    # once.
    times: tuple[tuple[float, float], ...] = ()

    @property
    def title(self) -> str:
        """The name of the function that saved the files, "torch.save". Without call sites: how the
        files were recognized by their names."""
        if self.from_calls:
            return self.saver.title
        return self.saver.by_name if self.in_python else "known by its name"

    @property
    def kept(self) -> int:
        """The number of files that existed at the end of the run."""
        return self.files - self.removed

    @property
    def is_temporary(self) -> bool:
        """Whether the files have temporary names. The runtime does not see what renamed or removed
        them, because safetensors calls the kernel itself."""
        return bool(_TEMPORARY.search(self.name))

    @property
    def each(self) -> float:
        """The mean seconds of one save."""
        return self.wall / self.rounds

    @property
    def interval(self) -> float:
        """The mean seconds between the begins of successive saves; 0 for one save."""
        return (self.last - self.first - self.each) / (self.rounds - 1) if self.rounds > 1 else 0.0


@dataclass
class _Way:
    """How the files of one pattern were written: the calls of all call sites that used them,
    summed."""

    seconds: float = 0.0  # seconds in calls and between them
    written: float = 0.0  # bytes
    opens: float = 0.0  # opens by functions that save
    beside: float = 0.0  # bytes that threads other than the main thread wrote
    batches: float = 0.0  # bytes that a data set wrote, below a DataLoader
    sites: Counter[int] = field(default_factory=Counter)  # bytes by the site's id
    savers: Counter[Saver] = field(default_factory=Counter)  # bytes


def pattern_of(name: str) -> str:
    """Returns the name of a file with "*" for each number (not for that in .h5), and for the random
    end of a temporary name."""
    return _DIGITS.sub("*", name)


def common_name(names: Sequence[str]) -> str:
    """Returns the common name of files whose names differ only in numbers. Numbers that differ
    become "*"."""
    parts = [_DIGITS.split(name) for name in names]
    columns = zip(*parts)
    return "".join(column[0] if len(set(column)) == 1 else "*" for column in columns)


@once
def all_sites(facts: Facts) -> Sequence[Site]:
    """Returns the call sites of a log; empty if there are none, or if the records are damaged."""
    try:
        return sites_of(facts.log)
    except LogError:
        return ()


class _Homes:
    """Finds the pattern of the written file that a call used, directly or through a dataset in the
    file. files: the written files, by record id."""

    def __init__(self, facts: Facts, files: dict[int, File]) -> None:
        self._facts = facts
        self._known = {one: pattern_of(file.name) for file in files.values() for one in file.ids}
        self._by_name = {file.name: pattern_of(file.name) for file in files.values()}

    def pattern(self, record: int) -> str:
        """Returns the pattern of the file that a record belongs to: the file itself, or the file
        that contains the dataset. Returns "" for files that are no candidates."""
        if record not in self._known:
            file, colon, _ = self._facts.own_name(record).partition(":")
            self._known[record] = self._by_name.get(file, "") if colon else ""
        return self._known[record]

    def used(self, site: Site) -> dict[str, float]:
        """Returns, by pattern, the fraction of a call site's calls that used files of this pattern.
        Empty if its files are unknown."""
        calls = site.sums.files.calls or site.sums.files.moved
        sums: dict[str, float] = defaultdict(float)
        for one, number in calls.items():
            sums[self.pattern(one)] += number
        whole = sum(sums.values())
        return {pattern: part / whole for pattern, part in sums.items() if pattern and whole > 0}


def _beside(site: Site) -> bool:
    """Returns whether a thread other than the main thread made the calls of a site."""
    last = site.places[-1] if site.places else None
    return last is not None and is_thread(last.file)


def _temporary(site: Site) -> bool:
    """Returns whether Python's module tempfile made the calls of a site: it makes an empty file,
    which a library such as Lightning's then opens again to write a checkpoint."""
    frames = [frame for frame in site.stack.frames if isinstance(frame, Python)]
    return bool(frames) and frames[0].path.endswith("/tempfile.py")


def _ways(facts: Facts, files: dict[int, File]) -> dict[str, _Way]:
    """Returns, for each pattern of file names, the sums of the call sites that wrote its files, and
    did not read. files: the written files, by record id."""
    homes = _Homes(facts, files)
    found: dict[str, _Way] = defaultdict(_Way)
    for site in all_sites(facts):
        sums = site.sums
        if sums.read > 0:
            continue
        saver = saver_of(site)
        spent = sums.seconds
        # The time before a call that opened, renamed or removed a file is not part of a save.
        # A long gap before a write of the program's own code is not part of a save, either.
        if any(sums.calls_of[kind] > 0 for kind in _INSIDE):
            spent += sum(sums.gaps if saver is not None else sums.gaps[:LONG])
        for pattern, part in homes.used(site).items():
            way = found[pattern]
            way.seconds += part * spent
            if saver is not None and site.stack.called != "fdopen" and not _temporary(site):
                way.opens += part * sums.calls_of[OPEN]
            if sums.written > 0:
                way.written += part * sums.written
                way.beside += part * sums.written * _beside(site)
                way.batches += part * sums.written * is_of_batch(site)
                way.sites[site.id] += int(part * sums.written)
                if saver is not None:
                    way.savers[saver] += int(part * sums.written)
    return found


def _saver(pattern: str, way: _Way | None) -> tuple[Saver | None, bool]:
    """Returns the saver of the files of a pattern, and whether call sites show it. The saver is
    None if neither call sites nor the files' name show it. way: the calls that wrote the files;
    None: not known."""
    named = saver_by_name(pattern)
    if way is None or not way.savers:
        return named, False
    called = way.savers.most_common(1)[0][0]
    # A file with the name of a checkpoint is a checkpoint, even if numpy or pickle saved it.
    certain = named is not None and not named.repeated
    return (replace(called, repeated=False) if certain else called), True


Spans = dict[int, list[tuple[float, float]]]
Saves = dict[int, list[tuple[int, int, int]]]


def _spans(files: Iterable[File]) -> Spans:
    """Returns for each rank (-1: all processes together) the begin and end of the saves of each
    file, in seconds since the start of the run. A file that was saved several times has one long
    span."""
    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for file in files:
        for rank, part in file.parts.items():
            begin, end = part.span
            if part.written > 0 and begin <= end:
                found[rank].append((begin, end))
    return found


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Returns the seconds that at least one of the spans covers. spans: begin and end of each."""
    covered, until = 0.0, 0.0
    for begin, end in sorted(spans):
        covered += max(0.0, end - max(begin, until))
        until = max(until, end)
    return covered


def _wall(
    files: Sequence[File], spans: Spans, way: _Way | None, processes: int, again: bool
) -> float:
    """Returns the seconds of the saves in the process that spent most time on them. again: some
    files were saved more than once. In this case the time from the first write to the last is not
    the time of the saves, so the time in calls counts instead. It counts also if the program's own
    code wrote parts of the file, because that may happen from time to time during the run."""
    most = max(map(_covered, spans.values()), default=0.0)
    if not again and (way is None or way.savers or not way.written):
        return most
    written = sum(file.written for file in files)
    spent = sum(part.seconds for file in files for part in file.parts.values())
    if way is not None and way.written > 0:
        spent = max(spent, way.seconds / way.written * written)
    return min(most, spent / processes)


def _by_process(files: Iterable[File]) -> Saves:
    """Returns, by rank, a tuple for each file: saves per process, number of processes, bytes that
    they wrote."""
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for file in files:
        for rank, part in file.parts.items():
            if part.written > 0:
                found[rank].append((file.saves(part), file.together(part), part.written))
    return found


def _even(facts: Facts, files: Sequence[File], spans: Spans, saved: Saves, processes: int) -> bool:
    """Returns whether several processes wrote the same number of bytes at the same time: each
    process its own files, or each process the same whole file."""
    # A combined record does not show when each process saved.
    if -1 in spans and facts.tree is not None and 2 * facts.at_once <= processes:
        return False
    if not _at_once(list(spans.values())):
        return False
    if any(file.processes > 1 for file in files):
        return all(file.written >= WHOLE * file.processes * file.size for file in files)
    sums = [sum(moved for *_, moved in rows) for rows in saved.values()]
    return len(sums) > 1 and min(sums) >= WHOLE * max(sums)


def _at_once(spans: Sequence[Sequence[tuple[float, float]]]) -> bool:
    """Returns whether most saves of each process overlapped with saves of all other processes.
    Processes that run one after another, or that each train their own model, save at different
    times. spans: begin and end of each save, by process."""
    rounds = list(zip(*map(sorted, spans)))
    together = [max(b for b, _ in one) < min(e for _, e in one) for one in rounds]
    return 2 * together.count(True) > len(rounds)


def _numbers(
    files: Sequence[File], saved: Saves, way: _Way | None, processes: int
) -> tuple[int, int, int]:
    """Returns the number of saves of all processes, the largest number of saves of one process, and
    the number of saves that replaced older contents. The number of opens by the library function is
    a lower bound of the saves, because the count from file sizes is too small if the size of a file
    is overestimated."""
    rows = saved.values()
    saves = sum(each * together for some in rows for each, together, _ in some)
    rounds = max(sum(each for each, *_ in some) for some in rows)
    made = sum(file.versions for file in files)
    replaced = sum(max(0, file.rounds - file.versions) for file in files)
    if processes == 1:
        saves = rounds = max(saves, made + replaced)
    told = round(way.opens) if way is not None else 0
    if told > saves:
        replaced += (told - saves) // (1 if made >= processes else processes)
        saves, rounds = told, round(rounds * told / saves)
    return saves, rounds, replaced


def _row(
    facts: Facts, saver: Saver, from_calls: bool, files: Sequence[File], way: _Way | None
) -> Checkpoint | None:
    """Returns the checkpoint that consists of the files of one pattern; None if the log does not
    have the times of the saves."""
    by_rank = _spans(files)
    spans = [span for some in by_rank.values() for span in some]
    if not spans:
        return None
    saved = _by_process(files)
    processes = max(len(saved), *(file.processes for file in files))
    saves, rounds, replaced = _numbers(files, saved, way, processes)
    again = replaced > 0 or any(file.versions > 1 for file in files)
    return Checkpoint(
        saver=saver,
        name=common_name([file.name for file in files]),
        files=sum(file.versions for file in files),
        saves=saves,
        rounds=rounds,
        written=sum(file.written for file in files),
        in_calls=sum(part.seconds for file in files for part in file.parts.values()),
        wall=_wall(files, by_rank, way, processes, again),
        first=min(begin for begin, _ in spans),
        last=max(end for _, end in spans),
        replaced=replaced,
        removed=sum(file.removed for file in files),
        processes=processes,
        even=_even(facts, files, by_rank, saved, processes),
        beside=None if way is None or not way.written else 2 * way.beside > way.written,
        from_calls=from_calls,
        in_python="Python" in languages(facts, ""),
        ids=frozenset().union(*(file.ids for file in files)),
        sites=tuple(one for one, _ in way.sites.most_common()) if way else (),
        times=() if again else tuple(sorted(spans)[:MOST_TIMES]),
    )


def _counts(row: Checkpoint, least: float) -> bool:
    """Returns whether the files of a row are checkpoints. A save must write at least `least` bytes.
    If the library function also saves other data, the files must be saved repeatedly, and the saves
    must take at most half of the time from the first save to the last."""
    if row.written < least * row.saves:
        return False
    if not row.saver.repeated:
        return True
    return row.rounds > 1 and row.wall <= _HALF * (row.last - row.first)


def _is_cache(facts: Facts, row: Checkpoint, way: _Way | None) -> bool:
    """Returns whether files are a cache of data, and no state: a data set wrote them for its
    batches, or numpy, pickle or the like wrote many files of different names once, kept all, and
    the program read most of their bytes, too. way: None if no data set wrote them."""
    if way is not None and 2 * way.batches > way.written:
        return True
    if not row.saver.repeated or row.files < _MANY or row.replaced or row.removed:
        return False
    read = 0
    for module in ("POSIX", "STDIO"):
        if (table := facts.table(module)) is not None:
            ids = np.fromiter(row.ids, "u8", len(row.ids))
            read += int(table["BYTES_READ"][np.isin(table.ids, ids)].sum())
    return 2 * read > row.written


def _any(_: str) -> bool:
    return True


def _is_saved(name: str) -> bool:
    """Returns whether a file has the name of a checkpoint. Logs without call sites show checkpoints
    only by this."""
    return saver_by_name(name) is not None


@once
def checkpoints(facts: Facts) -> tuple[Checkpoint, ...]:
    """Returns the checkpoints of a run, ordered by the time of their saves, longest first."""
    least = facts.limits["checkpoint.bytes"]
    files = written_files(facts, least, _any if all_sites(facts) else _is_saved)
    ways = _ways(facts, files) if files else {}
    patterns: dict[str, list[File]] = defaultdict(list)
    for file in files.values():
        patterns[pattern_of(file.name)].append(file)
    rows = []
    for pattern, some in patterns.items():
        way = ways.get(pattern)
        saver, from_calls = _saver(pattern, way)
        row = _row(facts, saver, from_calls, some, way) if saver is not None else None
        if row is not None and _counts(row, least) and not _is_cache(facts, row, way):
            rows.append(row)
    return tuple(sorted(rows, key=lambda row: (-row.wall, row.name)))


@once
def state_ids(facts: Facts) -> np.ndarray:
    """Returns the record ids of files that are certainly checkpoints, because of the function that
    wrote them or because of their names. Each save of such a file replaces the previous one, so
    writing all of its bytes again is not a problem."""
    sure = [row for row in checkpoints(facts) if row.from_calls or not row.saver.repeated]
    every = frozenset().union(*(row.ids for row in sure))
    return np.fromiter(every, "u8", len(every))
