"""A program, or a library such as NumPy, makes a stream on an open descriptor for each record:
`numpy.fromfile` and `ndarray.tofile` copy the descriptor, open a stream on the copy, set its
position, move the record and close the stream."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ....call_sites.lines import Line, Site
from ....call_sites.measured import OPEN, READ, SHORT, WRITE
from ....call_sites.stack import IMPORT
from ....call_sites.told import name_of
from ....classes import dataclass
from ....units import amount, count, plural, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...times.loops import loops_of

NAME = "stream-each"
ROLE = CAUSE
_FEW = 8  # most transfers for each stream: a stream with more has a use
_NUMPY = ("multiarray_umath", "array_fromfile", "array_tofile", "numpy.")
_FROM = Remedy(
    "Read the file once, or in large blocks, and take the records out of that memory: "
    "numpy.frombuffer copies nothing. Records of one size are an array of a structured type, which "
    "one call of numpy.fromfile reads.",
    "Python: raw = open(path, 'rb').read();  numpy.frombuffer(raw, dtype, count, offset)\n"
    "Python: numpy.fromfile(path, dtype=[('time', 'u8'), ('value', 'f4', 100)])  # all records",
    alone=True,
)
_TO = Remedy(
    "Collect arrays and write many at once, or write their bytes through the buffer of the file.",
    "Python: file.write(array.tobytes())  # in place of array.tofile(file)\n"
    "Python: numpy.concatenate(arrays).tofile(file)  # once",
)
_OWN = Remedy(
    "Make the stream once, before the loop, and read or write all records through it.",
    'C: FILE *stream = fdopen(fd, "r");  // before the loop\n'
    "Perl: open(my $file, '<&=', $fd);  # before the loop",
)


@dataclass(frozen=True)
class _Streams:
    """All lines of a program that make streams on open descriptors: the sums of their calls, the
    number of streams, whether NumPy made them, and the seconds between the calls."""

    sums: Line
    made: float  # streams
    numpy: bool
    around: float  # seconds between the calls


def _by_numpy(site: Site) -> bool:
    """Returns whether NumPy made the calls of a call site."""
    inside = site.places[: max(0, site.user)]
    return any(name_of(place).startswith(_NUMPY) for place in inside)


def _made(facts: Facts) -> _Streams | None:
    """Returns the sums over all lines of the program that make streams on open descriptors; None if
    there are no such lines."""
    known = loops_of(facts)
    lines: dict[object, list[Site]] = defaultdict(list)
    for site in (site for loop in known.groups for site in loop.sites) if known else ():
        if site.is_users and site.line is not None and site.stack.called != IMPORT:
            lines[site.line.file, site.line.object, site.line.line].append(site)
    found, made, numpy, around = Line(), 0.0, False, 0.0
    for sites in lines.values():
        streams = [site for site in sites if site.stack.called.startswith("fdopen")]
        opened = sum(site.sums.calls_of[OPEN] for site in streams)
        moves = sum(site.sums.calls_of[READ] + site.sums.calls_of[WRITE] for site in sites)
        if opened < facts.limits["operations"] or moves > _FEW * opened:
            continue
        made += opened
        numpy = numpy or any(map(_by_numpy, streams))
        for site in sites:
            found.sites.append(site)
            found.sums.add(site.sums)
            most = site.sums.calls * facts.limits["loop.item"]
            around += min(site.sums.gaps[SHORT], most)
    if not made or known is None:
        return None
    return _Streams(found, made, numpy, around * known.overlap)


@needs("SITES")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on all lines that make a stream for each record; nothing if there are
    none."""
    table = facts.table("STDIO")
    found = _made(facts) if table is not None else None
    if found is None or table is None:
        return
    sums = found.sums.sums
    spent = min(sums.seconds, facts.base_time)
    stake = facts.stake(
        spent, "time in the calls of these lines, and between them", between=found.around
    )
    files = {one for site in found.sums.sites for one in site.sums.files.calls}
    known = [
        (float(facts.opens(table)[at]), one)
        for one in files
        if (at := table.place(one)) is not None
    ]
    if not known or not facts.worth(stake):
        return
    first = max(known)[1]
    place = table.place(first)
    writes = sums.written > sums.read
    who = f"numpy.{'ndarray.tofile' if writes else 'fromfile'}" if found.numpy else "The program"
    others = len(known) - 1
    yield Finding(
        NAME,
        "A stream is made for each record",
        f"{who} made {count(found.made)} streams on open descriptors of {facts.name(first)}"
        + (f" and {plural(others, 'more file')}" if others else "")
        + f", each for {amount((sums.read + sums.written) / found.made)} on average: copying the "
        "descriptor, opening, positioning and closing took "
        f"{seconds(spent)}{facts.over_all}. Between these calls the program and its libraries "
        f"spent up to {seconds(found.around)}, which is at stake, too.",
        stake=stake,
        evidence=()
        if place is None
        else facts.rows(
            table, place, "OPENS", "SEEKS", "READS", "WRITES", "BYTES_READ", "F_META_TIME"
        ),
        remedy=(_TO if writes else _FROM) if found.numpy else _OWN,
        limits=("operations", "loop.item", "stake.seconds"),
        covers=frozenset(one for _, one in known),
    )
