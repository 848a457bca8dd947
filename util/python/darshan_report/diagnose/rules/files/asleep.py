"""A loop sleeps between two look-ups of a file. The file may exist long before the sleep ends."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ....call_sites.lines import Line, Place, Site
from ....call_sites.measured import LOOKUP, OPEN
from ....call_sites.stack import STARTS
from ....call_sites.waits import Looks, asked, looks_of
from ....classes import dataclass
from ....measure.processes.usage import Usage
from ....units import count, plural, seconds
from ...facts import Facts
from ...finding import CAUSE, NOTICE, Evidence, Finding, Remedy, Stake
from ...programs.responsible_programs import users
from ...reached import needs
from ...times import ledger
from ...times.loops import loops_of
from ...training.data_loader import is_of_batch

NAME = "sleeps-between-look-ups"
ROLE = CAUSE
IN_VAIN = f"{NAME}-in-vain"  # name of the finding on a file that never appeared
OF_OTHERS = f"{NAME}-of-others"  # name of the finding on files that no process of the run made
# Smallest share of sleep between look-ups, and of waiting in the run; opens per sleep from which on
# a loop does other work.
_MOSTLY = 0.5
_OFTEN = 5  # fewest sleeps for a file that never appeared
_SLEEP = "sleep"
_SHOWN = 3  # largest number of lines that are named
_BODY = 4  # largest distance in lines between a shell loop's look-up and its sleep
_BEFORE = 0.05  # seconds by which the start of a process may differ from the call that started it
_OUTERMOST = ("", "main", "<module>")
_EXAMPLE = (
    "C: waitpid(child, &status, 0);  // if the program started the process that makes the file\n"
    "C: fd = inotify_init1(0);  inotify_add_watch(fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO);  "
    "read(fd, events, sizeof events);  // returns when a file is there\n"
    "C++: std::this_thread::sleep_for(10ms);  // or waitpid, a pipe, inotify\n"
    "Fortran: call execute_command_line(command, wait=.true.)\n"
    "Rust: child.wait()?;  // or std::thread::sleep(Duration::from_millis(10))\n"
    "Go: err := cmd.Wait()  // or time.Sleep(10 * time.Millisecond)\n"
    "Python: process.wait()  # of subprocess.Popen; process.join() of multiprocessing\n"
    "Python: message = connection.recv()  # multiprocessing.connection, or a line of a pipe\n"
    "Python: time.sleep(0.01)  # in place of a long sleep\n"
    "Perl: waitpid($child, 0);  # or select(undef, undef, undef, 0.01)\n"
    "Ruby: Process.wait(child)  # or sleep(0.01)\n"
    "R: Sys.sleep(0.01)  # in place of a long sleep\n"
    "Java: process.waitFor();  // or Thread.sleep(10)\n"
    "shell: command & wait $!  # ends when the process that makes the file ends\n"
    "shell: mkfifo ready;  echo done > ready &  read -r word < ready  # ends with the message\n"
    "shell: inotifywait -e close_write -e moved_to folder  # ends when a file is there\n"
    "shell: sleep 0.05  # in place of a long sleep"
)


@dataclass(frozen=True)
class _Asking:
    """The look-ups of files that one line of a program makes, with sleeps before some of them."""

    looks: Looks
    processes: int
    files: tuple[int, ...]  # ids of some files that were found
    places: tuple[int, ...]  # indices of the processes in a tree; empty: unknown
    where: str  # file and line; empty: unknown


@needs("SITES")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one finding: on the loops that sleep between look-ups of files and find them
    late; without such a loop, on one that waits for a file that never appears."""
    every = _every(facts)
    waiting = [one for one in every if one.looks.found]
    if waiting:
        known = _late(facts, waiting)
        if known is not None:
            yield known
    elif every:
        yield from _in_vain(facts, every)


def _lines(facts: Facts) -> list[Line]:
    """Returns the lines of the program that make calls, each with its call sites. Sites of a shell
    without line numbers (dash) are not combined. Leaves out the workers of a DataLoader, which are
    idle between batches and wait for no file."""
    known = loops_of(facts)
    found: dict[tuple[object, ...], Line] = {}
    for group in known.groups if known is not None else ():
        for site in group.sites:
            if is_of_batch(site):
                continue
            place = site.line
            key: tuple[object, ...] = (site.id,)
            if place is not None and site.is_users:
                key = (place.file, place.line, place.object, place.offset)
            elif not _is_of_shell(facts, site):
                continue
            line = found.setdefault(key, Line())
            line.sites.append(site)
            line.sums.add(site.sums)
    return list(found.values())


def _is_of_shell(facts: Facts, site: Site) -> bool:
    """Returns whether all processes that made the look-ups of a site are shells."""
    tree, ranks = facts.tree, site.sums.ranks
    if tree is None or not ranks or not site.sums.calls_of[LOOKUP]:
        return False
    return all(tree.programs[place].shell for place in tree.places(np.array([*ranks])))


def _every(facts: Facts) -> list[_Asking]:
    """Returns the lines that look up files after sleeps, those that found most first. Each `sleep`
    process is counted for one line only."""
    lines = _lines(facts)
    looking = [(known[1], known[0], line) for line in lines if (known := asked(line.sites))]
    order = [line for _, _, line in sorted(looking, key=lambda row: row[:2], reverse=True)]
    found, used = [], set[int]()
    for line in order:
        tree = facts.tree
        places = () if tree is None else tuple(tree.places(np.array([*(line.sums.ranks or ())])))
        naps = [nap for nap in _naps(facts, line, lines, places) if nap not in used]
        one = _asking(facts, line, places, naps)
        if one is not None:
            used.update(naps)
            found.append(one)
    return found


def _asking(
    facts: Facts, line: Line, places: tuple[int, ...], naps: Sequence[int]
) -> _Asking | None:
    """Returns the counts of a line that looks up files after sleeps; None for other lines. places:
    indices of the line's processes in the process tree. naps: indices of the `sleep` processes by
    which the line slept."""
    place, tree = line.place, facts.tree
    if naps:
        assert tree is not None
        at = [*naps]
        looks = looks_of(line.sites, int(tree.counts[at].sum()), float(tree.lives[at].sum()))
    else:
        looks = looks_of(line.sites)
        slept = 0.0 if looks is None else _slept(facts, places, looks.seconds)
        if place is None:  # a shell may also wait for other processes
            slept = min(slept, _of_children(facts, places))
        if looks is not None and slept < _MOSTLY * looks.seconds:
            return None
        looks = looks and replace(looks, seconds=slept)
    if looks is None:
        return None
    files = tuple(f for s in line.sites if s.sums.calls_of[LOOKUP] for f in s.sums.files.calls)
    return _Asking(looks, max(1, line.sums.processes), files, places, _where(place))


def _where(place: Place | None) -> str:
    """Returns file, line and function of a place in a script, as text; "" for a place in a compiled
    program, or None."""
    if place is None or not place.file or place.object:
        return ""
    inside = f", in {place.function}" if place.function not in _OUTERMOST else ""
    return f"{os.path.basename(place.file)}:{place.line}{inside}"


def _of_children(facts: Facts, places: tuple[int, ...]) -> float:
    """Returns the sum of the lifetimes, in seconds, of the `sleep` processes that these processes
    started; 0 without a process tree. places: indices in the process tree."""
    tree = facts.tree
    if tree is None:
        return 0.0
    at = [nap for nap, program in enumerate(tree.programs) if program.name == _SLEEP]
    return float(sum(tree.lives[nap] for nap in at if int(tree.parents[nap]) in places))


def _naps(facts: Facts, line: Line, every: Sequence[Line], places: tuple[int, ...]) -> list[int]:
    """Returns the indices, in the process tree, of the `sleep` processes that a script starts next
    to this line. A shell sleeps by starting a process, so no gap of a call site has this time.
    every: all lines. places: indices of the line's processes."""
    tree, place = facts.tree, line.place
    if tree is None or place is None or not place.file:
        return []
    spans = [
        (site.sums.first - _BEFORE, site.sums.last + _BEFORE)
        for other in every
        for site in other.sites
        if other.place is not None and re.match(STARTS, site.stack.called)
        if (other.place.file, other.place.function) == (place.file, place.function)
        if abs(other.place.line - place.line) <= _BODY
    ]
    return [
        nap
        for nap, program in enumerate(tree.programs)
        if program.name == _SLEEP and (not places or int(tree.parents[nap]) in places)
        if any(first <= tree.start[nap] <= last for first, last in spans)
    ]


def _slept(facts: Facts, places: tuple[int, ...], most: float) -> float:
    """Returns the seconds, at most `most`, in which these processes slept and none of their threads
    worked; 0 if the log has no USAGE. places: indices in the process tree; empty: all processes."""
    table, tree = facts.table("USAGE"), facts.tree
    if table is None:
        return 0.0
    known = Usage(table.records)
    blocked = np.where(known.knows("F_BLOCKED_TIME"), known["F_BLOCKED_TIME"], 0.0)
    slept = np.maximum(0.0, blocked - _of_threads(facts, known, blocked))
    if tree is not None and places:
        slept = slept[np.isin(known.ranks, tree.ranks[list(places)])]
    return min(most, float(slept.sum()))


def _of_threads(facts: Facts, known: Usage, blocked: np.ndarray) -> np.ndarray:
    """Returns the processor time of each process, in seconds, that its other threads have: what it
    used, less the life of the main thread without its sleeps and waits for a processor. blocked:
    seconds of the main thread's sleeps."""
    lives = np.full(len(known.ranks), facts.run_time)
    if facts.tree is not None:
        life = dict(zip(facts.tree.ranks.tolist(), facts.tree.lives.tolist()))
        lives = np.array([life.get(rank, facts.run_time) for rank in known.ranks.tolist()])
    own = np.maximum(0.0, lives - blocked - known["F_RUNNABLE_TIME"])
    used = known["F_USER_TIME"] + known["F_SYSTEM_TIME"]
    found: np.ndarray = np.maximum(0.0, used - own)
    return found


def _idle(facts: Facts, processes: int) -> float:
    """Returns the seconds of the run in which no process worked; for an MPI job, the mean over its
    processes, of which there are `processes`."""
    if not facts.together:
        return max(0.0, facts.run_time - facts.needed_time)
    known = ledger.ledger(facts)
    return (known[ledger.ASLEEP] + known[ledger.WAITING]) / processes


def _makers(facts: Facts, waiting: Sequence[_Asking]) -> tuple[bool, str]:
    """Returns whether other processes of the run used the files for which some loops waited and
    which they found, and the names of their programs as text. The text is `""` if they are unknown,
    or more than two. waiting: the loops."""
    of_others, names = False, dict[str, None]()
    for one in waiting:
        for number in one.files:
            for module in ("POSIX", "STDIO"):
                table = facts.table(module)
                if table is None or (place := table.place(number)) is None:
                    continue
                others = set(users(facts, table, number).tolist()) - set(one.places)
                of_others |= int(table.processes[place]) > 1 or bool(others)
                if facts.tree is not None:
                    names.update((facts.tree.programs[o].name, None) for o in sorted(others))
    return of_others, " and ".join(names) if len(names) <= 2 else ""


def _sleepers(facts: Facts, waiting: Sequence[_Asking]) -> str:
    """Returns the names of the programs with these loops, which sleep between look-ups, as text;
    `""` if they are unknown, or more than two. waiting: the loops."""
    tree, late = facts.tree, defaultdict[str, float](float)
    if tree is None or not all(one.places for one in waiting):
        return ""
    for one in waiting:
        names = dict.fromkeys(tree.programs[place].name for place in one.places)
        late[" and ".join(names)] += one.looks.late
    return " and ".join(sorted(late, key=lambda name: -late[name])) if len(late) <= 2 else ""


def _late(facts: Facts, waiting: Sequence[_Asking]) -> Finding | None:
    """Returns the finding on files that a loop found later than they appeared, because it slept;
    None if this costs little. waiting: loops that sleep between look-ups."""
    slept, late = sum(one.looks.seconds for one in waiting), sum(one.looks.late for one in waiting)
    processes = max(one.processes for one in waiting) if facts.together else 1
    run = min(late / processes, _idle(facts, processes), facts.run_time)
    limits = facts.limits
    if run < max(limits["stake.seconds"], min(limits["stake.share"] * facts.run_time,
                                              limits["stake.large"])):  # fmt: skip
        return None
    looks, found = sum(one.looks.calls for one in waiting), sum(one.looks.found for one in waiting)
    sleeps = sum(one.looks.pauses for one in waiting)
    of_others, makers = _makers(facts, waiting)
    who = _sleepers(facts, waiting)
    made = f"another process of {makers}" if makers == who else makers
    by = f", which {made} made" if makers else ""
    said = Finding(
        NAME,
        "A loop sleeps between two look-ups of a file",
        f"{count(looks)} look-ups{f' of {who}' if who else ''} found {plural(found, 'file')}{by}. "
        "Between the look-ups the loop "
        f"slept {plural(sleeps, 'time')} for about {seconds(slept / sleeps)}, "
        f"{seconds(slept)}{facts.over_all} in total. A file that appears during a sleep is found "
        f"only when that sleep ends, so up to {seconds(late)} passed after the files were there. "
        f"No process worked for {seconds(_idle(facts, processes))} of the run.",
        stake=Stake(
            run * processes,
            facts.run_time * processes,
            basis="the last sleep before each file was found, at most the time in which no process "
            "worked; the time that the file needs to be made is not included",
            run=run,
            of_run=facts.run_time,
            ranks=1 if facts.tree else facts.nprocs,
            between=run * processes,
        ),
        evidence=_evidence(facts),
        at=_at(waiting),
        programs=who,
        remedy=Remedy(
            "If the program started the process that makes the file, wait for that process. "
            "Otherwise let that process send a message (a pipe, a socket), or let the kernel "
            "report when the file appears (inotify). Or sleep for a shorter time: a look-up "
            "takes "
            "microseconds.",
            _EXAMPLE,
        ),
        limits=("stake.seconds", "stake.share", "stake.large"),
    )
    return said if of_others else _of_others(said)


def _at(waiting: Sequence[_Asking]) -> str:
    """Returns, as text, the lines of scripts with these loops, the longest wait first; `""` for
    compiled programs, because other code looks up their lines. waiting: loops that sleep between
    look-ups."""
    most = sorted(waiting, key=lambda one: -one.looks.late)[:_SHOWN]
    return " and ".join(dict.fromkeys(one.where for one in most if all(o.where for o in most)))


def _of_others(said: Finding) -> Finding:
    """Returns the finding `said` changed to a notice, for files that no process of the run made:
    another program may have made them, or the loop may wait for something else."""
    return replace(
        said,
        name=OF_OTHERS,
        kind=NOTICE,
        is_hint=True,
        title="The program sleeps between two look-ups of a file",
        sentence=f"{said.sentence} No other process of this run used these files.",
    )


def _in_vain(facts: Facts, every: Sequence[_Asking]) -> Iterator[Finding]:
    """Yields one notice on a file that never appeared, if the run mostly slept in these loops;
    otherwise nothing. every: all loops that sleep between look-ups."""
    slept, sleeps = sum(one.looks.seconds for one in every), sum(one.looks.pauses for one in every)
    waited = min(slept, _idle(facts, 1))
    if facts.together or sleeps < _OFTEN or waited < _MOSTLY * facts.run_time:
        return
    # A loop that does other work in each round sleeps for another reason.
    moved = sum(line.sums.calls_of[OPEN] for line in _lines(facts))
    if moved >= _MOSTLY * sleeps:
        return
    yield Finding(
        IN_VAIN,
        "A loop looks for a file that does not appear",
        f"{count(sum(one.looks.calls for one in every))} look-ups found nothing, and the program "
        f"slept {count(sleeps)} times between them, {seconds(slept / sleeps)} each: "
        f"{seconds(waited)} of {seconds(facts.run_time)}.",
        NOTICE,
        evidence=_evidence(facts),
        at=_at(every),
        remedy=Remedy(
            "A service that waits for its stop file needs no change. If the file should have "
            "appeared, check its name and the program that makes it, and end the wait after some "
            "time."
        ),
    )


def _evidence(facts: Facts) -> tuple[Evidence, ...]:
    """Returns the number and the time of all failed look-ups as evidence; () if the log has no
    POSIX_EXT."""
    extra = facts.table("POSIX_EXT")
    return facts.sums(extra, "MISSES", "F_MISS_TIME") if extra is not None else ()
