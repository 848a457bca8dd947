"""A loop looks up the same name again and again until the file appears, and does nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from ....call_sites.lines import Line
from ....call_sites.measured import LOOKUP, OPEN, OTHER, SHORT, WRITE
from ....classes import dataclass
from ....units import count, plural, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...times.loops import loops_of, processor_time

NAME = "waits-for-a-file"
ROLE = CAUSE
_VAIN = 0.98  # smallest share of the look-ups that fail; one that succeeds ends the loop
_MOSTLY = 0.5  # smallest share of the loop's time in its calls
_FEW = 0.1  # most calls per look-up that change files
_EXAMPLE = (
    "C: while (stat(path, &st) != 0) usleep(10000);\n"
    "C++: while (!std::filesystem::exists(path)) std::this_thread::sleep_for(10ms);\n"
    "Fortran: do; inquire(file=path, exist=there); if (there) exit; call sleep(1); end do\n"
    "Rust: while !path.exists() { std::thread::sleep(Duration::from_millis(10)); }\n"
    "Python: while not os.path.exists(path): time.sleep(0.01)\n"
    "Perl: select(undef, undef, undef, 0.01) until -e $path;\n"
    "Java: while (!Files.exists(path)) Thread.sleep(10);\n"
    "shell: until [ -e file ]; do sleep 0.1; done\n"
    "shell: inotifywait -e create folder  # ends when the file appears"
)


@dataclass(frozen=True)
class _Loop:
    """The look-ups of the loops that wait for files: their number, the names, and seconds."""

    calls: float
    names: int
    in_calls: float  # seconds
    around: float  # seconds between the calls


@needs("SITES")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on the loops that look up few names very often, and do not find them until
    the end; nothing if there are none. A search that finds one of several names in each round is no
    wait."""
    extra, usage, loop = facts.table("POSIX_EXT"), facts.table("USAGE"), _waiting(facts)
    if extra is None or loop is None or extra.sum("MISSES") < _VAIN * loop.calls:
        return
    whole = loop.in_calls + loop.around
    # A loop that never sleeps ends when the file appears, no matter how long it waits for a
    # processor.
    ran = min(whole, processor_time(facts))
    part = ran / whole if whole > 0 else 0.0
    stake = facts.stake(
        loop.in_calls * part,
        "processor time of the loop; the file does not come earlier if the loop sleeps",
        between=loop.around * part,
    )
    if not facts.worth(stake):
        return
    yield Finding(
        NAME,
        "The program waits for a file in a loop that never sleeps",
        f"{count(loop.calls)} look-ups asked for {plural(loop.names, 'name')} until the file was "
        f"there; that took {seconds(ran)} of a processor{facts.over_all}, "
        "which other processes, such as the one that makes the file, may need.",
        stake=stake,
        evidence=facts.sums(extra, "MISSES", "F_MISS_TIME")
        + (facts.sums(usage, "F_USER_TIME", "F_SYSTEM_TIME") if usage is not None else ()),
        remedy=Remedy(
            "Sleep between two look-ups, a hundredth of a second or more, or let the kernel "
            "report when the file appears (inotify). Between processes of one program, use a "
            "pipe, a "
            "signal or a message.",
            _EXAMPLE,
        ),
        limits=("operations",),
    )


def _waiting(facts: Facts) -> _Loop | None:
    """Returns the sums over all loops that wait for files; None without such a loop."""
    known = loops_of(facts)
    if known is None:
        return None
    found = [loop for group in known.groups if (loop := _asking(facts, group)) is not None]
    if not found:
        return None
    return _Loop(
        sum(one.calls for one in found),
        sum(one.names for one in found),
        sum(one.in_calls for one in found),
        known.overlap * sum(one.around for one in found),
    )


def _asking(facts: Facts, group: Line) -> _Loop | None:
    """Returns the look-ups of a loop if they are for few names, and the loop does nothing else;
    otherwise None. group: a line of the program, with its call sites."""
    calls, names, in_calls, short, longer, others = 0.0, 0, 0.0, 0.0, 0.0, 0.0
    for site in group.sites:
        sums = site.sums
        number = sums.files.number()
        others += sums.calls_of[OTHER] + sums.calls_of[WRITE]
        asked = sums.calls_of[LOOKUP] + sums.calls_of[OPEN]
        # Only names that were found count as files. If no name was found, the loop did not wait for
        # a file.
        if not number or asked < facts.limits["operations"] * number:
            continue
        calls += asked
        names = max(names, number)
        in_calls += sums.seconds_of[LOOKUP] + sums.seconds_of[OPEN]
        short += sums.gaps[SHORT]
        longer += sum(sums.gaps) - sums.gaps[SHORT]
    spent = in_calls + short
    if calls == 0 or others > _FEW * calls or spent < _MOSTLY * (spent + longer):
        return None
    return _Loop(calls, names, in_calls, short)
