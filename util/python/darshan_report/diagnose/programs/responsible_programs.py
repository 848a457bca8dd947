"""Determines which programs of a process tree caused a finding, if its evidence shows it.

A record of a single rank identifies its process. A combined record has the I/O of several
processes. For such records the module SHARED has the number of processes and their lowest and
highest rank, and the module PROCESS shows which of these processes did I/O. If several programs
remain possible, none is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ...measure.processes.processes import Processes
from ..facts import Facts
from ..finding import GOOD, Finding
from ..table import Table, added

_RECORDS = 256  # largest number of a finding's records that are examined, the heaviest first
_UNKNOWN = 0.1  # largest share that may belong to unknown processes

Weights = npt.NDArray[np.float64]


def name_programs(facts: Facts, finding: Finding) -> Finding:
    """Returns the finding with the programs of a process tree that caused it, which its sentence
    then also names. Returns it unchanged if they are unknown, without a process tree, and for a
    GOOD finding."""
    tree = facts.tree
    if tree is None or finding.kind == GOOD or finding.programs or not finding.evidence:
        return finding
    weights = _by_records(facts, tree, finding)
    if weights is None:
        weights = _by_sums(facts, tree, finding)
    programs = tree.told(weights)
    if not programs:
        return finding
    return replace(
        finding,
        programs=programs,
        doers=tree.most_of(weights),
        sentence=f"{finding.sentence} Done by {programs}.",
    )


def _by_sums(facts: Facts, tree: Processes, finding: Finding) -> Weights:
    """Returns, as weights, how much each process did on all files. They come from PROCESS or, for
    what PROCESS lacks (mapped bytes, upper layers), from all records of the module."""
    base = [e.counter for e in finding.evidence if e.module in ("POSIX", "STDIO")]
    others = dict.fromkeys(e.module for e in finding.evidence if e.module not in ("POSIX", "STDIO"))
    if not others or any(counter.endswith("_TIME") for counter in base):
        return _times(tree, base)
    doers = _Doers(facts, tree)
    for module in others:
        table = facts.table(module)
        if table is not None:
            counters = [e.counter for e in finding.evidence if e.module == module]
            doers.add(table, set(table.ids.tolist()), counters)
    return doers.known


def _times(tree: Processes, counters: list[str]) -> Weights:
    """Returns the seconds of each process in the kinds of calls that these counters count (reads,
    writes, metadata operations); in all calls if the counters are of other kinds."""
    kinds = (
        (("_READ_", "_READS", "_READ"), tree.read_time),
        (("_WRITE_", "_WRITES", "_WRITTEN"), tree.write_time),
        (("_META_", "_OPENS", "_STATS", "_SEEKS"), tree.meta_time),
    )
    found = [time for marks, time in kinds if any(m in c for c in counters for m in marks)]
    return added(found) if found else tree.time


def _by_records(facts: Facts, tree: Processes, finding: Finding) -> Weights | None:
    """Returns, as weights, how much each process did in the records of the finding; None if it
    names no record."""
    ids = {e.id for e in finding.evidence if e.id is not None}
    if not ids:
        return None
    ids |= finding.covers
    doers = _Doers(facts, tree)
    for module in dict.fromkeys(e.module for e in finding.evidence if e.id is not None):
        table = facts.table(module)
        if table is not None:
            counters = [e.counter for e in finding.evidence if e.module == module]
            doers.add(table, ids, counters)
    return doers.known


def users(facts: Facts, table: Table, record: int) -> npt.NDArray[np.int64]:
    """Returns the indices in the process tree of the processes that used a file; empty if unknown.
    record: the file's id in the table."""
    if facts.tree is None or not len(facts.tree):
        return np.empty(0, np.int64)
    records = table.records
    ranks = records.ranks[records.ids == np.uint64(record)]
    doers = _Doers(facts, facts.tree)
    if (ranks >= 0).all():
        return facts.tree.places(ranks)
    return doers.combined(table, record) if (ranks < 0).all() else np.empty(0, np.int64)


def programs_of(facts: Facts, module: str, *records: int) -> str:
    """Returns the programs of a process tree that used some files as text, ordered by the time that
    they spent on them; "" if unknown. module: with the files' records. records: their ids."""
    table = facts.table(module)
    if facts.tree is None or table is None:
        return ""
    doers = _Doers(facts, facts.tree)
    counters = [f"{table.prefix}_F_{kind}_TIME" for kind in ("READ", "WRITE", "META")]
    doers.add(table, set(records), [c for c in counters if table.records.module.has(c)])
    return facts.tree.told(doers.known)


def _columns(table: Table, counters: list[str]) -> list[str]:
    """Returns the counters that measure how much a record contributes: the times or, without times,
    other sums."""
    summed = {c.name for c in table.records.module.counters + table.records.module.fcounters
              if c.summed}  # fmt: skip
    known = [c for c in dict.fromkeys(counters) if c in summed]
    return [c for c in known if c.endswith("_TIME")] or known


class _Doers:
    """Adds up, for each process of a tree, how much of some records' I/O it did. The sums are
    called weights; their unit is that of the counters that are added."""

    def __init__(self, facts: Facts, tree: Processes) -> None:
        self._facts, self._tree = facts, tree
        self.weights: Weights = np.zeros(len(tree))
        self.unknown = 0.0  # weight of unknown processes

    @property
    def known(self) -> Weights:
        """The weights; all 0 if more than a fraction _UNKNOWN belongs to unknown processes."""
        whole = float(self.weights.sum()) + self.unknown
        return self.weights if self.unknown <= _UNKNOWN * whole else np.zeros(len(self.weights))

    def add(self, table: Table, ids: set[int], counters: list[str]) -> None:
        """Adds the I/O in a module's records to the weights. ids: of the records. counters: full
        names of those that measure the I/O. The I/O of a combined record is divided among its
        processes by their time in such calls."""
        records, tree = table.records, self._tree
        rows = np.flatnonzero(np.isin(records.ids, np.fromiter(ids, "u8", len(ids))))
        heavy = np.zeros(len(rows))
        columns = _columns(table, counters)
        for name in columns:
            heavy += np.nan_to_num(records[name][rows].astype("f8"), posinf=0.0).clip(0, 1e18)
        ranks = records.ranks[rows]
        places = np.searchsorted(tree.ranks, ranks).clip(0, len(tree) - 1)
        known = tree.ranks[places] == ranks
        np.add.at(self.weights, places[known], heavy[known])
        self.unknown += float(heavy[(ranks >= 0) & ~known].sum())
        combined = np.flatnonzero(ranks < 0)
        combined = combined[np.argsort(-heavy[combined], kind="stable")]
        for row in combined[:_RECORDS]:
            some = self.combined(table, int(records.ids[rows[row]]))
            if len(some):
                # The weight is divided by the time that each process spent in such calls on all
                # files: a process that only read has no share in a finding about writes.
                spent = _times(tree, columns)[some]
                parts = spent if spent.sum() > 0 else np.ones(len(some))
                self.weights[some] += heavy[row] * parts / parts.sum()
            else:
                self.unknown += float(heavy[row])
        self.unknown += float(heavy[combined[_RECORDS:]].sum())

    def combined(self, table: Table, record: int) -> npt.NDArray[np.int64]:
        """Returns the indices of the processes that a combined record represents; empty if
        unknown."""
        tree, partly = self._tree, self._facts.shared.get(table.records.module.id)
        row = -1 if partly is None else int(partly.rows(np.array([record], "u8"))[0])
        if partly is None or row < 0:
            return np.flatnonzero(tree.own)  # of all processes
        low, high, number = (int(c[row]) for c in (partly.lowest, partly.highest, partly.ranks))
        ends = (tree.ranks == low) | (tree.ranks == high)
        if number == 2:
            return np.flatnonzero(ends)
        between = (tree.ranks >= low) & (tree.ranks <= high) & tree.own
        active = between & (ends | (tree.opens > 0) | (tree.time > 0))
        for some in (np.flatnonzero(between), np.flatnonzero(active)):
            if len(some) == number:
                return some
        alike = len({tree.programs[place] for place in np.flatnonzero(active)}) == 1
        # The log does not show which of these processes took part, but all of them run the same
        # program.
        return np.flatnonzero(active)[:number] if alike else np.empty(0, np.int64)
