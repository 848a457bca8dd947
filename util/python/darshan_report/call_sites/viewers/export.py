"""Call sites for viewers of stacks: folded stacks (for flame graphs), and a profile for
speedscope."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ...show.text import visible
from ..lines import Lines, Place, Site
from ..told import plain_name

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_MICROSECONDS = 1e6
UNKNOWN = "?"


def frame_name(place: Place) -> str:
    """Returns the function of a place; if it is unknown, the name of the file or program and the
    offset in it, "a.out+1a2b"."""
    if place.function:
        return visible(plain_name(place.function))
    return visible(f"{(place.object or place.file).rsplit('/', 1)[-1]}+{place.offset:x}")


def all_sites(found: Lines) -> Iterator[Site]:
    """Yields all call sites of a log, after their library functions were looked up."""
    for line in found.every:
        found.look_up(line)
        yield from line.sites


def folded(found: Lines) -> Iterator[str]:
    """Yields a row for each stack: its frames, outermost first, then the I/O function, then the
    microseconds in its calls."""
    spent: dict[str, float] = {}
    for site in all_sites(found):
        names = [
            f"{frame_name(place)} ({visible(place.file.rsplit('/', 1)[-1])}:{place.line})"
            if place.file
            else frame_name(place)
            for place in reversed(site.places)
        ]
        called = visible(site.stack.called) or UNKNOWN
        row = ";".join(re.sub(r"[;\s]+", " ", name) for name in (*names, called))
        spent[row] = spent.get(row, 0.0) + site.sums.seconds
    for row, seconds in spent.items():
        yield f"{row} {round(seconds * _MICROSECONDS)}"


def _profile(name: str, unit: str, samples: list[list[int]], weights: list[Any]) -> dict[str, Any]:
    """Returns a profile in speedscope's form. samples: indices of frames, outermost first, for each
    stack. weights: the seconds, calls or bytes of each stack."""
    return {
        "type": "sampled",
        "name": name,
        "unit": unit,
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }


def speedscope(found: Lines, title: str) -> str:
    """Returns a speedscope file (JSON) with three profiles: seconds, calls and bytes. title: its
    name in the viewer."""
    numbers: dict[tuple[str, str, int], int] = {}
    samples: list[list[int]] = []
    sites = list(all_sites(found))
    for site in sites:
        frames = [
            (frame_name(p), visible(p.file or p.object), p.line) for p in reversed(site.places)
        ]
        frames.append((visible(site.stack.called) or UNKNOWN, "", 0))
        samples.append([numbers.setdefault(frame, len(numbers)) for frame in frames])
    content = {
        "$schema": _SCHEMA,
        "exporter": "darshan where",
        "name": visible(title),
        "activeProfileIndex": 0,
        "shared": {
            "frames": [
                {"name": name, **({"file": file} if file else {}), **({"line": n} if n else {})}
                for name, file, n in numbers
            ]
        },
        "profiles": [
            _profile("seconds in calls", "seconds", samples, [s.sums.seconds for s in sites]),
            _profile("calls", "none", samples, [s.sums.calls for s in sites]),
            _profile("bytes", "bytes", samples, [s.sums.read + s.sums.written for s in sites]),
        ],
    }
    return json.dumps(content) + "\n"
