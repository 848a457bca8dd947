"""Combines similar files of one folder, such as thousands of images, into one row, because a row
for each would hide the other files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np

from ...records import UNKNOWN
from .files import Files

LEAST = 20  # fewest rows that are combined into one
_OWN = 0.25  # share of the time of similar files; a file with a larger share has its own row
# The runtime's pattern of file extensions (runtime/names/groups.c). A number is not an extension.
_ENDING = re.compile(r"(?<=[^/])\.(?=[0-9]*[A-Za-z])[0-9A-Za-z]{1,10}$")

_BEFORE_NUMBER = re.compile(r"[^0-9]*(?=[0-9])", re.DOTALL)


def kind_of(name: str) -> str:
    """Returns folder and extension of a file in the form of group records ("/data/*.csv"); "" for
    datasets, group records and names without a folder."""
    folder, slash, last = name.rpartition("/")
    if not folder or not name.startswith("/") or ":" in last or last.startswith("*"):
        return ""  # a dataset, a name of the runtime's own, or a group record
    ending = _ENDING.search(last)
    return f"{folder}{slash}*{ending.group() if ending else ''}"


def _named(names: Sequence[str]) -> str:
    """Returns one name for similar files: folder, common beginning of the names, and extension,
    "/data/part_*.csv"."""
    folder, _, ending = kind_of(names[0]).rpartition("*")
    stems = [name[len(folder) : len(name) - len(ending)] for name in names]
    first, last = min(stems), max(stems)  # the common prefix of first and last is that of all names
    same = next((i for i, (a, b) in enumerate(zip(first, last)) if a != b), len(first))
    return f"{folder}{first[:same].rstrip('0123456789')}*{ending}"


def _sum(values: np.ndarray) -> float:
    return float(values[values != UNKNOWN].sum()) if np.any(values != UNKNOWN) else UNKNOWN


def _join(files: Files, places: np.ndarray) -> Files:
    """Returns a single row for the files at these indices."""
    return Files(
        ids=files.ids[places][:1] ^ np.uint64(1),
        processes=np.array(
            [-1 if np.any(files.processes[places] < 0) else int(files.processes[places].max())]
        ),
        read=np.array([int(_sum(files.read[places]))]),
        written=np.array([int(_sum(files.written[places]))]),
        time=np.array([_sum(files.time[places])]),
        size=files.size[places].max(keepdims=True),
        stands=files.stands[places].sum(keepdims=True),
        mapped=files.mapped[places].sum(keepdims=True),
        touched=np.array([int(_sum(files.touched[places]))]),
    )


def _append(all_: list[Files]) -> Files:
    names = [field.name for field in fields(Files)]
    return Files(**{name: np.concatenate([getattr(f, name) for f in all_]) for name in names})


def _stem_of(name: str) -> str:
    """Returns folder, text before the first number, and extension ("/data/part_*.csv"); "" if the
    name has no number."""
    folder, _, ending = kind_of(name).rpartition("*")
    stem = name[len(folder) : len(name) - len(ending)]
    begin = _BEFORE_NUMBER.match(stem)
    return f"{folder}{begin.group()}*{ending}" if folder and begin else ""


def _kinds(names: Sequence[str]) -> dict[str, list[int]]:
    """Returns the indices of similar names, by kind. Names are similar if they differ only in
    numbers or, if there are too few of them, if they have the same folder and extension."""
    stems = [_stem_of(name) for name in names]
    often = Counter(stems)
    kinds: dict[str, list[int]] = {}
    for place, (name, stem) in enumerate(zip(names, stems)):
        # The "/" makes the key of a stem different from that of a folder and extension.
        if kind := f"{stem}/" if stem and often[stem] >= LEAST else kind_of(name):
            kinds.setdefault(kind, []).append(place)
    return kinds


def together(files: Files, name: Callable[[int], str | None]) -> tuple[Files, dict[int, str]]:
    """Returns the files with a single row for similar files, and the names of these combined rows
    ("/data/part_*.csv") by their new ids. At least LEAST (20) files are combined; a file with much
    of their time keeps its own row. If nothing is combined, returns `files` and {}. name: returns
    the name of a record, None if it has none."""
    if len(files) < LEAST:
        return files, {}
    kinds = _kinds([name(number) or "" for number in files.ids.tolist()])
    alone = np.ones(len(files), bool)
    joined, names = [], {}
    for members in kinds.values():
        places = np.array(members)
        time = np.maximum(files.time[places], 0)
        places = places[time <= _OWN * max(time.sum(), 1e-9)]
        if len(places) < LEAST:
            continue
        # The first file is the slowest; the id of the row is computed from its id.
        places = places[np.argsort(-files.time[places], kind="stable")]
        alone[places] = False
        joined.append(_join(files, places))
        full = [name(int(files.ids[place])) or "" for place in places]
        names[int(joined[-1].ids[0])] = _named(full)
    return (_append([files.at(np.flatnonzero(alone)), *joined]), names) if joined else (files, {})
