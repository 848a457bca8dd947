"""A program passes much data to its workers, or they to it, through pipes."""

from __future__ import annotations

from collections.abc import Iterator

from ....units import amount, seconds
from ...facts import Facts
from ...finding import CAUSE, NOTICE, Finding, Remedy
from ...reached import needs
from ...times.pipes import Family, families, more_than_little, seconds_at

NAME = "sent-to-workers"
ROLE = CAUSE
_TO = Remedy(
    "Send each worker the path and the position of its part, and let it read that part itself. "
    "What all tasks need, give it once, when it starts. Large arrays need no pipe if processes "
    "share them.",
    "Python: pool.imap(work, [(path, at) for at in range(0, size, block)])  # not the blocks\n"
    "Python: numpy.fromfile(path, dtype, count=n, offset=at)  # in the worker\n"
    "Python: Pool(2, initializer=load, initargs=(path,)); "
    "ProcessPoolExecutor(2, initializer=load, initargs=(path,))\n"
    "Python: multiprocessing.shared_memory.SharedMemory(create=True, size=array.nbytes)\n"
    "R: parallel::mclapply(paths, function(path) work(readRDS(path)))\n"
    "C: pread(fd, part, size, at);  // in the child process\n"
    "Perl: sysseek $file, $at, 0;  sysread $file, my $part, $size;  # in the child process\n"
    "Ruby: File.open(path) { |f| f.pread(size, at) }  # in the child process",
)
_FROM = Remedy(
    "Let each worker write its result itself, to a file of its own or to its part of one, and send "
    "only the path or a sum. Large arrays need no pipe if processes share them.",
    "Python: numpy.save(f'part{number}.npy', result); return number  # in the worker\n"
    "Python: multiprocessing.shared_memory.SharedMemory(create=True, size=array.nbytes)\n"
    "R: saveRDS(result, path)  # in the worker of mclapply; return path\n"
    "C: pwrite(fd, part, size, at);  // in the child process",
)
_DOWN, _UP, _BOTH = (
    "Workers get their data through pipes",
    "Workers return their data through pipes",
    "Workers get or return much data through pipes",
)
_REMEDIES = {_DOWN: _TO, _UP: _FROM, _BOTH: Remedy(f"{_TO.text} {_FROM.text}", _TO.example)}


@needs("USAGE")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a hint on the program that passed most bytes to or from its workers, if pipes need
    more than a little of the run for that many bytes; otherwise nothing."""
    least = more_than_little(facts)
    found = [
        one
        for one in families(facts, workers=True)
        if one.bytes >= facts.limits["pipes.bytes"] and seconds_at(facts, one) >= least
    ]
    usage = facts.table("USAGE")
    if not found or usage is None:
        return
    first = max(found, key=lambda one: one.bytes)
    way = _way(facts, first)
    yield Finding(
        NAME,
        way,
        _sentence(facts, first),
        NOTICE,
        evidence=facts.sums(usage, "CHARS_READ", "CHARS_WRITTEN"),
        remedy=_REMEDIES[way],
        limits=("pipes.bytes", "pipes.rate", "io.fine"),
        programs=_names(facts, first)[0],
        is_hint=True,
    )


def _way(facts: Facts, family: Family) -> str:
    """Returns words for the direction in which most bytes went: to the workers, from them, or both.
    If the kernel's counts are only a sum, the program is taken to have sent the bytes if it read at
    least half as many from files, and to have received them if it wrote as many. family: the
    program and its workers."""
    tree, half = facts.tree, family.bytes / 2
    assert tree is not None
    if not family.is_sum:
        return _DOWN if family.down >= family.up else _UP
    if tree.read[family.parent] >= half:
        return _DOWN
    return _UP if tree.written[family.parent] >= half else _BOTH


def _names(facts: Facts, family: Family) -> tuple[str, str]:
    """Returns the name of the program, and text for its workers ("its 4 workers"). family: the
    program and its workers."""
    tree = facts.tree
    assert tree is not None
    number = int(tree.counts[[*family.others]].sum())
    return tree.programs[
        family.parent
    ].name, "its worker" if number == 1 else f"its {number:,} workers"


def _sentence(facts: Facts, family: Family) -> str:
    """Returns the sentences of the finding."""
    tree = facts.tree
    assert tree is not None
    name, workers = _names(facts, family)
    own, theirs = int(tree.read[family.parent]), int(tree.read[[*family.others]].sum())
    if family.is_sum:
        passed = (
            f"{amount(family.bytes)} went through pipes or sockets, by the kernel's counts, which "
            "are a sum over the program and its workers"
        )
    else:
        passed = (
            f"by the kernel's counts, it wrote {amount(family.down)} to pipes or sockets that they "
            f"read, and they {amount(family.up)} that it read"
        )
    return (
        f"{name} read {amount(own)} of files, and {workers} {amount(theirs)}; {passed}. Each byte "
        "is copied into the pipe and out of it, and often packed before (pickled). The log has "
        f"these bytes as a sum, and not their time: at {amount(facts.limits['pipes.rate'])}/s they "
        f"take {seconds(seconds_at(facts, family))}."
    )
