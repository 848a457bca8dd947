"""Much of the run passes between the reads of a text file, at a rate that a slow way to take lines
apart has: dates, regular expressions, an object for each line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ....call_sites.lines import Site
from ....call_sites.measured import MEDIUM, READ, SHORT
from ....call_sites.stack import IMPORT
from ....classes import dataclass
from ....units import amount, seconds, share
from ...facts import Facts
from ...finding import LAST, NOTICE, Evidence, Finding, Remedy
from ...programs.parsing import TEXT
from ...remedies.language import languages
from ...times.loops import Loops, loops_of

NAME = "slow-text"
ROLE = LAST
_HALF = 0.5  # part of this time that other findings must claim so that this one is left out
_LEAST = 1 << 20  # bytes: less text does not show a rate
_MOSTLY = 0.9  # part of the calls of a site
_SCRIPTS = frozenset(("Python", "Perl", "R", "Ruby", "Octave", "Julia"))
_TOOLS = frozenset(("shell", "awk", "sed"))  # their users choose what they do with each line
_REMEDY = Remedy(
    "If the program takes the lines apart there, see what it calls for each: dates (strptime), "
    "regular expressions, and an object for each line (a stream, a scanner) take many times as "
    "long as a split. Convert equal dates once, compile patterns before the loop, or let a library "
    "in C read the table.",
    "Python: datetime.fromisoformat(text), or functools.cache around strptime\n"
    "Python: table = pandas.read_csv(path, sep=' ', engine='c')\n"
    "Java: new BufferedReader(new FileReader(path)).readLine(), line.split  // not Scanner\n"
    "C: strtod(at, &end), strtol(at, &end, 10), not sscanf\n"
    "C++: std::from_chars(at, end, value), not std::istringstream or std::regex for each line\n"
    "Rust: line.split_ascii_whitespace(), and a Regex that is made before the loop\n"
    "Perl: my $pattern = qr/.../;  # before the loop;  or split, index, substr\n"
    "R: data.table::fread(path)\n"
    "Node: line.split(' '), and a RegExp that is made before the loop",
)


@dataclass
class _Reads:
    """The counts of the reads of text files that one line of the user made."""

    gaps: float = 0.0  # seconds before the calls, below 10 ms each
    read: int = 0
    files: set[int] | None = None


def _is_text(facts: Facts, site: Site) -> bool:
    """Returns whether the names of a site's files are those of text."""
    calls = site.sums.files.calls
    texts = sum(number for one, number in calls.items() if TEXT.search(facts.name(one)))
    return texts > 0 and texts >= _MOSTLY * sum(calls.values())


def _key(site: Site, loop: int) -> object:
    place = site.line
    return (place.file, place.line) if place is not None and site.is_users else loop


def _by_line(facts: Facts, known: Loops) -> Iterator[_Reads]:
    """Yields for each line of the user that reads text what its calls counted. The calls of one
    line belong together: a library may ask for the descriptor before each read."""
    found: dict[object, _Reads] = defaultdict(_Reads)
    for number, loop in enumerate(known.groups):
        for site in loop.sites:
            if site.stack.called != IMPORT and _is_text(facts, site):
                reads, sums = found[_key(site, number)], site.sums
                reads.gaps += (sums.gaps[SHORT] + sums.gaps[MEDIUM]) * known.overlap
                reads.read += sums.read if sums.calls_of[READ] else 0
                reads.files = (reads.files or set()) | set(sums.files.calls)
    yield from found.values()


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a hint for the line that spends most time between reads of text, if that is much of
    the run and the rate is low, and no finding in `others` tells the reason; so it must run after
    the other rules."""
    known, spoken = loops_of(facts), languages(facts, "")
    if known is None or spoken & _TOOLS:
        return
    claimed = sum(finding.stake.between for finding in others)
    reads = max(_by_line(facts, known), key=lambda one: one.gaps, default=None)
    if reads is None or reads.read < _LEAST or claimed >= _HALF * reads.gaps:
        return
    limits = facts.limits
    most = limits["text.script"] if spoken & _SCRIPTS else limits["text.compiled"]
    stake = facts.stake(0.0, "", between=reads.gaps)
    if reads.read > most * reads.gaps or stake.share < limits["text.share"]:
        return
    if not facts.worth(stake):
        return
    files = sorted(reads.files or (), key=facts.name)
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    yield Finding(
        NAME,
        "Much of the run passes between the reads of a text file",
        f"Between the reads of {facts.name(files[0])}{more}, {seconds(stake.run)} of "
        f"{seconds(stake.of_run)} {stake.without}({share(stake.run, stake.of_run)}) passed: "
        f"{amount(reads.read / reads.gaps)} of text for each second. The log cannot tell what the "
        "program does with each line, nor which part of this time a change would save.",
        NOTICE,
        evidence=_evidence(facts, files),
        remedy=_REMEDY,
        limits=("text.share", "text.script", "text.compiled", "stake.seconds"),
        covers=frozenset(files),
        is_hint=True,
    )


def _evidence(facts: Facts, files: Sequence[int]) -> tuple[Evidence, ...]:
    """Returns the reads of the first file."""
    for _, table in facts.layers:
        place = table.place(files[0])
        if place is not None and table.has("READS") and table["READS"][place] > 0:
            return facts.rows(table, place, "READS", "BYTES_READ", "F_READ_TIME")
    return ()
