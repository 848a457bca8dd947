"""Much of the run passes between the reads of a text file, at a rate that a slow way to take lines
apart has: dates, regular expressions, an object for each line. Or it passes after each read of a
whole text file: `sscanf` on a long text looks for the end of the text in each call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ....call_sites.lines import Line, Site
from ....call_sites.measured import LONG, MEDIUM, READ, SHORT
from ....call_sites.stack import IMPORT
from ....classes import dataclass
from ....units import amount, seconds, share
from ...facts import Facts
from ...finding import LAST, NOTICE, Evidence, Finding, Remedy
from ...programs.parsing import TEXT
from ...programs.responsible_programs import programs_of
from ...programs.sqlite import databases
from ...remedies.language import languages
from ...times.ledger import BETWEEN, COMPUTING, ledger
from ...times.loops import Loops, loops_of

NAME = "slow-text"
ROLE = LAST
_HALF = 0.5  # part of this time that other findings must claim so that this one is left out
_LEAST = 1 << 20  # bytes: less text does not show a rate
_MOSTLY = 0.9  # part of the calls of a site
_STORED = 4  # how much more slowly a program takes lines apart that it puts into a database
_WHOLE = 256 * 1024  # bytes of a read that takes a text as a whole
_ROUNDS = 3  # such reads of a loop, and pauses after them: less shows no repetition
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
    "C: strtod(at, &end), strtol(at, &end, 10), not sscanf, which looks for the end of the text\n"
    "C++: std::from_chars(at, end, value), not std::istringstream, std::regex or sscanf each time\n"
    "Rust: line.split_ascii_whitespace(), and a Regex that is made before the loop\n"
    "Perl: my $pattern = qr/.../;  # before the loop;  or split, index, substr\n"
    "R: data.table::fread(path)\n"
    "Node: line.split(' '), and a RegExp that is made before the loop",
)


@dataclass
class _Reads:
    """The reads of text files that one line of the user, or one loop that reads whole texts, made:
    their bytes and files, and the seconds that passed between them."""

    gaps: float = 0.0  # seconds before the calls, below 10 ms each; of a loop, longer ones
    read: int = 0  # bytes
    files: set[int] | None = None  # ids
    whole: bool = False  # a loop that takes texts as a whole


def _is_text(facts: Facts, site: Site) -> bool:
    """Returns whether most calls of a call site are on files with names of text files."""
    calls = site.sums.files.calls
    texts = sum(number for one, number in calls.items() if TEXT.search(facts.name(one)))
    return texts > 0 and texts >= _MOSTLY * sum(calls.values())


def _key(site: Site, loop: int) -> object:
    """Returns the line of the user that a site belongs to, or the number of its loop if there is no
    such line."""
    place = site.line
    return (place.file, place.line) if place is not None and site.is_users else loop


def _by_line(facts: Facts, known: Loops) -> Iterator[_Reads]:
    """Yields, for each line of the user that reads text, the counts of its calls. The calls of one
    line belong together, because a library may call fileno before each read."""
    found: dict[object, _Reads] = defaultdict(_Reads)
    for number, loop in enumerate(known.groups):
        for site in loop.sites:
            if site.stack.called != IMPORT and _is_text(facts, site):
                reads, sums = found[_key(site, number)], site.sums
                reads.gaps += (sums.gaps[SHORT] + sums.gaps[MEDIUM]) * known.overlap
                reads.read += sums.read if sums.calls_of[READ] else 0
                reads.files = (reads.files or set()) | set(sums.files.calls)
    yield from found.values()


def _of_whole(facts: Facts, loop: Line, overlap: float) -> _Reads | None:
    """Returns the counts of a loop that reads whole texts and pauses before its other calls; None
    for other loops. loop: sums of the loop's call sites; overlap: factor for the seconds, because
    the gaps of several threads overlap."""
    texts = [s for s in loop.sites if s.sums.calls_of[READ] and _is_text(facts, s)]
    read = sum(site.sums.read for site in texts)
    calls = sum(site.sums.calls_of[READ] for site in texts)
    others = [site.sums for site in loop.sites if not site.sums.calls_of[READ]]
    if calls < _ROUNDS or read < _WHOLE * calls or sum(s.pauses for s in others) < _ROUNDS:
        return None
    files = {one for site in texts for one in site.sums.files.calls}
    return _Reads(sum(s.gaps[LONG] for s in others) * overlap, read, files, whole=True)


def _most(facts: Facts, known: Loops) -> _Reads | None:
    """Returns the reads of text with the most time between them or, for whole texts, after them;
    None if no text is read."""
    found = list(_by_line(facts, known))
    found += filter(None, (_of_whole(facts, loop, known.overlap) for loop in known.groups))
    return max(found, key=lambda one: one.gaps, default=None)


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a hint for the line that spends most time between reads of text, or the loop that
    spends most time after them, if that is much of the run and the rate is low; otherwise nothing.
    others: findings of the other rules, which must therefore run first: if they explain this time,
    there is no hint."""
    known = loops_of(facts)
    if known is None:
        return
    claimed = sum(finding.stake.between for finding in others)
    reads = _most(facts, known)
    if reads is None or reads.read < _LEAST or claimed >= _HALF * reads.gaps:
        return
    spent = reads.gaps
    if facts.needed_time < facts.process_time:  # the gaps also have waits for a processor
        spent = min(spent, ledger(facts)[BETWEEN] + ledger(facts)[COMPUTING])
    files, limits = sorted(reads.files or (), key=facts.name), facts.limits
    spoken = languages(facts, programs_of(facts, _table(facts, files[0]), files[0]))
    if spoken and spoken <= _TOOLS:
        return
    slow = bool(spoken & _SCRIPTS) or reads.whole
    most = limits["text.script"] if slow else limits["text.compiled"]
    if _stored(facts) >= _HALF * reads.read:
        most /= _STORED
    stake = facts.stake(0.0, "", between=spent)
    if reads.read > most * spent or stake.share < limits["text.share"]:
        return
    if not facts.worth(stake):
        return
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    where = "after" if reads.whole else "between"
    yield Finding(
        NAME,
        f"Much of the run passes {where} the reads of a text file",
        f"{where.capitalize()} the reads of {facts.name(files[0])}{more}, "
        f"{seconds(stake.run)} of {seconds(stake.of_run)} {stake.without}"
        f"({share(stake.run, stake.of_run)}) passed: "
        f"{amount(reads.read / spent)} of text for each second. The log cannot tell what the "
        f"program does with {'the text' if reads.whole else 'each line'}, nor which part of this "
        "time a change would save.",
        NOTICE,
        evidence=_evidence(facts, files[0]),
        remedy=_REMEDY,
        limits=("text.share", "text.script", "text.compiled", "stake.seconds"),
        covers=frozenset(files),
        is_hint=True,
    )


def _stored(facts: Facts) -> int:
    """Returns the bytes that were written to databases of SQLite."""
    posix = facts.table("POSIX")
    if posix is None or not (known := databases(facts)):
        return 0
    some = [facts.own_name(number) in known for number in posix.ids.tolist()]
    return int(posix["BYTES_WRITTEN"][some].sum())


def _table(facts: Facts, record: int) -> str:
    """Returns the name of the lowest layer that read a file, POSIX for example; `""` if none did.
    record: id of the file."""
    for layer, table in facts.layers:
        place = table.place(record)
        if layer.base and place is not None and table["READS"][place] > 0:
            return layer.module
    return ""


def _evidence(facts: Facts, record: int) -> tuple[Evidence, ...]:
    """Returns the counters of the reads of a file; () if no layer read it. record: id of the
    file."""
    table = facts.table(_table(facts, record))
    place = None if table is None else table.place(record)
    if table is None or place is None:
        return ()
    return facts.rows(table, place, "READS", "BYTES_READ", "F_READ_TIME")
