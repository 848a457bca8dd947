"""The effects of a remedy on calls, bytes and time of I/O, from the sums of two logs."""

from __future__ import annotations

from ...classes import dataclass
from ...log import Log, open_log
from ...units import amount, count, seconds

_SUMS = {
    "reads": (("POSIX", "POSIX_READS"), ("STDIO_EXT", "STDIO_EXT_FILLS")),
    "writes": (("POSIX", "POSIX_WRITES"), ("STDIO_EXT", "STDIO_EXT_DRAINS")),
    "bytes read": (("POSIX", "POSIX_BYTES_READ"), ("STDIO_EXT", "STDIO_EXT_FILLED_BYTES")),
    "bytes written": (("POSIX", "POSIX_BYTES_WRITTEN"), ("STDIO_EXT", "STDIO_EXT_DRAINED_BYTES")),
    "time in HDF5": (("H5D", "H5D_F_READ_TIME"), ("H5D", "H5D_F_WRITE_TIME")),
    "time in reads": (("POSIX", "POSIX_F_READ_TIME"), ("STDIO", "STDIO_F_READ_TIME")),
    "time in fsync and the like": (
        ("POSIX_EXT", "POSIX_EXT_F_SYNC_TIME"), ("POSIX_EXT", "POSIX_EXT_F_FSYNC_TIME"),
    ),
    "time in writes": (("POSIX", "POSIX_F_WRITE_TIME"), ("STDIO", "STDIO_F_WRITE_TIME")),
}  # fmt: skip
# Bytes that libc's streams wrote. If two runs differ in these bytes, a log lacks writes (writes of
# a remedy for a stream, or of libc at the end of the program), so writes are not compared.
_DRAINED = ("STDIO_EXT", "STDIO_EXT_DRAINED_BYTES")
_CHANGED = 0.1  # share of the larger value; a smaller change is not reported


@dataclass(frozen=True)
class Effect:
    """A sum over all files of a run (calls, bytes or seconds, by its name): its value without and
    with a remedy."""

    name: str
    before: float
    after: float

    @property
    def text(self) -> str:
        """The change as text, "reads 1,000 -> 10"."""
        show = count
        if self.name.startswith("bytes"):
            show = amount
        elif self.name.startswith("time"):
            show = seconds
        return f"{self.name} {show(self.before)} -> {show(self.after)}"


def _sum(log: Log, module: str, counter: str) -> float:
    if log.info.region(module) is None:
        return 0.0
    return float(log.records(module)[counter].clip(0).sum(dtype="f8"))


def _sums(path: str) -> tuple[dict[str, float], float]:
    """Returns the sums of a log by name, and the bytes that streams wrote. path: of the log."""
    with open_log(path) as log:
        found = {name: sum(_sum(log, *one) for one in of) for name, of in _SUMS.items()}
        return found, _sum(log, *_DRAINED)


def effects(without: str, with_it: str) -> list[Effect]:
    """Returns the sums that differ by a tenth or more between two logs; [] if a run left no log.
    without, with_it: paths of the logs of a run without and of a run with a remedy, or "". Raises
    LogError."""
    if not without or not with_it:
        return []
    (before, drained), (after, drained_after) = _sums(without), _sums(with_it)
    is_whole = abs(drained - drained_after) < _CHANGED * max(drained, 1.0)
    names = [name for name in _SUMS if is_whole or name not in ("writes", "bytes written")]
    return [
        Effect(name, before[name], after[name])
        for name in names
        if abs(before[name] - after[name]) >= _CHANGED * max(before[name], after[name], 1e-3)
    ]
