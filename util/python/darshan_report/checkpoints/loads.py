"""Files from which a program loaded its state (a checkpoint or model): by read calls, or mapped
into memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from ..classes import dataclass
from ..diagnose.facts import Facts, once
from ..records import among
from .savers import Saver, loader_of, saver_by_name
from .saves import all_sites, common_name, pattern_of

_MODULES = ("POSIX", "STDIO")


@dataclass
class _File:
    """A file that was read or mapped: its name, bytes, seconds and number of processes."""

    name: str
    read: int = 0  # bytes, by all processes
    mapped: int = 0  # bytes of mappings
    touched: int = 0  # bytes of their pages that were accessed, or mapped at the program's request
    seconds: float = 0.0  # in opens, reads and closes, summed over processes
    processes: int = 0


@dataclass(frozen=True)
class Loaded:
    """Files whose names differ only in numbers, from which the program loaded its state."""

    loader: Saver  # the library function that loaded, a row of LOADERS or SAVERS
    from_calls: bool  # the library function is known from call sites
    name: str  # name of the file, with "*" for numbers that differ
    files: int
    read: int  # bytes, by all processes
    mapped: int  # bytes of mappings, by all processes
    touched: int  # bytes of the pages of these mappings that the program touched
    seconds: float  # seconds in calls, mean of the processes
    processes: int  # processes that used the files, also those that wrote them
    sites: Sequence[int]  # record ids of call sites, the site with most calls first

    @property
    def title(self) -> str:
        """The name of the function that loaded the files, "torch.load"; "known by its name" if no
        call site shows it."""
        return self.loader.title if self.from_calls else "known by its name"


def _files(facts: Facts, least: float) -> dict[int, _File]:
    """Returns the files, by id, of which at least `least` bytes were read or mapped."""
    found: dict[int, _File] = {}
    extra = facts.table("POSIX_EXT")
    mapped = np.empty(0, "u8") if extra is None else extra.ids[extra["MMAP_BYTES"] >= least]
    for module in _MODULES:
        table = facts.table(module)
        if table is None:
            continue
        some = facts.single(table) & ((table["BYTES_READ"] >= least) | among(table.ids, mapped))
        for place in np.flatnonzero(some).tolist():
            number = int(table.ids[place])
            file = found.setdefault(number, _File(facts.name(number)))
            file.read += int(table["BYTES_READ"][place])
            file.seconds += float(table["F_READ_TIME"][place] + table["F_META_TIME"][place])
            file.processes = max(file.processes, int(table.processes[place]))
            beside = None if extra is None else extra.place(number)
            if extra is not None and beside is not None and module == "POSIX":
                file.mapped = int(extra["MMAP_BYTES"][beside])
                file.touched = int(extra["MMAP_TOUCHED"][beside] + extra["MMAP_POPULATED"][beside])
    return found


def _by_calls(facts: Facts, files: dict[int, _File]) -> dict[str, Counter[tuple[Saver, int]]]:
    """Returns, for each pattern of file names, a count of calls by loading function and call site.
    Leaves out call sites that wrote."""
    found: dict[str, Counter[tuple[Saver, int]]] = defaultdict(Counter)
    for site in all_sites(facts):
        loader = loader_of(site) if site.sums.written == 0 else None
        if loader is None:
            continue
        for one, calls in site.sums.files.calls.items():
            if one in files:
                found[pattern_of(files[one].name)][loader, site.id] += calls
    return found


@once
def loaded(facts: Facts) -> tuple[Loaded, ...]:
    """Returns the files from which the program loaded its state, ordered by bytes, most first."""
    files = _files(facts, facts.limits["checkpoint.bytes"])
    calls = _by_calls(facts, files)
    patterns: dict[str, list[_File]] = defaultdict(list)
    for file in files.values():
        patterns[pattern_of(file.name)].append(file)
    rows = []
    for pattern, some in patterns.items():
        ways = [way for way, _ in calls[pattern].most_common()] if pattern in calls else []
        named = saver_by_name(pattern)
        loader = ways[0][0] if ways else named
        certain = named is not None and not named.repeated
        if loader is None or (loader.repeated and not certain):
            continue
        processes = max(file.processes for file in some)
        rows.append(
            Loaded(
                loader=loader,
                from_calls=bool(ways),
                name=common_name([file.name for file in some]),
                files=len({file.name for file in some}),
                read=sum(file.read for file in some),
                mapped=sum(file.mapped for file in some),
                touched=sum(file.touched for file in some),
                seconds=sum(file.seconds for file in some) / max(1, processes),
                processes=processes,
                sites=tuple(site for _, site in ways),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-max(row.read, row.mapped), row.name)))
