"""Records that represent many files: an interpreter's program files, and files beyond the limit of
records. The counters in them are exact sums."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ...classes import dataclass
from ...library import LogError
from ...log import Log

NAME = "<overflow>"
ID = np.uint64(13716024479926339885)  # the record id of that name
# Number of names in groups that a process can distinguish (posix/files/overflow.c).
_COUNTED = 114688
TREE, FOLDER, REST = 1, 2, 3  # GROUP_KIND
_NOUNS = {"H5D": "dataset", "PNETCDF_VAR": "variable", "DAOS": "object"}
_KEYS = {"POSIX": "posix_files_in_overflow", "STDIO": "stdio_streams_in_overflow"}


@dataclass(frozen=True)
class Group:
    """The files that one record represents: the kind of the group, and their number. A TREE has an
    interpreter's program files, a FOLDER files of one folder beyond the limit of records, REST all
    others beyond it."""

    kind: int  # TREE, FOLDER or REST
    files: int  # number of distinct files; an estimate for several processes; 0: unknown


_KNOWN: WeakKeyDictionary[Log, dict[int, Group]] = WeakKeyDictionary()


def _read(log: Log) -> dict[int, Group]:
    """Returns the groups of files in a log by record id; {} if it has none, or damaged ones."""
    region = log.info.region("GROUP")
    if not region or not region.length:
        return {}
    try:
        records = log.records("GROUP")
    except LogError:
        return {}
    found: dict[int, Group] = {}
    kinds, files = records["GROUP_KIND"], records["GROUP_FILES"]
    for number, kind, count in zip(records.ids, kinds, files):
        # If several ranks have a record, the largest count is a lower bound.
        before = found.get(int(number))
        most = max(0, int(count), before.files if before else 0)
        found[int(number)] = Group(int(kind), most)
    return found


def groups(log: Log) -> dict[int, Group]:
    """Returns the records that represent many files, by record id; empty if the log has none, or if
    the records of the module GROUP are damaged. Reads them once for each log."""
    if log not in _KNOWN:
        _KNOWN[log] = _read(log)
    return _KNOWN[log]


def files_of_each(log: Log, ids: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Returns how many files each of these records represents. ids: of records."""
    return stands(ids, groups(log))


def stands(ids: npt.NDArray[np.uint64], known: Mapping[int, Group]) -> npt.NDArray[np.int64]:
    """Returns how many files each record represents. ids: of the records. known: the groups of
    files, by record id."""
    found = np.ones(len(ids), "i8")
    if known:
        for place in np.flatnonzero(np.isin(ids, np.array(list(known), "u8"))):
            found[place] = max(1, known[int(ids[place])].files)
    return found


def number_of_files(log: Log, ids: npt.NDArray[np.uint64]) -> int:
    """Returns how many files these records represent together."""
    unique = np.unique(ids)
    return int(files_of_each(log, unique).sum())


def counted(log: Log, module: str) -> bool:
    """Returns whether the number of files in the module's group records is exact: only one process
    counted them, and they are few enough to be distinguished. It is never exact for streams,
    because a sketch estimates their number."""
    known = groups(log)
    streams = log.info.region("STDIO")
    if log.info.nprocs > 1 or module not in ("POSIX", "POSIX_EXT") or (streams and streams.partial):
        return False
    files = [group.files for group in known.values()]
    return bool(files) and all(files) and sum(files) < _COUNTED


def _past_the_limit(log: Log, module: str) -> npt.NDArray[np.uint64]:
    """Returns the ids of the module's records that files beyond the limit share. A module whose
    records vary in size, such as a trace, has no such record; it drops records that do not fit.
    Empty if the records cannot be read."""
    try:
        ids = np.unique(log.records(module).ids)
    except (LogError, ValueError):
        return np.empty(0, "u8")
    known = groups(log)
    shared = {i for i, group in known.items() if group.kind != TREE}
    if not known and log.name(int(ID)) == NAME:  # of an older release
        shared = {int(ID)}
    return ids[np.isin(ids, np.array(sorted(shared), "u8"))]


def noun_of(module: str) -> str:
    """Returns what a record of the module is about: a file, a dataset or a variable."""
    return _NOUNS.get(module, "file")


def shared_record(log: Log, module: str) -> bool:
    """Returns whether files beyond the limit of a module share records."""
    return bool(len(_past_the_limit(log, module)))


def files_in_it(log: Log, module: str) -> int | None:
    """Returns how many files beyond the limit share records of the module; None if unknown. It is
    unknown in logs of older releases with several processes, because each process counted only its
    own files, and of modules whose files, such as datasets, the runtime does not count."""
    if known := groups(log):
        ids = _past_the_limit(log, module)
        if any(known[number].files == 0 for number in ids.tolist() if number in known):
            return None
        return number_of_files(log, ids) or None
    if log.info.nprocs > 1:
        return None
    said = dict(log.info.metadata).get(_KEYS.get(module, ""), "")
    return int(said) if said.isdigit() and int(said) > 0 else None
