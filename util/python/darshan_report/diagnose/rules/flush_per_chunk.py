"""Flushing more often than a chunk fills writes the same chunk again and again."""

from __future__ import annotations

from collections.abc import Iterator

from ...measure.attribution import CLOSE, FLUSH, WRITE
from ...summary.units import amount, count, share
from ..facts import Facts
from ..finding import Finding, Remedy

NAME = "flush-per-chunk"
_LEAST_FLUSHES = 10


def find(facts: Facts) -> Iterator[Finding]:
    """One finding, about the chunked dataset that suffers most."""
    limits = facts.limits
    for upper in facts.datasets:
        file = facts.attribution.file_of(upper.id) if facts.attribution else None
        flushes = upper.counters["FLUSH_CALLS"] + _file_flushes(facts, file)
        written = upper.below("BYTES_WRITTEN")
        distinct = upper.counters["DISTINCT_BYTES_WRITTEN"]
        extra = written - distinct
        if upper.counters["CHUNK_BYTES"] <= 0 or flushes < _LEAST_FLUSHES or distinct <= 0:
            continue
        if written < limits["again.factor"] * distinct or extra < limits["again.bytes"]:
            continue
        seconds = upper.time((WRITE, FLUSH, CLOSE)) * extra / written
        stake = facts.stake(
            seconds,
            "time in writes and flushes times the share of bytes written again",
            extra,
            written,
        )
        if not facts.worth(stake):
            continue
        chunk = upper.counters["CHUNK_BYTES"]
        yield Finding(
            NAME,
            "Chunks are flushed before they are full",
            f"{facts.name(upper.id)} was flushed {count(flushes)} times; its chunks of "
            f"{amount(chunk)} were written {written / distinct:.1f} times each: {amount(extra)} "
            f"of {amount(written)} ({share(extra, written)}) were written again.",
            stake=stake,
            evidence=facts.upper_rows(
                upper,
                "FLUSH_CALLS",
                "WRITE_CALLS",
                "CHUNK_BYTES",
                "BYTES_ASKED_WRITTEN",
                "FLUSH_POSIX_WRITES",
                "FLUSH_POSIX_BYTES_WRITTEN",
                "WRITE_POSIX_BYTES_WRITTEN",
                "DISTINCT_BYTES_WRITTEN",
                "F_FLUSH_TIME",
            ),
            remedy=Remedy(
                "Flush once per filled chunk, not in between, or make the chunks as small as what "
                "is written between two flushes.",
                "if (++rows % rows_per_chunk == 0) H5Dflush(dataset);\n"
                "H5Pset_chunk(dcpl, rank, dims)   /* dims: what one flush writes */",
            ),
            limits=("again.factor", "again.bytes"),
            covers=frozenset({upper.id} | ({file} if file else set())),
        )
        return


def _file_flushes(facts: Facts, file: int | None) -> int:
    return sum(u.counters["FLUSH_CALLS"] for u in facts.hdf5_files if u.id == file)
