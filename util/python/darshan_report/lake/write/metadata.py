"""The rows of the table log_metadata: metadata of a log about its libraries, its hosts and the log
itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .hide import Hide
from .jobs import Job

# Keys whose values identify neither a user nor a file. All other values are anonymized, because a
# site or a later release may add any key.
_HARMLESS = frozenset(
    ("lib_ver", "mpi", "hdf5", "pnetcdf", "language", "clock", "nodes", "processors",
     "rank", "world_size", "launcher", "exit_status", "journal", "end", "missing_ranks")
)  # fmt: skip
HOSTS = ("hosts", "host")


def hidden_hosts(text: str, hide: Hide) -> str:
    """Returns a list of hosts, separated by commas, in which each is anonymized, so that it equals
    the same host in other tables."""
    names = text.split(",")
    return ",".join(name if name in ("", "...") else hide.text(name) for name in names)


def _value(key: str, value: str, hide: Hide) -> str:
    if not hide or key in _HARMLESS:
        return value
    return hidden_hosts(value, hide) if key in HOSTS else hide.text(value)


def metadata_rows(job: Job, hide: Hide) -> Iterator[dict[str, Any]]:
    """Yields a row for each key of a log's metadata, in their order. hide: anonymizes values that
    may identify a user or file."""
    for key, value in job.info["metadata"].items():
        yield {**job.whose, "key": key, "value": _value(key, value, hide)}
