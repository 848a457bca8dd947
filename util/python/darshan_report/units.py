"""Formats numbers with their units as text."""

from __future__ import annotations

import math

UNKNOWN = "unknown"
NONE = "-"
WRONG = "(!)"  # marks an impossible value
_STEPS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def _three_digits(value: float) -> str:
    """Returns a number as text with at least three digits, at most two of them behind the point,
    and without an exponent."""
    size = abs(value)
    if size >= 100 or value == 0:
        return _whole(value)
    return f"{value:.{1 if size >= 10 else 2}f}"


def _whole(value: float) -> str:
    """Returns a number as text, rounded to an integer, without a sign if that is zero."""
    return f"{round(value, 0) + 0.0:,.0f}"


def _marked(shown: str, value: float) -> str:
    """Returns the text `shown` with a mark if the time is negative, which occurs only if the clock
    was set back. value: the time."""
    return f"{shown} {WRONG}" if value < 0 else shown


def amount(value: float | None) -> str:
    """Returns bytes as text in powers of 1024: "0 B", "322 B", "1.50 KiB", "128 MiB"; "unknown" for
    None."""
    if value is None:
        return UNKNOWN
    if abs(value) < 1024:
        return f"{round(value, 0) + 0.0:.0f} B"
    scaled = float(value)
    for step in _STEPS:
        scaled /= 1024
        # 1023.9 would round up to "1,024", which is a value of the next unit.
        if abs(scaled) < 999.5 or step == _STEPS[-1]:
            break
    return f"{_three_digits(scaled)} {step}"


def seconds(value: float | None) -> str:
    """Returns seconds as text: "0 s", "23 µs", "65.8 ms", "7.13 s", "37,517 s"; "unknown" for None
    or a number that is not finite. A negative value is marked by "(!)"."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    size = abs(value)
    if size >= 0.9995 or value == 0:
        return _marked(f"{_three_digits(value)} s", value)
    if size >= 0.0009995:
        return _marked(f"{_three_digits(value * 1e3)} ms", value)
    return _marked(f"{value * 1e6:.0f} \u00b5s", value) if size >= 5e-7 else "< 1 \u00b5s"


def time_spent(value: float | None) -> str:
    """Returns a sum of times of many processes, in seconds, as text: from ten hours on in hours
    ("15,864 h"), because 57,110,909 s is hard to read; below, and if it is unknown or not finite,
    as seconds() does."""
    if value is None or not math.isfinite(value) or abs(value) < 35_999.5:
        return seconds(value)
    return _marked(f"{_three_digits(value / 3600)} h", value)


def duration(value: float) -> str:
    """Returns a run time in seconds as text; from 60 s on also in hours and minutes: "2 min 5 s
    (125 s)"."""
    if abs(value) < 60:
        return seconds(value)
    whole = round(abs(value))
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    clock = f"{hours} h {minutes} min {rest} s" if hours else f"{minutes} min {rest} s"
    return _marked(f"{'-' if value < 0 else ''}{clock} ({whole:,} s)", value)


def rough(value: float) -> str:
    """Returns seconds as text, rounded to seconds, minutes or hours: "45 s", "17 min", "24 h"."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if value >= 2 * size:
            return f"{value / size:,.0f} {unit}"
    return f"{value:.0f} s" if value >= 10 else seconds(value)


def count(value: float | None) -> str:
    """Returns a number, rounded to an integer, with thousands separators; "unknown" for None."""
    return UNKNOWN if value is None else _whole(value)


def brief(value: float) -> str:
    """Returns a count short enough for a chart: "950", "12.3 k", "4.56 M"."""
    if abs(value) < 10_000:
        return _whole(value)
    scaled = float(value)
    for step in "kMGTPE":
        scaled /= 1000
        if abs(scaled) < 999.5 or step == "E":
            break
    return f"{_three_digits(scaled)} {step}"


def rate(value: float) -> str:
    """Returns a rate, given in MiB/s, as text with at least three digits: "12.3 MiB/s"."""
    return f"{_three_digits(value) if abs(value) >= 0.01 or value == 0 else '< 0.01'} MiB/s"


def share(part: float, whole: float) -> str:
    """Returns a part of a whole as percentage, "12.3 %"; "-" if the whole is zero."""
    if not whole or not math.isfinite(part / whole):
        return NONE
    percent = 100 * part / whole
    if 0 < abs(percent) < 0.1:
        return "< 0.1 %"
    shown = f"{percent + 0.0:.1f} %" if abs(percent) < 99.95 else f"{percent:.0f} %"
    return _marked(shown, percent)


def percent(part: float, whole: float) -> str:
    """Returns a part of a whole as integer percentage, "12 %"; "-" if the whole is zero."""
    return f"{_whole(100 * part / whole)} %" if whole else NONE


def plural(number: int, thing: str) -> str:
    """Returns a number with its noun: "1 process", "4 processes", "2 files". thing: the noun in the
    singular."""
    ending = "es" if thing.endswith("s") else "s"
    return f"{number:,} {thing}{'' if number == 1 else ending}"
