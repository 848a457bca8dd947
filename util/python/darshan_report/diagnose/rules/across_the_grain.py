"""A dataset that is stored one way and read or written another."""

from __future__ import annotations

from collections.abc import Iterator

from ...summary.units import amount, count
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "across-the-grain"
_CONTIGUOUS = 1
_SIDES = (("READ", "READS", "BYTES_ASKED_READ"), ("WRITE", "WRITES", "BYTES_ASKED_WRITTEN"))


def find(facts: Facts) -> Iterator[Finding]:
    """The contiguous dataset where one call becomes most small POSIX calls."""
    for upper in facts.datasets:
        if upper.counters["LAYOUT"] != _CONTIGUOUS:
            continue
        for kind, below_name, asked_name in _SIDES:
            calls = upper.counters[f"{kind}_CALLS"]
            below = upper.below(below_name, (kind,))
            asked = upper.counters[asked_name]
            many = below >= facts.limits["grain.calls"] * max(1, calls)
            small = asked <= facts.limits["small.bytes"] * below
            if calls == 0 or below < facts.limits["operations"] or not many or not small:
                continue
            lost = float(facts.lost(upper.time((kind,)), asked))
            stake = facts.stake(
                lost, f"{kind.lower()} time beyond what the bytes would take at a good rate"
            )
            if not facts.worth(stake):
                continue
            yield Finding(
                NAME,
                "A contiguous dataset is read or written across its grain",
                f"Each of {count(calls)} {kind.lower()}s of {facts.name(upper.id)} became "
                f"{count(below / calls)} POSIX calls of {amount(asked / below)}: the dataset is "
                "stored row by row, and the selection takes a little of every row.",
                stake=stake,
                evidence=facts.upper_rows(
                    upper,
                    "LAYOUT",
                    f"{kind}_CALLS",
                    f"{kind}_POSIX_{below_name}",
                    asked_name,
                    f"F_{kind}_TIME",
                ),
                remedy=Remedy(
                    "Store the dataset in chunks of the shape in which it is read, or read whole "
                    "rows and select in memory.",
                    "H5Pset_chunk(dcpl, rank, dims of a usual selection)\n"
                    "h5repack -l NAME:CHUNK=64x64x64 in.h5 out.h5",
                ),
                limits=("grain.calls", "small.bytes", "operations"),
                covers=_covers(facts, upper.id),
            )
            return


def _covers(facts: Facts, dataset: int) -> frozenset[int]:
    file = facts.attribution.file_of(dataset) if facts.attribution else None
    return frozenset({dataset} | ({file} if file is not None else set()))
