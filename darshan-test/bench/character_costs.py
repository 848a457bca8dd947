"""Measures what the recording adds to a call that a stream's buffer serves, and to others, without
call sites and with them. The report estimates by these numbers what the recording took
(util/python/darshan_report/diagnose/times/recording.py)."""

from __future__ import annotations

from machine import Bench, numbers
from rows import Row

# Calls in a measurement, by the name of the kind of call in the program `cost`.
KINDS = {
    "fgetc": 5_000_000,
    "fgetwc": 5_000_000,
    "fwrite": 3_000_000,
    "pread": 200_000,
    "lseek": 300_000,
}


def characters(bench: Bench) -> list[Row]:
    """Measures each kind of call bare, with the runtime without call sites, and with call sites, in
    turn. Returns a row for each kind, with the fastest of each, without a goal."""
    rows = []
    for kind, calls in KINDS.items():
        ours = [{**bench.settings(), "DARSHAN_SITES": sites} for sites in ("0", "1")]
        taken: list[list[float]] = [[], [], []]
        for _ in range(bench.repetitions):
            for settings, times in zip(({}, *ours), taken):
                folder = str(bench.empty("work"))
                command = [bench.program("cost"), kind, str(calls), "1", folder]
                times.append(numbers(command, settings)[0])
        bare, without, with_sites = (min(times) for times in taken)
        text = (
            f"+{without - bare:.1f} ns without call sites, +{with_sites - bare:.1f} with,"
            f" on {bare:.1f}; {without / bare:.1f} and {with_sites / bare:.1f} times"
        )
        rows.append(Row(f"recording of {kind}", text, "", True))
    return rows
