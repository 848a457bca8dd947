"""Judges what an instrumented program leaves in an environment where it may be unable to write a
log: a correct log, a correct journal, or a true message."""

from __future__ import annotations

from collections.abc import Mapping

from lab.watch import Outcome

Sizes = Mapping[str, float]  # bytes written by file


def written(outcome: Outcome) -> dict[str, float]:
    """Returns the bytes written according to logs and journals, by the file's name below the
    working folder."""
    counters = ("POSIX_BYTES_WRITTEN", "STDIO_BYTES_WRITTEN")
    found: dict[str, float] = {}
    for (_, path), row in outcome.records.items():
        count = sum(row.get(counter, 0) for counter in counters)
        if count and path != "<STDOUT>":
            name = path.removeprefix(f"{outcome.work}/")
            found[name] = found.get(name, 0) + count
    return found


def right(found: Sizes, expected: Sizes) -> bool:
    """Returns whether all bytes are recorded for their files. If there was no memory for records,
    they may be in the overflow record."""
    some = {name: size for name, size in found.items() if name != "<overflow>"}
    if len(some) == len(found):
        return found == expected
    return part(found, expected) and sum(found.values()) == sum(expected.values())


def part(found: Sizes, expected: Sizes) -> bool:
    """Returns whether a correct part of the bytes is recorded: at least one byte, and for no file
    more than were written."""
    some = {name: size for name, size in found.items() if name != "<overflow>"}
    return all(size <= expected.get(name, 0) for name, size in some.items()) and 0 < sum(
        found.values()
    ) <= sum(expected.values())


def verdict(bare: Outcome, watched: Outcome, expected: Sizes) -> str:
    """Checks that the exit status and output are the same without and with the runtime, and that
    the log is correct or a true message was printed. Returns the kind of the result: "log",
    "journal", "part" (a journal that lacks some records) or "lost"."""
    assert (watched.status, watched.stdout) == (bare.status, bare.stdout), watched.stderr
    assert watched.stderr.startswith(bare.stderr)
    said = watched.stderr[len(bare.stderr) :].decode()
    assert said.count("\n") == (1 if said else 0), said
    found = written(watched)
    assert len(watched.logs) + len(watched.journals) <= 1
    if watched.logs:
        assert not said
        assert right(found, expected)
        return "log"
    if watched.journals:
        assert f"s are in {watched.journals[0]}" in said
        some = "some records are lost" in said
        assert (part if some else right)(found, expected)
        return "part" if some else "journal"
    assert "the records are lost" in said or "cannot allocate memory for records" in said
    return "lost"
