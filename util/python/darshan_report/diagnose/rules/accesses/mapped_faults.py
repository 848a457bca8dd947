"""Page faults of mapped files wait for storage, and nearly each reads a single page."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....classes import dataclass
from ....units import amount, count, percent, plural, seconds
from ...facts import PARALLEL, Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...table import Table
from ...times.unjudged import waits_for_pages

NAME = "mapped-faults"
ROLE = CAUSE
LEAST = 64  # least number of page faults that shows their order
# File systems of which the pages of a mapped file come from a server.
_NETWORK = PARALLEL | {"nfs", "nfs4", "cifs", "smb3", "9p", "afs", "fuse.sshfs", "fuse.glusterfs"}
_BY_CALLS = (
    "\nPython: torch.load(path, mmap=False)"
    "\nPython: safetensors.torch.load(open(path, 'rb').read())  # in place of load_file(path)"
)
IN_ORDER = 0.8  # share of the page faults that must follow closely behind the previous one


@dataclass(frozen=True)
class _Order:
    """The order of the page faults of mapped files, which DARSHAN_PAGE_FAULTS records: the numbers
    of all, of those that went forward in a file, and of those that went at most 2 MiB forward."""

    every: float
    forward: float
    near: float

    @property
    def title(self) -> str:
        """Returns the title of the finding, by the order of the page faults."""
        if self.every < LEAST:
            return "Mapped files are read from storage page by page"
        if self.near >= IN_ORDER * self.every:
            return "Pages of mapped files are used in order, but the kernel reads one at a time"
        return "Pages of mapped files are used in no order"

    @property
    def sentence(self) -> str:
        """Returns a sentence on the order of the page faults, with a space before it."""
        if self.every < LEAST:
            return " The order is not known; DARSHAN_PAGE_FAULTS=1 records it."
        return (
            f" The order of {count(self.every)} page faults is known: "
            f"{percent(self.forward, self.every)} went forward, "
            f"{percent(self.near, self.every)} by at most 2 MiB."
        )


def _order(extra: Table) -> _Order:
    """Returns the order of the page faults of all files; zeros if it was not recorded."""
    names = ("MMAP_FAULTS", "MMAP_FAULTS_FORWARD", "MMAP_FAULTS_NEAR")
    known = (float(extra[name].clip(min=0).sum()) if extra.has(name) else 0.0 for name in names)
    return _Order(*known)


def _on_network(facts: Facts, record: int) -> tuple[str, str]:
    """Returns a sentence on the network file system that has a mapped file, and one with the
    remedy; both are empty if the file is on another kind of file system. record: id of the file."""
    kind = facts.mount_type(record)
    if kind not in _NETWORK:
        return "", ""
    return (
        f" The file is on a network file system ({kind}), where each of them is a request to a "
        "server.",
        " Or read the file by calls, which ask for more at once, or map a copy of it on a local "
        "disk: libraries that load weights of models mostly map them.",
    )


@needs("USAGE")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding, over all mapped files, if page faults wait for storage and nearly each of
    them reads a single page; otherwise nothing."""
    usage, extra = facts.table("USAGE"), facts.table("POSIX_EXT")
    waited = waits_for_pages(facts)
    if usage is None or extra is None or waited is None or not extra.has("MMAP_TOUCHED"):
        return
    touched = extra["MMAP_TOUCHED"]
    # Without mapped files, the pages are those of programs, or of memory that was swapped out.
    if touched.sum() < waited.read / 2:
        return
    stake = facts.stake(waited.seconds, "time in page faults that waited for storage")
    if not facts.worth(stake):
        return
    order = _order(extra)
    first, files = int(np.argmax(touched)), int((touched > 0).sum())
    others = f" and {plural(files - 1, 'more file')}" if files > 1 else ""
    network, instead = _on_network(facts, int(extra.ids[first]))
    yield Finding(
        NAME,
        order.title,
        f"{facts.name(int(extra.ids[first]))}{others}: {count(waited.faults)} page faults waited "
        f"for storage, each for {amount(waited.read / waited.faults)}, together for "
        f"{amount(waited.read)}.{network} That took up to {seconds(waited.seconds)}"
        f"{facts.over_all}; no recorded call contains this time.{order.sentence}",
        stake=stake,
        evidence=facts.sums(usage, "MAJOR_FAULTS", "STORAGE_READ", "F_BLOCKED_TIME")
        + facts.rows(extra, first, "MMAP_BYTES", "MMAP_TOUCHED"),
        remedy=Remedy(
            "Use the pages in the order of the file: sort the positions first, or read larger "
            "blocks. If the file fits into memory, have the kernel read all of it before the first "
            "use (MADV_WILLNEED, or MAP_POPULATE when the file is mapped): Linux reads at most the "
            "device's read-ahead, mostly 128 KiB, for one MADV_WILLNEED. Do not set "
            f"MADV_RANDOM if neighbouring pages are used as well.{instead}",
            "C: for (size_t at = 0; at < size; at += 1 << 17) "
            "madvise(map + at, 1 << 17, MADV_WILLNEED);\n"
            "Python: for at in range(0, size, 1 << 17): "
            "mapped.madvise(MADV_WILLNEED, at, 1 << 17)\n"
            "Python: for place in sorted(places): value = mapped[place]"
            + (_BY_CALLS if network else ""),
        ),
        limits=("faults.many", "faults.page", "faults.seconds"),
    )
