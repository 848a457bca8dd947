"""A program compresses a stream that another program of the same run decompresses: a copy through
a pipe, which compression makes slower."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ....classes import dataclass
from ....measure.processes.processes import Processes
from ....units import amount, seconds
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy, Stake
from ...reached import needs
from ...times.pipes import Outside, outside
from .scratch_compression import COMPRESSORS, SENDERS, UNPACKING, packers, union

NAME = "compressed-in-a-pipe"
ROLE = CAUSE
# Names of programs that only decompress.
_UNPACKERS = re.compile(r"(?:un|bun|gun|lun)(?:xz|zstd|lzma|lz4|zip2?)|(?:xz|bz|zstd|lz4?|z)cat")
_SAME = 0.005  # relative difference of what one program wrote and the other one read
_REMEDY = Remedy(
    "Leave out the compression where both ends of a pipe are programs of one machine: it saves "
    "neither storage nor a network. tar needs no z (j, J, --zstd) there on either side; a copy of "
    "files needs no archive.",
    "tar -cf - -C FROM . | tar -xf - -C TO  # no z, no gzip\n"
    "cp -a FROM/. TO;  rsync -a FROM/ TO  # no -z",
)


@dataclass(frozen=True)
class _Pair:
    """A process that compresses a stream and one that decompresses it, by their indices in the tree
    of processes, with the bytes of the stream, plain and compressed."""

    packer: int
    unpacker: int
    plain: float
    packed: float


def _unpackers(tree: Processes) -> list[int]:
    """Returns the indices of the processes in the tree that decompress."""
    return [
        place
        for place, program in enumerate(tree.programs)
        if _UNPACKERS.fullmatch(program.name)
        or (COMPRESSORS.fullmatch(program.name) and UNPACKING.search(tree.commands[place]))
    ]


def _pairs(facts: Facts, tree: Processes, known: Outside) -> list[_Pair]:
    """Returns the processes that compress a stream which another one decompresses at the same time:
    each reads or writes as many bytes as the other, on both sides, and not in recorded files."""
    found, least = [], facts.limits["again.bytes"]
    free = set(_unpackers(tree))
    for packer in packers(tree):
        packed, plain = float(known.written[packer]), float(known.read[packer])
        # A program such as tee may keep the compressed bytes.
        kept = np.abs(tree.written - packed) <= _SAME * packed
        if min(packed, plain) < least or kept.any():
            continue
        for other in sorted(free):
            lived = min(tree.end[packer], tree.end[other]) - max(
                tree.start[packer], tree.start[other]
            )
            same = abs(known.read[other] - packed) <= _SAME * packed
            # A program may read plain bytes from files, or write them to files.
            whole = max(known.written[other] + tree.written[other], 0.0)
            if lived > 0 and same and abs(whole - plain - tree.read[packer]) <= _SAME * whole:
                found.append(_Pair(packer, other, plain, packed))
                free.remove(other)
                break
    return found


def _stake(facts: Facts, tree: Processes, known: Outside, pairs: list[_Pair]) -> Stake:
    """Returns the potential saving: the part of the run in which the programs compressed, beyond
    what pipes need for the plain bytes. The other programs of the pipe wait for them."""
    places = [pair.packer for pair in pairs]
    ran = (known.user + known.system + known.runnable)[places]
    part = min(1.0, float(ran.sum()) / max(1e-9, float(tree.lives[places].sum())))
    spent = union(tree.start[places], tree.end[places]) * part
    spent -= sum(pair.plain for pair in pairs) / facts.limits["pipes.rate"]
    run = min(max(0.0, spent), facts.run_time)
    basis = "time in which the programs compressed, beyond what a pipe needs for the bytes"
    return Stake(run, facts.run_time, basis=basis, run=run, of_run=facts.run_time, between=run)


@needs("USAGE")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if programs compress a stream that others of the run decompress, for much of
    the run; otherwise nothing."""
    tree, known, usage = facts.tree, outside(facts), facts.table("USAGE")
    if tree is None or known is None or usage is None:
        return
    if SENDERS.intersection(program.name for program in tree.programs):
        return
    pairs = _pairs(facts, tree, known)
    if not pairs:
        return
    stake, limits = _stake(facts, tree, known, pairs), facts.limits
    if stake.run < max(limits["stake.seconds"], limits["scratch.share"] * stake.of_run):
        return
    places = [pair.packer for pair in pairs]
    first = max(pairs, key=lambda pair: pair.plain)
    name, other = (tree.programs[p].name for p in (first.packer, first.unpacker))
    times = f" ({len(pairs):,} times)" if len(pairs) > 1 else ""
    plain, packed = sum(pair.plain for pair in pairs), sum(pair.packed for pair in pairs)
    ran = float(np.sum((known.user + known.system)[places]))
    other = f"another {other}" if other == name else other
    yield Finding(
        NAME,
        "A stream is compressed, and decompressed again by the same run",
        f"{name} compressed {amount(plain)} to {amount(packed)}{times}, and {other} of the same "
        f"run read as many bytes from a pipe and decompressed them. {name} worked {seconds(ran)} "
        "for that, and the programs at its ends wait for it. No process of the run wrote the "
        "compressed bytes to a file.",
        stake=stake,
        evidence=facts.sums(usage, "CHARS_READ", "CHARS_WRITTEN", "F_USER_TIME"),
        remedy=_REMEDY,
        limits=("scratch.share", "pipes.rate", "again.bytes", "stake.seconds"),
        programs=name,
    )
