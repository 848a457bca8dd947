"""The records of a log for the diagnoses, joined by file and loaded at their first use."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

import numpy as np

from ..library import LogError
from ..log import Log
from ..measure.files.overflow import ID, NAME, TREE, Group, files_in_it, groups
from ..measure.files.renamed import finals, names_of
from ..measure.files.streams import of_files, standard_ids
from ..measure.files.targets import Stripes, stripes
from ..measure.layers.attribution import Attribution, Upper
from ..measure.layers.exclusive import own_times
from ..measure.layers.gpu_direct import own_transfers
from ..measure.layers.layers import LAYERS, Layer
from ..measure.layers.unattributed import Beside, beside
from ..measure.processes.hosts import Host, hosts
from ..measure.processes.processes import Processes
from ..measure.processes.shared import Shared, Users, shared
from ..measure.processes.usage import Usage
from ..measure.shares import Shares
from ..records import Records, among, in_both
from ..units import amount
from .accesses.in_common import InCommon, in_common, locked_files
from .accesses.streams import Streams
from .finding import Evidence, Finding, Stake
from .limits import Limits
from .table import Table, added
from .times.rates import job_rate, movers
from .times.recording import recording
from .times.tree_waits import outside_of_calls

_FAST = ("lustre", "gpfs", "beegfs", "panfs", "cephfs", "ceph", "pvfs2", "orangefs", "weka")
_ROUNDING = 0.005  # relative difference below which two times are reported as equal
_DATASETS = 200  # datasets that are examined individually
PARALLEL = frozenset(_FAST)  # file systems on which each block and lock costs messages to servers


Asked = TypeVar("Asked", bound=Callable[..., Any])
_EDGES = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)


def once(ask: Asked) -> Asked:
    """Decorates a function of Facts that several rules call: it is computed once for the same
    arguments. Its result must not refer to the Facts, because such a cycle would keep the log's
    records in memory until the garbage collector runs."""

    @functools.wraps(ask)
    def answered(facts: Facts, *of: Any) -> Any:
        key = (ask, *of)
        if key in facts.answers:
            return facts.answers[key]
        return facts.answer(key, lambda: ask(facts, *of))

    return cast(Asked, answered)


class Facts:
    """One open log and its thresholds, as the rules of diagnoses use them."""

    def __init__(
        self, log: Log, limits: Limits | None = None, processes: Processes | None = None
    ) -> None:
        self.log = log
        self.info = log.info
        self.limits = limits or Limits()
        self.damaged: list[tuple[str, str]] = []
        self.nprocs = max(1, log.info.nprocs)
        self.processes = processes  # is None if the log does not distinguish processes
        self._tables: dict[str, Table | None] = {}
        self.answers: dict[tuple[Any, ...], Any] = {}  # what functions with once() returned
        self._names: dict[int, str] = {}

    def answer(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """Returns the stored result for a key, after calling `make` for it if there is none."""
        if key not in self.answers:
            made = make()
            if isinstance(made, np.ndarray):  # read-only, because the callers share it
                made.flags.writeable = False
            self.answers[key] = made
        return self.answers[key]

    def found(self, find: Callable[[Facts], Iterable[Finding]]) -> tuple[Finding, ...]:
        """Returns the findings of a rule, which runs once although other rules use them, too."""
        return _found(self, find)

    def table(self, module: str) -> Table | None:
        """Returns the records of a module, without named pipes; None if the log has none, or
        damaged ones, which `damaged` then names."""
        if module not in self._tables:
            self._tables[module] = self._load(module)
        return self._tables[module]

    def _load(self, module: str) -> Table | None:
        region = self.info.region(module)
        if region is None or region.length == 0:
            return None
        try:
            records = self.log.records(module)
            if self.tree and module == "STDIO":
                records = of_files(records)
            if module in ("POSIX", "STDIO"):
                records = self._without_pipes(records)
        except LogError as error:
            self.damaged.append((module, str(error)))
            return None
        if not len(records):
            return None
        prefix = records.module.counters[0].name
        layer = next((x for x in LAYERS if x.module == module), None)
        prefix = layer.prefix if layer else _prefix(prefix, module)
        everybody = self.tree.number if self.tree else self.nprocs
        return Table(records, prefix, Users(everybody, self.shared, self.tree))

    @functools.cached_property
    def _pipes(self) -> np.ndarray:
        """The ids of named pipes."""
        pipes: set[int] = set()
        for module in ("POSIX_EXT", "STDIO_EXT"):
            beside = self.table(module)
            if beside is not None and beside.has("FIFO_OPENS"):
                pipes |= set(beside.ids[beside["FIFO_OPENS"] > 0].tolist())
        return np.fromiter(pipes, "u8", len(pipes))

    @functools.cached_property
    def in_pipes(self) -> float:
        """The seconds in calls on named pipes. This class's tables leave out these calls, but the
        report's rows of layers and files include them."""
        found = 0.0
        for module in ("POSIX", "STDIO") if len(self._pipes) else ():
            if self.info.region(module):
                records = self.log.records(module)
                some = records.array[among(records.ids, self._pipes)]
                for kind in ("READ", "WRITE", "META"):
                    found += float(np.nan_to_num(some[f"{module}_F_{kind}_TIME"]).sum())
        return found

    def _without_pipes(self, records: Records) -> Records:
        """Returns the records without named pipes, where a process waits for other programs."""
        waited = among(records.ids, self._pipes)
        # Logs of other Darshan versions do not mark pipes. No file system takes minutes to open a
        # file, so in a run of a single process such a file is a pipe.
        prefix = records.module.name
        with np.errstate(invalid="ignore"):
            calls = np.maximum(records[f"{prefix}_OPENS"], 1).astype("f8")
            each = records[f"{prefix}_F_META_TIME"] / calls
            waited |= (self.nprocs == 1) & (each > self.limits["open.waits"])
        return Records(records.module, records.array[~waited]) if waited.any() else records

    @functools.cached_property
    def streams(self) -> Streams | None:
        """The files used through streams of the C library; None if the log has none."""
        table = self.table("STDIO")
        if table is None:
            return None
        posix = self.table("POSIX")
        opened = None if posix is None else (posix.ids, self.opens(posix))
        return Streams(table, self.table("STDIO_EXT"), opened)

    @functools.cached_property
    def shared(self) -> dict[int, Shared]:
        """The ranks of each combined record of some processes, by module id."""
        return shared(self.log)

    @functools.cached_property
    def common(self) -> InCommon:
        """The files that several processes use at the same time while some of them write."""
        tables = [table for layer, table in self.layers if layer.base]
        extra = self.table("POSIX_EXT")
        locked = locked_files(extra, tables, self.own_name, self.table("H5F"))
        return in_common(tables, locked, self.shared, self.tree)

    @functools.cached_property
    def hosts(self) -> dict[str, Host]:
        """The transfers of each host, by name; empty unless traces name the hosts."""
        return hosts(self.log)

    @functools.cached_property
    def stripes(self) -> Stripes | None:
        """The stripes of files on Lustre; None if the log has none."""
        return stripes(self.log)

    @property
    def tree(self) -> Processes | None:
        """The processes of a run that is a process tree, not an MPI job; else None."""
        return self.processes if self.processes and self.processes.number > 1 else None

    @property
    def together(self) -> bool:
        """Whether several processes work on one job, so that one may have to wait for another.
        False for a process tree, whose programs run one after another, or wait by design."""
        return self.nprocs > 1 and self.tree is None

    @functools.cached_property
    def layers(self) -> list[tuple[Layer, Table]]:
        """Every layer with records, which are joined by file, from the application downwards."""
        found = ((layer, self.table(layer.module)) for layer in LAYERS)
        return [(layer, table) for layer, table in found if table is not None]

    @functools.cached_property
    def run_time(self) -> float:
        """The run time in seconds; for a live journal, the time until its last operation."""
        known = self.info.run_time
        if math.isfinite(known) and known > 0:
            return known
        names = [f"F_{kind}_END_TIMESTAMP" for kind in ("READ", "WRITE", "CLOSE")]
        tables = [table for _, table in self.layers]
        return max((float(t[n].max()) for t in tables for n in names if t.has(n)), default=0.0)

    @functools.cached_property
    def process_time(self) -> float:
        """The seconds in which the processes could work, summed: their lifetimes without waits for
        children or, if the log does not distinguish processes, run time times processes."""
        if self.processes:
            work = self.processes.work
        else:
            work = (self.log.work(self._file_time) if self.nprocs == 1 else 0.0) or 0.0
        return work or self.run_time * self.nprocs

    @functools.cached_property
    def needed_time(self) -> float:
        """The seconds of process_time without the waits for a processor that another process had
        taken, and without what the recording took. No change of the program's I/O saves these, so
        potential savings are fractions of this time."""
        table = self.table("USAGE")
        lost = after = 0.0
        if table is not None:
            known = Usage(table.records)
            lost, after = float(known.preempted.sum()), float(known.after_sleep.sum())
        # In a tree, a process that waits for its children also sleeps.
        if self.tree:
            lost = 0.0 if table is None else outside_of_calls(self.tree, Usage(table.records))
        # After a sleep a process waits for a processor: in calls at most as long as those that may
        # sleep. More waits follow a sleep elsewhere, such as in MPI.
        elif after > _ROUNDING * self.process_time:
            lost += max(0.0, after - self.io_time + (self.streams.served if self.streams else 0))
        found, whole = self.process_time - lost - self.recording, self.process_time
        return found if 0 < found < (1 - _ROUNDING) * whole else whole

    @functools.cached_property
    def recording(self) -> float:
        """The seconds that the recording took, over all processes; 0 if they are few."""
        return recording(self.log, self.layers, self.streams, self.process_time)

    @functools.cached_property
    def at_once(self) -> float:
        """The mean number of processes that do I/O at the same time, at least 1."""
        return self.tree.at_once if self.tree else float(self.nprocs)

    @staticmethod
    def time(table: Table) -> np.ndarray:
        """Returns the seconds in calls per file, summed over processes."""
        return added([table[f"F_{kind}_TIME"] for kind in ("META", "READ", "WRITE")])

    @once
    def opens(self, table: Table) -> np.ndarray:
        """Returns the number of opens per file, without calls of fileno, dup and fdopen."""
        others = table["FILENOS"] + table["DUPS"] + table["FDOPENS"]
        return np.asarray(np.maximum(0, table["OPENS"] - others))

    @once
    def writing(self, table: Table) -> np.ndarray:
        """Returns the seconds in writes per file, without those in fsync and msync."""
        extra = self.table("POSIX_EXT")
        time: np.ndarray = np.array(table["F_WRITE_TIME"], "f8")
        if table.prefix != "POSIX" or extra is None:
            return time
        synced = extra["F_FSYNC_TIME"] + extra["F_SYNC_TIME"]
        for at in np.flatnonzero(synced > 0):
            place = table.place(int(extra.ids[at]))
            if place is not None:
                time[place] -= synced[at]
        return time.clip(0.0)

    def moving(self, table: Table, kind: str) -> np.ndarray:
        """Returns the seconds in transfers per file. kind: READ or WRITE."""
        return self.writing(table) if kind == "WRITE" else table["F_READ_TIME"]

    @functools.cached_property
    def direct(self) -> tuple[float, float]:
        """Seconds in reads and in writes of GPUDirect Storage, without the POSIX calls below."""
        tables = (self.table(name) for name in ("GDS", "LAYERS"))
        return own_transfers(*(None if table is None else table.records for table in tables))

    @functools.cached_property
    def base_time(self) -> float:
        """Seconds in calls of the lowest layers, summed over files and processes."""
        files = float(sum(self.time(t).sum() for layer, t in self.layers if layer.base))
        return files + self.beside.metadata + self.beside.syncs + sum(self.direct)

    @functools.cached_property
    def beside(self) -> Beside:
        """Seconds in operations on names and in syncs that no POSIX record contains."""
        extra = self.table("POSIX_EXT")
        if extra is None:
            return Beside()
        posix = self.table("POSIX")
        files = np.empty(0, "u8") if posix is None else posix.ids
        return beside(extra.records, np.concatenate((files, self._pipes)))

    def _time_of(self, layer: Layer, table: Table) -> float:
        """Returns the seconds in calls of a layer on files. Standard streams are left out, because
        time at a pipe or a terminal is waiting."""
        time = self.time(table)
        if layer.module == "STDIO":
            time = time[~among(table.ids, standard_ids())]
        return float(time.sum())

    @functools.cached_property
    def _file_time(self) -> float:
        """The seconds in file I/O, summed over processes."""
        found = sum(self._time_of(layer, table) for layer, table in self.layers if layer.base)
        return found + self.beside.metadata + self.beside.syncs + sum(self.direct)

    @functools.cached_property
    def shares(self) -> Shares:
        """The seconds in I/O, and the working time of which they are parts (measure/shares.py)."""
        times = [(layer, self._time_of(layer, table)) for layer, table in self.layers]
        files = self._file_time
        own = sum(o.time for o in own_times(self.attribution)) if self.attribution else 0.0
        above = files + own if own > 0 else max([files, *(time for _, time in times)])
        whole = self.run_time * (1 if self.tree else self.nprocs)
        waited = abs(self.process_time - whole) > _ROUNDING * whole
        return Shares(files, above, self.process_time, waited)

    @property
    def over_all(self) -> str:
        """Text behind a sum of seconds: over what it was summed; "" for a single thread."""
        if self.nprocs > 1 or self.tree is not None:
            return " over all processes"
        return " over all threads" if self.shares.overlapping else ""

    @property
    def io_time(self) -> float:
        """The seconds in which the processes were in I/O calls, over all layers."""
        return self.shares.all

    @once
    def single(self, table: Table) -> np.ndarray:
        """Returns a mask of the records that represent exactly one data file. A record of many
        small files would look like one small file that is used repeatedly."""
        found: np.ndarray = (self.files(table) == 1) & ~self.programs(table)
        return found

    @once
    def programs(self, table: Table) -> np.ndarray:
        """Returns a mask of group records of an interpreter's program files, which are not data."""
        trees = [number for number, group in self._groups.items() if group.kind == TREE]
        return among(table.ids, np.array(trees, "u8"))

    @functools.cached_property
    def _groups(self) -> dict[int, Group]:
        return groups(self.log)

    @once
    def files(self, table: Table) -> np.ndarray:
        """Returns the number of files in each record. For overflow records of older logs, it comes
        from the metadata, or is the number of opens, which may be larger."""
        found = np.ones(len(table), "i8")
        shared = {number: group.files for number, group in self._groups.items()}
        if int(ID) not in shared and self.log.name(int(ID)) == NAME:
            shared[int(ID)] = files_in_it(self.log, table.records.module.name) or 0
        for number, files in shared.items():
            if (place := table.place(number)) is not None:
                found[place] = files or max(1, int(table["OPENS"][place]))
        return found

    def name(self, record: int) -> str:
        """Returns the name by which the user knows a file: its name after the last rename. If it
        has no name, returns text with its record id."""
        return self.own_name(self.finals.get(int(record), int(record)))

    def own_name(self, record: int) -> str:
        """Returns the name of a record in the log; text with its id if it has no name."""
        number = int(record)
        if number not in self._names:
            self._names[number] = self.log.name(number) or f"(no name, id {number})"
        return self._names[number]

    @functools.cached_property
    def finals(self) -> Mapping[int, int]:
        """The id of a renamed file's last name, by the id of its earlier name; {} without POSIX."""
        posix = self.table("POSIX")
        return {} if posix is None else finals(posix, self.own_name)

    @functools.cached_property
    def last_names(self) -> Mapping[int, int]:
        """The number of names that a file got one after another, by the id of the renamed file."""
        posix = self.table("POSIX")
        return {} if posix is None else names_of(posix)

    def written(self, records: Iterable[int]) -> dict[int, int]:
        """Returns the bytes written to each POSIX file, by record id. Leaves out other ids."""
        posix = self.table("POSIX")
        if posix is None:
            return {}
        places = {number: posix.place(number) for number in records}
        sums = posix["BYTES_WRITTEN"]
        return {number: int(sums[at]) for number, at in places.items() if at is not None}

    def stake(
        self, seconds: float, basis: str, moved: float = 0, of: float = 0, *, between: float = 0
    ) -> Stake:
        """Returns a potential saving, limited to the time of the processes. seconds, between: saved
        in calls, and between calls; summed over processes. basis: how this was estimated. moved,
        of: bytes that the remedy saves, and all of them."""
        in_calls = min(max(0.0, float(seconds)), self.process_time or float(seconds))
        whole = max(0.0, float(seconds)) + float(between)
        seconds = min(whole, self.process_time or whole)
        # Working time is a sum over processes, of which several may have worked at the same time.
        # Both values may contain waits for a processor; cpu_wait.corrected() subtracts them.
        most = min(self.run_time, self.process_time / self.at_once)
        whole = min(self.run_time, self.needed_time / self.at_once)
        return Stake(
            seconds,
            self.needed_time,
            int(moved),
            int(of),
            basis,
            run=min(seconds / self.at_once, most or seconds, whole or seconds),
            of_run=whole,
            ranks=1 if self.tree else self.nprocs,
            idle=most < (1 - _ROUNDING) * self.run_time,
            crowded=whole + self.recording / self.at_once < (1 - _ROUNDING) * most,
            slowed=self.recording > 0,
            between=seconds - in_calls,
        )

    def worth(self, stake: Stake) -> bool:
        """Returns whether a potential saving is large enough for a finding."""
        each = stake.seconds / self.at_once
        if each >= self.limits["stake.large"]:
            return True
        return each >= self.limits["stake.seconds"] and stake.share >= self.limits["stake.share"]

    def lost(
        self,
        seconds: np.ndarray | float,
        moved: np.ndarray | float,
        processes: np.ndarray | int | None = None,
    ) -> np.ndarray:
        """Returns the seconds that transfers took beyond what their bytes need at a good rate.
        seconds, moved: time and bytes of the transfers. processes: how many processes move bytes at
        the same time and share the rate that a job can expect."""
        return np.asarray(np.maximum(0.0, seconds - np.asarray(moved) / self.good_rate(processes)))

    @functools.cached_property
    def job_rate(self) -> tuple[float, bool]:
        """The bytes per second that a job can expect, and whether this job itself reached them."""
        if not self.together:
            return self.limits["rate.job"], False
        return job_rate(self.log, self.table("POSIX"), self.limits)

    def movers(self, table: Table) -> np.ndarray:
        """Returns, per file, how many processes are taken to move bytes at the same time: those of
        the file; except in a process tree, at least all that move bytes of files of their own."""
        return _movers(self, table) if self.together else table.processes

    @functools.cached_property
    def all_movers(self) -> int:
        """The largest number of processes that move bytes of any file at the same time."""
        found = (self.movers(table).max() for layer, table in self.layers if layer.base)
        return int(max(found, default=1))

    def good_rate(self, processes: np.ndarray | int | None = None) -> np.ndarray:
        """Returns the bytes per second that each process can expect. processes: how many move bytes
        at the same time; by default all that move any."""
        number = np.maximum(self.all_movers if processes is None else processes, 1)
        return np.minimum(self.limits["rate.good"], self.job_rate[0] / number)

    def rate_words(self, processes: int) -> str:
        """Returns text with the rate that a process can expect, and what limits it. processes: how
        many move bytes at the same time."""
        each = float(self.good_rate(processes))
        if each >= self.limits["rate.good"]:
            return f"{amount(each)}/s per process"
        whole, own = self.job_rate
        why = "large transfers of this job reached" if own else "a job can expect"
        return f"{amount(each)}/s per process, a share of the {amount(whole)}/s that {why}"

    @once
    def unplaced(self, table: Table, direction: str) -> np.ndarray:
        """Returns, for each file, the bytes READ or WRITTEN (`direction`) at unknown offsets, which
        MAX_BYTE_* does not include: 0 for modules other than POSIX, and in older logs."""
        found = np.zeros(len(table), "i8")
        beside = self.table("POSIX_EXT")
        if beside is None or table.prefix != "POSIX" or not beside.has(f"UNPLACED_{direction}"):
            return found
        here, there = in_both(table.ids, beside.ids)
        found[here] = beside[f"UNPLACED_{direction}"][there]
        return found

    def renames(self) -> float:
        """Returns the number of renames of all files, including files without a POSIX record."""
        posix, extra = self.table("POSIX"), self.table("POSIX_EXT")
        found = 0.0 if posix is None else float(np.maximum(posix["RENAME_SOURCES"], 0).sum())
        return found + (0.0 if extra is None else float(np.maximum(extra["RENAMES"], 0).sum()))

    @once
    def renamed_away(self, table: Table) -> np.ndarray:
        """Returns, per file of the table, how often a file of this name was renamed. After each
        rename, a file with this name is a new one."""
        found = np.zeros(len(table), "i8")
        posix = self.table("POSIX")
        if posix is not None:
            here, there = in_both(table.ids, posix.ids)
            found[here] = posix["RENAME_SOURCES"][there]
        return found

    def rows(self, table: Table, place: int, *names: str) -> tuple[Evidence, ...]:
        """Returns the named counters of the file in row `place` as evidence."""
        number = int(table.ids[place])
        module, record = table.records.module.name, self.own_name(number)
        return tuple(
            Evidence(module, record, f"{table.prefix}_{n}", table[n][place].item(), number)
            for n in names
        )

    def stream_rows(self, place: int, *names: str) -> tuple[Evidence, ...]:
        """Returns the file's counters in STDIO_EXT; () if it has none. place: its row in STDIO."""
        found = self.streams.evidence(place, *names) if self.streams else None
        return self.rows(found[0], found[1], *found[2]) if found else ()

    def sums(self, table: Table, *names: str) -> tuple[Evidence, ...]:
        """Returns the named counters, summed over all files, as evidence."""
        module = table.records.module
        found = []
        for n in names:
            value = table[n].sum(dtype=table[n].dtype)
            found.append(Evidence(module.name, "", f"{table.prefix}_{n}", value.item()))
        return tuple(found)

    @once
    def small(self, table: Table, kind: str, infix: str = "") -> np.ndarray:
        """Returns the number of transfers per file of at most small.bytes (a threshold). kind: READ
        or WRITE. infix: "AGG_" for the sizes of MPI-IO, else ""."""
        classes = sum(1 for edge in _EDGES if edge <= self.limits["small.bytes"])
        found: np.ndarray = table.sizes(kind, infix)[:, :classes].sum(axis=1)
        return found

    @functools.cached_property
    def attribution(self) -> Attribution | None:
        """The calls of lower layers that upper layers' calls caused; None if the log lacks them."""
        if self.table("LAYERS") is None:
            return None
        return Attribution(self.log)

    @functools.cached_property
    def datasets(self) -> list[Upper]:
        """The HDF5 datasets with the most time, at most _DATASETS; empty without attribution."""
        return self.attribution.datasets(_DATASETS) if self.attribution else []

    @functools.cached_property
    def hdf5_files(self) -> list[Upper]:
        """The same for HDF5 files: those with the most time in calls on the file itself."""
        return self.attribution.files(_DATASETS) if self.attribution else []

    def upper_rows(self, upper: Upper, *names: str) -> tuple[Evidence, ...]:
        """Returns counters of a dataset or file from LAYERS as evidence."""
        record = self.own_name(upper.id)
        values = {**upper.counters, **upper.times}
        return tuple(
            Evidence("LAYERS", record, f"LAYERS_{n}", values[n], upper.id)
            for n in names
            if n in values
        )

    def mount_type(self, record: int) -> str:
        """Returns the type of the file system of a record's file; "" without name or mount."""
        found = self.log.mount(self.log.name(int(record)) or "")
        return found[1] if found else ""


@once
def _found(facts: Facts, find: Callable[[Facts], Iterable[Finding]]) -> tuple[Finding, ...]:
    return tuple(find(facts))


@once
def _movers(_: Facts, table: Table) -> np.ndarray:
    return movers(table)


def _prefix(first: str, module: str) -> str:
    """Returns the prefix of a module's counters, without the underscore. first: one counter."""
    return module if first.startswith(f"{module}_") else first.partition("_")[0]


def leading(mask: np.ndarray, weight: np.ndarray, count: int = 3) -> list[int]:
    """Returns the indices of the `count` largest weights among those where the mask is true, the
    largest first. Equal weights keep their order."""
    places = np.flatnonzero(mask)
    order = np.argsort(-weight[places], kind="stable")
    return [int(p) for p in places[order[:count]]]
