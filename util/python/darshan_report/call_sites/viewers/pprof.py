"""Call sites as a profile for pprof: a message Profile of profile.proto, compressed with gzip.

https://github.com/google/pprof/blob/main/proto/profile.proto has the numbers of the fields.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import field
from itertools import groupby

from ...classes import dataclass
from ...log import Info
from ...show.text import visible
from ..lines import Lines, Place, Site
from .export import UNKNOWN, all_sites, frame_name
from .protobuf import Field, message, packed

# The values of each stack, with their units. Viewers show the first value by default.
_MEASURES = (("time", "nanoseconds"), ("calls", "count"), ("bytes", "bytes"))
_NANOSECONDS = 1e9
_MOST = 1 << 62  # of a number: a signed one of 64 bits holds it, and its sum
_PAGE = 4096  # bytes: a mapping ends at a multiple
_LAST = (1 << 64) - 1  # address


@dataclass
class _Mapping:
    """A program or library in the profile. number: by which other parts of the profile refer to it.
    Its flags say which facts about its addresses the profile has; pprof looks up the rest."""

    number: int
    end: int = 0  # the highest address that is used
    has_functions: bool = True  # of all addresses
    has_lines: bool = False  # of some: the first address of a program never has one
    has_inlined: bool = False


@dataclass
class _Tables:
    """Tables of the profile: strings, functions, locations and mappings. Other parts refer to an
    entry by its number."""

    strings: dict[str, int] = field(default_factory=lambda: {"": 0})
    functions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    locations: dict[tuple[Place, ...], int] = field(default_factory=dict)
    mappings: dict[str, _Mapping] = field(default_factory=dict)

    def string(self, text: str) -> int:
        """Returns the number of a string, which is added if it is missing."""
        return self.strings.setdefault(visible(text), len(self.strings))

    def function(self, place: Place) -> int:
        """Returns the number of a function, which is added if it is missing."""
        key = (frame_name(place), place.function, place.file)
        return self.functions.setdefault(key, len(self.functions) + 1)

    def location(self, places: tuple[Place, ...]) -> int:
        """Returns the number of a location, which is added if it is missing. A location is an
        address with its inlined functions, or a line of Python."""
        if places in self.locations:
            return self.locations[places]
        outermost = places[-1]
        if outermost.object:
            found = self.mappings.setdefault(outermost.object, _Mapping(len(self.mappings) + 1))
            found.end = max(found.end, outermost.offset)
            found.has_functions &= all(place.function for place in places)
            found.has_lines |= any(place.file for place in places)
            found.has_inlined |= len(places) > 1
        return self.locations.setdefault(places, len(self.locations) + 1)


def _nanoseconds(seconds: float) -> int:
    """Returns seconds of a log in nanoseconds. An impossible value becomes 0 or the largest
    integer."""
    return round(min(max(0.0, seconds) * _NANOSECONDS, _MOST))


def _address(place: tuple[int, Place]) -> object:
    """Returns a key that is equal for the places at one address. A place without an address, such
    as one in Python, has its index in the stack as key. place: this index, and the place."""
    number, at = place
    return (at.object, at.offset) if at.object else number


def _stack(site: Site, tables: _Tables) -> Iterator[int]:
    """Yields the numbers of a call site's locations, innermost first: the I/O function, then the
    places. The places at one address are inlined functions and form one location."""
    yield tables.location((Place(site.stack.called or UNKNOWN, "", 0),))
    numbered = enumerate(site.places)
    for _, group in groupby(numbered, _address):
        yield tables.location(tuple(place for _, place in group))


def _samples(found: Lines, tables: _Tables) -> Iterator[bytes]:
    """Yields a pprof message per stack: its locations, and its sums of nanoseconds, calls and
    bytes."""
    values: dict[tuple[int, ...], list[int]] = {}
    for site in all_sites(found):
        sums = site.sums
        one = (_nanoseconds(sums.seconds), sums.calls, sums.read + sums.written)
        whole = values.setdefault(tuple(_stack(site, tables)), [0] * len(_MEASURES))
        whole[:] = (min(a + b, _MOST) for a, b in zip(whole, one))
    for stack, numbers in values.items():
        yield message([(1, packed(stack)), (2, packed(numbers))])


def _mappings(found: Lines, tables: _Tables) -> Iterator[bytes]:
    """Yields a message per program or library. Addresses in the profile are offsets in its file, so
    the mapping begins at 0. pprof looks up missing names in a file with the same build id."""
    for path, one in tables.mappings.items():
        yield message(
            [
                (1, one.number),
                (3, min((one.end // _PAGE + 1) * _PAGE, _LAST)),
                (5, tables.string(path)),
                (6, tables.string(found.objects.build_id(path))),
                (7, one.has_functions),
                (8, one.has_lines),
                (9, one.has_lines),
                (10, one.has_inlined),
            ]
        )


def _locations(tables: _Tables) -> Iterator[bytes]:
    """Yields a message per location, with a line for each inlined function, innermost first. Its
    address is that of the last byte of the call instruction."""
    for places, number in tables.locations.items():
        outermost = places[-1]
        head: list[Field] = [(1, number)]
        if outermost.object:
            mapping = tables.mappings[outermost.object]
            head += [(2, mapping.number), (3, max(0, outermost.offset - 1))]
        lines = (message([(1, tables.function(p)), (2, p.line)]) for p in places)
        yield message([*head, *((4, line) for line in lines)])


def _functions(tables: _Tables) -> Iterator[bytes]:
    for (name, whole, file), number in tables.functions.items():
        texts = [(n, tables.string(text)) for n, text in ((2, name), (3, whole), (4, file))]
        yield message([(1, number), *texts])


def profile(found: Lines, info: Info) -> bytes:
    """Returns a compressed pprof profile of all call sites, with the values time (nanoseconds),
    calls and bytes. info: start, run time and command of the log."""
    tables = _Tables()
    fields: list[Field] = [
        (1, message([(1, tables.string(kind)), (2, tables.string(unit))]))
        for kind, unit in _MEASURES
    ]
    fields += [(2, one) for one in _samples(found, tables)]
    fields += [(3, one) for one in _mappings(found, tables)]
    fields += [(4, one) for one in _locations(tables)]
    fields += [(5, one) for one in _functions(tables)]
    comment = tables.string(f"I/O calls of: {info.exe}")
    default = tables.string(_MEASURES[0][0])
    fields += [(6, text) for text in tables.strings]
    fields += [
        (9, _nanoseconds(info.start)),
        (10, _nanoseconds(info.run_time)),
        (13, packed([comment])),
        (14, default),
    ]
    return gzip.compress(message(fields), mtime=0)
