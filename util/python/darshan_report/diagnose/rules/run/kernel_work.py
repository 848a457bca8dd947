"""The kernel works for much of the run on what no recorded call explains: it gives the program new
memory again and again, as for copies, or it serves reads of pipes, sockets, or files of the
system, as the C library makes them. Or it lets threads wait for each other, for each of many small
tasks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ....classes import dataclass
from ....measure.processes.usage import PAGE
from ....units import amount, count, plural, seconds
from ...facts import Facts
from ...finding import LAST, NOTICE, Finding, Remedy, Stake
from ...programs.thread_pools import tasks_of
from ...times.unjudged import KernelWork, kernel_work, mapped_of
from ..processes import asked_each
from . import bytewise_input, time_between

NAME = "kernel-work"
ROLE = LAST
_AGAIN = 100  # new memory, as a multiple of what the program moves and maps
_SMALL = 16 << 20  # bytes: less data is no reason for much new memory
_FAULT, _READ = 4e-6, 20e-6  # seconds: most that the kernel works for a page fault, and for a read
_FEW = 4096  # bytes per read on average; larger reads are no fault of the program
_TIMES = 10  # fewest waits for each call on a file of a thread that gets tasks
_HALF = 0.5  # share of this time that passes between the calls of the loop that is named
_GROWS = Remedy(
    "If the loop adds each piece to all that it has read before, it copies all of it each time: "
    "collect the pieces in a list and join them once, behind the loop, or read the file as a "
    "whole. Otherwise reuse one buffer in place of a new one for each step.",
    "Python: parts.append(piece)  # in the loop;  data = b''.join(parts)  # once, behind it\n"
    "Python: numpy.concatenate(parts)  # once, not numpy.append in the loop\n"
    "C: if (used == room) data = realloc(data, room *= 2);  // not for each piece\n"
    "C++: data.insert(data.end(), piece.begin(), piece.end());  // not data = data + piece\n"
    "Java: ByteArrayOutputStream all;  all.write(piece);  // not Arrays.copyOf for each piece\n"
    "R: parts[[i]] <- piece;  data <- do.call(rbind, parts)  # once",
)
_COPIES = Remedy(
    "If the program copies the mapped file for each question, look into the mapping itself: it can "
    "be searched, sliced and compared without a copy.",
    "Python: at = mm.find(text, begin)  # not mm[:].find, bytes(mm) or mm.read()\n"
    "Python: view = memoryview(mm)  # slices without a copy\n"
    "Python: array = numpy.frombuffer(mm, 'f8')  # not numpy.array(memmap)\n"
    "C: memmem(map, size, text, length)  // not memcpy(copy, map, size) before it",
)
_ASKS = Remedy(
    "Functions of the C library that ask for a user, a group, a host or a service read files of "
    "the system at each call: ask once for each, and keep the answers. A pipe or a socket is read "
    "in larger pieces, through a buffer.",
    "Python: functools.lru_cache(pwd.getpwuid)\n"
    "Perl: $name{$uid} //= getpwuid($uid);\n"
    "C: keep what getpwuid(uid) returned in a table, by uid\n"
    "shell: ls -n, find -printf '%U'  # numbers, not names",
)
_PIECES = Remedy(
    "Give a thread larger pieces of work: a block of lines, or some hundred items, for each task. "
    "What takes microseconds, such as the next line from a buffer, needs no thread: call it "
    "directly, or read the whole file with one task.",
    "Python: lines = await loop.run_in_executor(None, file.readlines, 1 << 20)  # not readline\n"
    "Python: lines = await file.readlines(1 << 20)  # of aiofiles; not async for line in file\n"
    "Python: text = await asyncio.to_thread(path.read_text)  # the whole file\n"
    "Python: pool.submit(work, items[at : at + 1000])  # not a task for each item\n"
    "Java: pool.submit(() -> work(items.subList(at, at + 1000)));",
)


@dataclass(frozen=True)
class _Cause:
    """A reason why the kernel worked so much outside of recorded calls: the title, sentence and
    remedy of a finding about it, the ending of the finding's name, the most seconds that it may
    have taken, and the seconds of the program's own work for it, with the line of code if it is
    known without the calls."""

    ending: str
    title: str
    sentence: str
    remedy: Remedy
    seconds: float
    own: float = 0.0
    at: str = ""


def _memory(facts: Facts, work: KernelWork) -> _Cause | None:
    """Returns the cause if the kernel gave the program very much new memory, as for copies of its
    data in a loop; otherwise None. work: the kernel's work outside of recorded calls."""
    new, held = PAGE * work.faults, mapped_of(facts)
    mapped = held.looked_at if held else 0.0
    data = work.moved + mapped
    loop = time_between.longest(facts)
    in_loop = loop is not None and time_between.passed(facts, loop) >= _HALF * work.seconds
    if data < PAGE or new < _AGAIN * max(data, _SMALL) or not (in_loop or mapped >= data / 2):
        return None
    return _Cause(
        "copies" if in_loop else "mapped",
        "The program takes new memory again and again",
        f"The kernel gave it {amount(new)} of new memory ({count(work.faults)} page faults), "
        f"{count(new / data)} times the {amount(data)} that it read, wrote or touched in mapped "
        f"files, and worked up to {seconds(work.seconds)} for that. A program that copies all of "
        "its data at each step does this.",
        _GROWS if in_loop else _COPIES,
        _FAULT * work.faults,
    )


# A sentence on reads of unrecorded files, the remedy, and the seconds of the kernel that it
# saves; 0: _READ for each read. Below: the same by the mean size of the reads, from and to bytes.
_ANY_READS: tuple[str, Remedy, float] = (
    "They are reads of pipes, sockets, or files of the system, as below /proc; the C library reads "
    "/etc/passwd for each getpwnam.",
    _ASKS,
    0.0,
)
_BY_SIZE: tuple[tuple[int, int, str, Remedy, float], ...] = (
    (
        780,
        1000,
        "They have about the 832 bytes with which the dynamic linker begins each library: a "
        "library may be loaded again and again (dlopen), or a converter of texts (iconv_open). "
        "They may also be of pipes, sockets, or files of the system, such as /etc/passwd for each "
        "getpwnam.",
        Remedy(
            "Load each library once, before the loop, and keep it: a plug-in (dlopen), and a "
            "converter of texts (iconv_open), which serves any number of texts. Ask for a user, a "
            "group, a host or a service once for each, too.",
            "C: iconv_t converter = iconv_open(\"UTF-8\", \"LATIN1\");  // once, before the loop\n"
            "C: void *plugin = dlopen(path, RTLD_NOW);  // once, not for each item\n"
            "Python: plugin = ctypes.CDLL(path)  # once, not for each item",
        ),
        math.inf,
    ),
    (
        3900, 4096,
        "Reads of 4 KiB fill the buffer of a stream: a device such as /dev/urandom is opened again "
        "and again with fopen, for a few bytes each time. They may also be of pipes or sockets.",
        Remedy(
            "Ask for the bytes themselves: getrandom() for random ones, or one open of the device "
            "and read(), without a stream.",
            "C: getrandom(bytes, sizeof bytes, 0);  // not fopen(\"/dev/urandom\", \"r\")\n"
            "Python: os.urandom(16), or the module secrets",
        ),
        0.0,
    ),
)  # fmt: skip


def _of(row: tuple[int, int, str, Remedy, float]) -> tuple[str, Remedy, float]:
    """Returns a row of _BY_SIZE without its sizes, in the form of _ANY_READS."""
    return row[2], row[3], row[4]


def _reads(facts: Facts, work: KernelWork) -> _Cause | None:
    """Returns the cause if the program made very many small reads that are not of recorded files;
    otherwise None. work: the kernel's work outside of recorded calls."""
    least = facts.limits["bytewise.calls"] / 10
    if work.calls < least or work.read > _FEW * work.calls:
        return None
    each = work.read / work.calls
    what, remedy, most = next(
        (_of(row) for row in _BY_SIZE if row[0] <= each <= row[1]), _ANY_READS
    )
    return _Cause(
        "reads",
        "Many reads are not of recorded files",
        f"The kernel counted {count(work.calls)} reads of {amount(each)} on average that are not "
        f"of a recorded file, and worked up to {seconds(work.seconds)} for the program outside of "
        f"recorded calls. {what}",
        remedy,
        most or _READ * work.calls,
    )


def _tasks(facts: Facts, work: KernelWork) -> _Cause | None:
    """Returns the cause if the threads of a pool make few calls on files, and the threads of the
    process wait very often; otherwise None. work: the kernel's work outside of recorded calls."""
    if work.waits < facts.limits["tasks.waits"]:
        return None
    tasks = tasks_of(facts, work.rank)
    if tasks is None or work.waits < _TIMES * tasks.calls:
        return None
    number = work.waits / 2  # the thread that asks waits, and the one that answers
    made = plural(int(tasks.calls), "call") if tasks.calls else "no call"
    return _Cause(
        "tasks",
        "Threads wait very often, as with a task of a pool for each of many small items",
        f"Threads of a pool made {made} on files, while the threads of "
        f"{work.program or 'the process'} waited {count(work.waits)} times and the kernel worked "
        f"up to {seconds(work.seconds)} for it outside of recorded calls. To hand over a task to a "
        "thread, and to wait for its result, takes some ten microseconds, however small the task "
        "is. A program that waits for a network instead would look the same.",
        _PIECES,
        work.seconds,
        facts.limits["tasks.own"] * number,
        tasks.at,
    )


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a hint if the kernel worked for much of the run outside of recorded calls, and its
    counts show for what: new memory, or reads of unrecorded files. Otherwise yields nothing, also
    if a finding in `others` is about input that is read byte by byte."""
    work = kernel_work(facts)
    if work is None or any(f.name == bytewise_input.NAME for f in others):
        return
    # Tasks of processes make threads wait, too.
    asks = any(finding.name.startswith(asked_each.NAME) for finding in others)
    cause = _memory(facts, work) or (None if asks else _tasks(facts, work)) or _reads(facts, work)
    if cause is None:
        return
    spent, basis = min(work.seconds, cause.seconds), "processor time of the kernel"
    basis += ", and what the language needs for each task" if cause.own else ""
    stake: Stake = facts.stake(0.0, basis, between=spent + cause.own)
    if stake.share < facts.limits["kernel.share"] or not facts.worth(stake):
        return
    yield Finding(
        f"{NAME}-{cause.ending}",
        cause.title,
        f"{cause.sentence} The log cannot tell what the program does there.",
        NOTICE,
        stake,
        facts.sums(usage, "MINOR_FAULTS", "READ_CALLS", "F_SYSTEM_TIME")
        if (usage := facts.table("USAGE")) is not None
        else (),
        cause.remedy,
        limits=("kernel.share", "tasks.waits", "tasks.own"),
        at=cause.at,
        is_hint=True,
    )
