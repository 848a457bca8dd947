"""Numbers as a person reads them, always with their unit."""

from __future__ import annotations

import math

UNKNOWN = "unknown"
NONE = "-"
_STEPS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def _three_digits(value: float) -> str:
    """At least three significant digits, no exponent."""
    size = abs(value)
    if size >= 100 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.{1 if size >= 10 else 2}f}"


def amount(value: float | None) -> str:
    """Bytes in powers of 1024: "0 B", "322 B", "1.50 KiB", "128 MiB"."""
    if value is None:
        return UNKNOWN
    if abs(value) < 1024:
        return f"{value:.0f} B"
    scaled = float(value)
    for step in _STEPS:
        scaled /= 1024
        # 1023.9 would round up to "1,024", a size of the next step.
        if abs(scaled) < 999.5 or step == _STEPS[-1]:
            break
    return f"{_three_digits(scaled)} {step}"


def seconds(value: float | None) -> str:
    """Seconds: "0 s", "23 \u00b5s", "65.8 ms", "7.13 s", "37,517 s"."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    size = abs(value)
    if size >= 0.9995 or value == 0:
        return f"{_three_digits(value)} s"
    if size >= 0.0009995:
        return f"{_three_digits(value * 1e3)} ms"
    return f"{value * 1e6:.0f} \u00b5s" if size >= 5e-7 else "< 1 \u00b5s"


def duration(value: float) -> str:
    """A run time: seconds, and hours and minutes where they help."""
    if abs(value) < 60:
        return seconds(value)
    whole = round(abs(value))
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    clock = f"{hours} h {minutes} min {rest} s" if hours else f"{minutes} min {rest} s"
    return f"{'-' if value < 0 else ''}{clock} ({whole:,} s)"


def count(value: float | None) -> str:
    """A whole number with separators."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def brief(value: float) -> str:
    """A count short enough for a chart: "950", "12.3 k", "4.56 M"."""
    if abs(value) < 10_000:
        return f"{value:,.0f}"
    scaled = float(value)
    for step in "kMGTPE":
        scaled /= 1000
        if abs(scaled) < 999.5 or step == "E":
            break
    return f"{_three_digits(scaled)} {step}"


def rate(value: float) -> str:
    """MiB/s, as darshan-parser --perf counts them."""
    return f"{_three_digits(value) if abs(value) >= 0.01 or value == 0 else '< 0.01'} MiB/s"


def share(part: float, whole: float) -> str:
    """A percentage; "-" where there is no whole."""
    if not whole or not math.isfinite(part / whole):
        return NONE
    percent = 100 * part / whole
    if 0 < percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.1f} %" if percent < 99.95 else f"{percent:.0f} %"


def percent(part: float, whole: float) -> str:
    """A whole percentage."""
    return f"{100 * part / whole:.0f} %" if whole else NONE


def plural(number: int, thing: str) -> str:
    """ "1 process", "4 processes", "2 files"."""
    ending = "es" if thing.endswith("s") else "s"
    return f"{number:,} {thing}{'' if number == 1 else ending}"
