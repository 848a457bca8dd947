"""The data that all sections of a report use: the log, and values that are computed only once."""

from __future__ import annotations

import functools
import math
import os
import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..call_sites.lines import Lines, lines_of
from ..call_sites.told import TOP
from ..checkpoints.loads import Loaded, loaded
from ..checkpoints.saves import Checkpoint, checkpoints
from ..classes import dataclass
from ..diagnose.blame import Blame, blame
from ..diagnose.facts import Facts
from ..diagnose.finding import Finding
from ..diagnose.limits import Limits
from ..diagnose.run import diagnose_facts
from ..diagnose.times.ledger import Ledger, ledger
from ..diagnose.times.waits import Waited, waited
from ..diagnose.training.loading import verdicts
from ..diagnose.training.passes import Passes, passes
from ..library import LogError
from ..log import Log
from ..measure import training_time
from ..measure.files.files import Files, files_of, with_mapped
from ..measure.files.overflow import groups
from ..measure.files.renamed import by_last_name
from ..measure.files.similar_files import together
from ..measure.files.streams import are_standard, of_files
from ..measure.layers.accesses import common_sizes
from ..measure.layers.attribution import Attribution
from ..measure.layers.exclusive import Own, own_times
from ..measure.layers.layers import LAYERS, SIZES, Layer
from ..measure.layers.order import Order, order
from ..measure.layers.performance import Performance, over_all, performance
from ..measure.layers.unattributed import Beside, beside
from ..measure.mpi.communication import Talk, talk_of
from ..measure.processes.endings import Failure, failure
from ..measure.processes.lanes import Lanes, lanes
from ..measure.processes.processes import Processes, processes
from ..measure.processes.programs import is_command
from ..measure.processes.shared import Users, shared
from ..measure.processes.started import asked_for
from ..measure.processes.usage import Usage, usage_of
from ..measure.shares import Shares
from ..measure.traces.heat import Heat, heats
from ..measure.traces.timelines import Timelines, timelines
from ..records import Records, Totals
from ..show.text import ShortNames, shorten
from .same_place import altogether
from .tried import Tried, trials

# Keys of a log's metadata: how many processes left no records, which parts were skipped.
WITHOUT_RECORDS, LEFT_OUT = "processes_without_records", "parts_left_out"
_COMMON_SIZES = 4
_TITLE = 60  # characters of a program's name
_LANES = 14  # largest number of programs with their own lane in a diagram


@dataclass(frozen=True, eq=False)
class LayerFigures:
    """All numbers of one layer of I/O in a report, as sums over all its records."""

    layer: Layer
    records: int  # number of records
    read: int | None  # bytes; None: unknown, or the layer has no such counter
    written: int | None
    read_time: float | None  # seconds, summed over processes
    write_time: float | None
    meta_time: float | None
    operations: tuple[tuple[str, int | None], ...]  # kind of call, number; None: unknown
    # Numbers of transfers per size class of SIZES; empty: the layer has no histogram.
    sizes_read: tuple[int, ...]
    sizes_written: tuple[int, ...]
    common: list[tuple[int, int]]  # bytes and number of the most common transfers
    reads: Order | None  # None: the layer does not count the order
    writes: Order | None
    files: Files
    performance: Performance | None
    last: float  # end of its last operation, seconds after the start
    unknown: frozenset[str]  # counters whose sum is unknown
    moves_bytes: bool  # whether the layer counts bytes

    @property
    def time(self) -> float:
        """The known seconds in calls, summed over processes; an unknown part counts as 0."""
        return sum(t or 0.0 for t in (self.read_time, self.write_time, self.meta_time))


def _operations(totals: Totals, layer: Layer) -> tuple[tuple[str, int | None], ...]:
    found = []
    for label, plus, minus in layer.operations:
        number = totals.sum_of(*map(layer.counter, plus))
        if number is not None:
            number = int(number) - sum(int(totals.sum_of(layer.counter(n)) or 0) for n in minus)
        found.append((label, number))
    return tuple(found)


def _sizes(totals: Totals, layer: Layer, kind: str) -> tuple[int, ...]:
    names = [layer.counter(f"SIZE_{kind}_{layer.size_names}{end}") for end, _ in SIZES]
    sums = [totals.sum_of(n) for n in names]
    return () if None in sums else tuple(int(s) for s in sums if s is not None)


def _metadata(totals: Totals, layer: Layer) -> float | None:
    """Returns the seconds of metadata operations, including PnetCDF's waits for queued requests;
    None if the sums are not known (Totals.sum_of)."""
    names = map(layer.counter, ("F_META_TIME", "F_WAIT_TIME"))
    return totals.sum_of(*filter(totals.has, names))


def _plus(known: float | None, more: float) -> float | None:
    return None if known is None else known + more


def _extra(log: Log) -> Records | None:
    """Returns the records of POSIX_EXT; None if the log has none, or damaged ones."""
    region = log.info.region("POSIX_EXT")
    if region is None or region.length == 0:
        return None
    try:
        return log.records("POSIX_EXT")
    except LogError:
        return None  # reported with other damage (see extras)


def _figures(log: Log, layer: Layer, users: Users, is_tree: bool) -> LayerFigures | None:
    """Returns the numbers of one layer; None if the log has no I/O of it. is_tree: the run is a
    process tree, whose standard streams are left out."""
    records = log.records(layer.module)
    if is_tree and layer.module == "STDIO":
        records = of_files(records)
    extra = _extra(log) if layer.module == "POSIX" else None
    # Operations on names, which no record of a file counts.
    more = Beside() if extra is None else beside(extra, records.ids)
    if not len(records) and not more.metadata + more.syncs:
        return None
    totals = Totals(records)

    def total(name: str) -> float | None:
        return totals.sum_of(layer.counter(name))

    def whole(name: str) -> int | None:
        value = total(name)
        return None if value is None else int(value)

    module = records.module
    used = records
    if layer.module == "GDS":  # leaves out the record of calls that are not on a file
        used = Records(module, records.array[records["GDS_OPENS"] > 0])
    files = files_of(used, layer, log.info.nprocs, users, groups(log))
    ends = [c.name for c in module.fcounters if c.name.endswith("_END_TIMESTAMP")]
    return LayerFigures(
        layer=layer,
        records=len(records),
        read=whole("BYTES_READ"),
        written=whole("BYTES_WRITTEN"),
        read_time=total("F_READ_TIME"),
        write_time=_plus(total("F_WRITE_TIME"), more.syncs),
        meta_time=_plus(_metadata(totals, layer), more.metadata),
        operations=_operations(totals, layer),
        sizes_read=_sizes(totals, layer, "READ"),
        sizes_written=_sizes(totals, layer, "WRITE"),
        common=common_sizes(records, layer, _COMMON_SIZES),
        reads=order(totals, layer, "READS"),
        writes=order(totals, layer, "WRITES"),
        files=files if extra is None else with_mapped(files, extra),
        performance=(over_all if is_tree else performance)(records, layer) if layer.rated else None,
        last=max((totals.largest(n) for n in ends), default=0.0),
        moves_bytes=totals.has(layer.counter("BYTES_READ")),
        unknown=frozenset(
            c.name
            for c in module.counters + module.fcounters
            if c.summed and totals.sum(c.name) is None
        ),
    )


class Judged(NamedTuple):
    """The findings of a log, and other values for which all of its records must be read."""

    findings: list[Finding]
    shares: Shares
    finals: Mapping[int, int]  # ids of the last names of renamed files
    written: Mapping[int, int]  # bytes written to these files, under their earlier names
    ledger: Ledger | None  # None while the program runs
    in_pipes: float  # seconds in calls on named pipes
    checkpoints: tuple[Checkpoint, ...]
    loaded: tuple[Loaded, ...]
    waited: Waited | None
    passes: Passes | None  # over the data; None with a DataLoader of PyTorch


class Context:
    """One open log and the values that are computed from it, each at its first use. Values from
    damaged modules are None or empty, and `damaged` then has the module and the error."""

    def __init__(self, log: Log, limits: Limits | None = None) -> None:
        self.log = log
        self.limits = limits or Limits()
        self.info = log.info
        self.shown = ShortNames()  # the appendix has the full names
        # rows that represent several files or datasets: their name, number and kind
        self._alike: dict[int, tuple[str, int, str]] = {}
        self._together: dict[str, Files] = {}  # by module
        self._blamed: dict[int, Blame | None] = {}  # by the id of a finding in `findings`
        self.damaged: list[tuple[str, str]] = []  # module, error of the library

    @functools.cached_property
    def figures(self) -> list[LayerFigures]:
        """The numbers of each layer with records, from the application downwards."""
        found = []
        users = Users(-1 if self.info.nprocs > 1 else 1, shared(self.log), self.tree)
        is_tree = self.tree is not None
        for layer in LAYERS:
            try:
                figures = _figures(self.log, layer, users, is_tree)
            except LogError as error:
                self.damaged.append((layer.module, str(error)))
                continue
            if figures is not None:
                found.append(figures)
        return found

    @functools.cached_property
    def streams(self) -> tuple[int, int, float]:
        """Bytes read, bytes written and seconds in calls of a process tree's standard streams that
        are not files. No other number includes these calls. All are 0 if the log has no records of
        streams, or they are damaged."""
        try:
            records = self.log.records("STDIO")
        except LogError:
            return (0, 0, 0.0)
        some = records.array[are_standard(records)]
        read, written = (int(some[f"STDIO_BYTES_{n}"].clip(0).sum()) for n in ("READ", "WRITTEN"))
        time = sum(np.nan_to_num(some[f"STDIO_F_{n}_TIME"]) for n in ("READ", "WRITE", "META"))
        return read, written, float(np.sum(time))

    @functools.cached_property
    def exclusive(self) -> list[Own]:
        """Seconds of each layer without the layers that it calls, from the program downwards; empty
        if the log has no such times."""
        above = own_times(self.attribution) if self.attribution else []
        below = [
            Own(f.layer.title, f.read_time or 0.0, f.write_time or 0.0, f.meta_time or 0.0)
            for f in self.figures
            if f.layer.base
        ]
        return above + below if above else []

    @functools.cached_property
    def findings(self) -> list[Finding]:
        """The findings: problems first, then notices, facts and what is good; each kind by
        potential saving, the largest first."""
        return self._judged.findings

    @functools.cached_property
    def shares(self) -> Shares:
        """The part of the run time that was I/O, which all reports show."""
        return self._judged.shares

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The checkpoints of the run, ordered by time, longest first."""
        return self._judged.checkpoints

    @property
    def loaded(self) -> tuple[Loaded, ...]:
        """The files from which the program loaded a saved state, ordered by bytes, most first."""
        return self._judged.loaded

    @property
    def in_pipes(self) -> float:
        """Seconds in calls on named pipes. Only the rows of layers and of files include this
        time."""
        return self._judged.in_pipes

    @property
    def waited(self) -> Waited | None:
        """How long the ranks of an MPI job waited for other ranks; None for other jobs, and if the
        log has no records of waits or damaged ones."""
        return self._judged.waited

    @property
    def passes(self) -> Passes | None:
        """The passes of a program over its data; None if it has none, or iterates over a DataLoader
        of PyTorch, whose epochs are in the section about training."""
        return self._judged.passes

    @property
    def ledger(self) -> Ledger | None:
        """The ledger, a table of what the processes did in each second of their lifetimes; None
        while the program runs."""
        return self._judged.ledger

    @functools.cached_property
    def _judged(self) -> Judged:
        # Facts keep all records in memory, so they are stored only for a process tree, which needs
        # them again.
        facts = self.facts if self.tree else Facts(self.log, self.limits, self.processes)
        with np.errstate(over="ignore", invalid="ignore"):
            finals = facts.finals
            written = facts.written(finals)
            spent = None if self.info.live else ledger(facts)
            return Judged(
                diagnose_facts(facts), facts.shares, finals, written, spent, facts.in_pipes,
                checkpoints(facts), loaded(facts), waited(facts),
                None if verdicts(facts) else passes(facts),
            )  # fmt: skip

    @functools.cached_property
    def facts(self) -> Facts:
        """The records and sums that the rules of diagnoses use."""
        return Facts(self.log, self.limits, self.processes)

    @functools.cached_property
    def processes(self) -> Processes | None:
        """The processes of the run; None if the log does not have them, or they are damaged."""
        try:
            return processes(self.log)
        except LogError as error:
            self.damaged.append(("PROCESS", str(error)))
            return None

    @property
    def tree(self) -> Processes | None:
        """The processes of a run that is not an MPI job but a process tree; else None."""
        return self.processes if self.processes and self.processes.number > 1 else None

    @functools.cached_property
    def lanes(self) -> Lanes | None:
        """The lifetimes of the programs of a process tree, as lanes of a diagram; None without a
        tree."""
        return lanes(self.tree, self.run_time, _LANES) if self.tree else None

    @functools.cached_property
    def training_lanes(self) -> training_time.Lanes | None:
        """The lanes of a training: what its processes did over time; None without TRAINING_TIME
        records, and if they are damaged, which is added to the list of damaged modules."""
        try:
            return training_time.lanes(self.log, self.processes)
        except LogError as error:
            self.damaged.append((training_time.MODULE, str(error)))
            return None

    @property
    def _lane_of_rank(self) -> dict[int, int] | None:
        if self.tree is None or self.lanes is None:
            return None
        return dict(zip(self.tree.ranks.tolist(), self.lanes.place_of.tolist()))

    @property
    def process_time(self) -> float:
        """The sum of the processes' working times in seconds."""
        return self.shares.work

    @property
    def of_ranks(self) -> bool:
        """Whether this is a job of ranks, whose times are shown as means per rank."""
        return self.nprocs > 1 and self.tree is None

    @property
    def mean_over(self) -> int:
        """The number by which the report divides times. Ranks of a job are similar, so the report
        shows their mean. Programs of a process tree are not similar, so it shows their sum (divisor
        1)."""
        return 1 if self.tree else self.nprocs

    @property
    def number(self) -> int:
        """The number of processes."""
        return self.processes.number if self.processes else self.nprocs

    @functools.cached_property
    def heats(self) -> list[Heat]:
        """The heat maps, one per layer, most bytes first; [] if they are damaged."""
        try:
            return heats(self.log, self._lane_of_rank)
        except LogError as error:
            self.damaged.append(("HEATMAP", str(error)))
            return []

    @functools.cached_property
    def talk(self) -> Talk | None:
        """The time of MPI communication; None if it was not recorded, or is damaged."""
        try:
            return talk_of(self.log)
        except LogError as error:
            self.damaged.append(("APMPI", str(error)))
            return None

    def timelines(self, module: str, most: int) -> Timelines | None:
        """Returns when the files with most time in traced transfers were accessed; None if the log
        has no such trace. module: "DXT_POSIX" or "DXT_MPIIO". most: number of files."""
        try:
            return timelines(self.log, module, self.run_time, most)
        except LogError as error:
            self.damaged.append((module, str(error)))
            return None

    @functools.cached_property
    def extras(self) -> Totals | None:
        """The sums of counters of the module POSIX_EXT, which other Darshan versions do not have;
        None if the log has none, or damaged ones."""
        region = self.info.region("POSIX_EXT")
        if region is None or region.length == 0:
            return None
        try:
            return Totals(self.log.records("POSIX_EXT"))
        except LogError as error:
            self.damaged.append(("POSIX_EXT", str(error)))
            return None

    @functools.cached_property
    def usage(self) -> Usage | None:
        """The kernel's counts for the processes (module USAGE); None if the log lacks them, or they
        are damaged."""
        return usage_of(self.log)

    @functools.cached_property
    def maps(self) -> bool:
        """Whether the program mapped files into memory."""
        return any(f.files.mapped.any() for f in self.figures)

    @functools.cached_property
    def attribution(self) -> Attribution | None:
        """The calls of lower layers that calls on HDF5 objects caused; None if the log lacks them,
        or they are damaged."""
        region = self.info.region("LAYERS")
        if region is None or region.length == 0:
            return None
        try:
            return Attribution(self.log)
        except LogError as error:
            self.damaged.append(("LAYERS", str(error)))
            return None

    @functools.cached_property
    def code_lines(self) -> Lines | None:
        """The lines of code with most time in I/O calls; None if the log has no call sites, or they
        are damaged."""
        try:
            return lines_of(self.log, TOP)
        except LogError as error:
            self.damaged.append(("SITES", str(error)))
            return None

    def blame(self, finding: Finding) -> Blame | None:
        """Returns the line of code behind a finding, or why it has none; None if neither is known
        (diagnose/blame.py)."""
        if id(finding) not in self._blamed:
            self._blamed[id(finding)] = blame(self.code_lines, finding)
        return self._blamed[id(finding)]

    def where(self, finding: Finding) -> str:
        """Returns a sentence that names the line of code that caused a finding; "" if it is
        unknown."""
        if finding.at:
            return f"At {finding.at}."
        found = self.blame(finding)
        return f"{found.text[0].upper()}{found.text[1:]}." if found else ""

    def at_stake(self, finding: Finding) -> str:
        """Returns the potential saving of a finding as text, with that of further findings about
        the same line or function; "" if it is unknown."""
        texts = (finding.stake.text, altogether(self.findings, finding, self.blame))
        return "; ".join(filter(None, texts))

    @functools.cached_property
    def trials(self) -> dict[str, list[Tried]]:
        """The results of `darshan try` in files beside the log, by the name of the diagnosis; empty
        if there are none."""
        return trials(self.log)

    def tried(self, finding: Finding) -> list[str]:
        """Returns one text per remedy of a finding that `darshan try` has measured."""
        return [one.text for one in self.trials.get(finding.name, [])]

    @property
    def incomplete(self) -> bool:
        """Whether the log lacks data, because its program still runs, a limit was reached, or the
        log is damaged. Damage counts only if the damaged part has already been read."""
        info = self.info
        lacking = any(region.partial for region in info.regions)
        lost = {WITHOUT_RECORDS, LEFT_OUT} & dict(info.metadata).keys()
        return bool(info.live or lacking or lost or info.annex_problem or self.damaged)

    @property
    def nprocs(self) -> int:
        """The number of processes of the job; at least 1, even if the log is damaged."""
        return max(1, self.info.nprocs)

    @property
    def run_time(self) -> float:
        """The run time in seconds; for a live journal, the time until the last recorded
        operation."""
        known = self.info.run_time
        if math.isfinite(known) and known >= 0:
            return known
        return max((f.last for f in self.figures), default=0.0)

    @property
    def program(self) -> str:
        """The name of the program that the user started, before any exec; "" if the log has no
        command line."""
        first = self.processes.first if self.processes and self.processes.ranks[0] == 0 else ""
        command = first if is_command(first) else self.info.exe.strip()
        return asked_for(command) if command else ""

    @functools.cached_property
    def failure(self) -> Failure | None:
        """How the program failed; None if it did not fail or the log lacks the status."""
        return failure(self.log, self.processes)

    @property
    def title(self) -> str:
        """The program and the date, by which users recognize a run."""
        name = shorten(self.program, _TITLE) or "a program"
        try:
            day = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.info.start))
        except (OverflowError, ValueError, OSError):
            return name
        return f"{name}, {day}"

    def name(self, record: int) -> str:
        """Returns the name of a record, or its id if it has none. If the record represents many
        files or datasets, adds their number."""
        if like := self._alike.get(record):
            name, number, things = like
            return f"{name} ({number:,} {things})"
        found = self.log.name(record) or f"(no name, id {record})"
        group = groups(self.log).get(record)
        return f"{found} ({group.files:,} files)" if group and group.files > 1 else found

    @functools.cached_property
    def temporary(self) -> Mapping[int, list[int]]:
        """The ids of the temporary names of a file, by the id of its last name."""
        found: dict[int, list[int]] = {}
        for source, last in self._judged.finals.items():
            found.setdefault(last, []).append(source)
        return found

    def names_of(self, record: int) -> list[int]:
        """Returns the id of a file, and the ids of its temporary names. record: id of the file."""
        return [int(record), *self.temporary.get(int(record), [])]

    def was(self, record: int) -> str:
        """Returns the temporary name of a file, without its folder; "" if it had none. If there are
        several, returns the one to which most bytes were written. record: id of the file."""
        before = self.temporary.get(record, [])
        if not before:
            return ""
        most = max(before, key=lambda number: self._judged.written.get(number, 0))
        return os.path.basename(self.log.name(most) or "")

    def by_last_name(self, figures: LayerFigures) -> Files:
        """Returns the files of a layer, with a single row for a file that had several names."""
        return by_last_name(figures.files, self._judged.finals)

    def together(self, figures: LayerFigures) -> Files:
        """Returns the files of a layer by their last names. Similar files of a folder share one
        row."""
        module = figures.layer.module
        if module not in self._together:
            files, names = together(self.by_last_name(figures), self.log.name)
            for place, number in enumerate(files.ids.tolist()):
                if number in names:
                    stands = int(files.stands[place])
                    self._alike[number] = (names[number], stands, figures.layer.things)
            self._together[module] = files
        return self._together[module]

    def short(self, name: str, width: int) -> str:
        """Returns a name that fits into `width` characters. If it is too long, its middle is cut
        out, and the list of full names at the end of the report gets it."""
        return self.shown.all([name], width)[0]
