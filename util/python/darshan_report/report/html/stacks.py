"""The stacks of a log as an icicle graph: an SVG for browsers without scripts, and the data from
which the page's script draws a graph with zoom and marks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...call_sites import tree
from ...call_sites.files import Files
from ...show.text import visible
from ...units import amount, count, seconds, share
from ..context import Context
from .shell import text

_ROW = 20  # pixels of a frame
_DEPTH = 40  # rows of the picture
_LEAST = 0.003  # smallest share of the time that a frame in the picture has
_LABELLED = 0.03  # share from which a frame of the picture has a label
_FILES = 4  # of a frame

Links = Mapping[int, str]  # from a record's id to the name of its page


def make(context: Context) -> tree.Frame | None:
    """Returns the root of the tree of all stacks; None if the log has no call sites, or if their
    names are anonymized."""
    found = context.code_lines
    if found is None or not found.lines or found.is_anonymous:
        return None
    return tree.tree(found)


def place_of(frame: tree.Frame) -> str:
    """Returns the file and line of a frame, "train.py:31"; if the line is unknown, the name of its
    program or library, "" for an I/O function."""
    name = frame.file.rsplit("/", 1)[-1]
    return f"{name}:{frame.line}" if frame.line else name


def _label(frame: tree.Frame) -> str:
    place = place_of(frame)
    has_place = place not in ("", frame.name) and not frame.name.startswith(f"{place}+")
    return f"{frame.name} {place}" if has_place else frame.name


def _title(frame: tree.Frame, root: tree.Frame) -> str:
    """Returns the tooltip of a frame: name, seconds, percentage of the time, calls and bytes."""
    part = share(frame.seconds, root.seconds)
    calls = f"{count(frame.calls)} {'call' if frame.calls == 1 else 'calls'}"
    return f"{_label(frame)}: {seconds(frame.seconds)} ({part}), {calls}, {amount(frame.moved)}"


def _box(frame: tree.Frame, root: tree.Frame, left: float, width: float, row: int) -> str:
    """Returns a frame of the graph as SVG, with its text cut at its edge. left, width: fractions of
    the graph's width."""
    label = ""
    if width >= _LABELLED:
        label = f'<text x="4" y="14">{text(_label(frame))}</text>'
    return (
        f'<svg class="{frame.kind}" x="{100 * left:.3f}%" y="{_ROW * row}" '
        f'width="{100 * width:.3f}%" height="{_ROW - 1}">'
        f"<title>{text(_title(frame, root))}</title>"
        f'<rect width="100%" height="100%"/>{label}</svg>'
    )


def _boxes(root: tree.Frame) -> tuple[list[str], int]:
    """Returns the frames of the graph as SVG, and its number of rows. Leaves out frames that are
    too narrow or too deep."""
    found, rows = [], 0
    waiting = [(root, 0.0, 0)]
    while waiting:
        frame, left, row = waiting.pop()
        width = frame.seconds / root.seconds if root.seconds > 0 else 1.0
        if width < _LEAST or row >= _DEPTH:
            continue
        found.append(_box(frame, root, left, width, row))
        rows = max(rows, row + 1)
        for child in frame.children:
            waiting.append((child, left, row + 1))
            left += child.seconds / root.seconds if root.seconds > 0 else 0.0
    return found, rows


def picture(root: tree.Frame, prefix: str) -> str:
    """Returns the section "Stacks" as SVG that needs no script: the time in calls below each frame,
    over the whole run. prefix: start of its id, which must be unique on the page."""
    boxes, rows = _boxes(root)
    words = (
        "Stacks: each frame is as wide as the time in I/O calls below it, summed over processes "
        "and threads; callers are above the functions that they call."
    )
    return (
        f'<h3>Stacks</h3><div class="stacks" id="{prefix}-stacks">'
        f'<p class="note">{words}</p>'
        f'<svg class="icicle" role="img" aria-label="{words}" width="100%" height="{_ROW * rows}">'
        f"{''.join(boxes)}</svg></div>"
    )


def _files(files: Files, places: dict[int, int]) -> list[int]:
    """Returns a flat list for the files with the most bytes: index, calls and bytes of each.
    places: the index of each file id; missing ones are added."""
    found: list[int] = []
    for one in files.most()[:_FILES]:
        found += [places.setdefault(one, len(places)), files.calls[one], files.moved[one]]
    return found


def _findings(context: Context) -> list[list[Any]]:
    """Returns [index of the finding, file, line] for each finding whose line of code is known."""
    found = []
    for number, finding in enumerate(context.findings):
        blame = context.blame(finding)
        place = blame.line.place if blame and blame.line else None
        if place:
            found.append([number, visible(place.file or place.object), place.line])
    return found


def data(context: Context, root: tree.Frame, links: Links) -> dict[str, Any]:
    """Returns the data of the stacks graph. Each frame comes after its caller and is a list: index
    of the caller, name, file, line, kind, seconds, calls, bytes, begin of the first call, end of
    the last, and the list of _files(). An unknown begin or end is -1. Name and file are indices
    into a list of strings."""
    texts: dict[str, int] = {}
    places: dict[int, int] = {}
    frames = []
    for frame, parent in tree.flat(root):
        name, file = (texts.setdefault(t, len(texts)) for t in (frame.name, frame.file))
        is_known = math.isfinite(frame.first)
        span = [round(frame.first, 6), round(frame.last, 6)] if is_known else [-1, -1]
        kind = tree.KINDS.index(frame.kind)
        sums = [round(frame.seconds, 9), frame.calls, frame.moved]
        frames.append(
            [parent, name, file, frame.line, kind, *sums, *span, _files(frame.files, places)]
        )
    return {
        "texts": list(texts),
        "frames": frames,
        "files": [
            [visible(context.log.name(one) or ""), links.get(one, "").partition("-")[2]]
            for one in places
        ],
        "findings": _findings(context),
    }
