"""What a worker does, in a process of its own, here or on another machine: it makes parts.

collect_part is a plain function of what can be pickled, so any engine that maps functions
over lists runs it: concurrent.futures here, Dask on a cluster.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pyarrow as pa

from .commit.commits import Snapshot
from .commit.seen import Seen
from .read.files import Found
from .write import arrow
from .write.part import Options, Part, make


class _Known:
    """What a lake has, as a worker knows it."""

    def __init__(self, lake: str) -> None:
        self._snapshot = Snapshot(lake)
        self._seen = Seen(lake)
        arrow.without_pandas()
        # One worker is one core: as many of them are started as are wanted.
        pa.set_cpu_count(1)

    def newest(self) -> Seen:
        """After the commits that there are now."""
        self._snapshot.refresh()
        self._seen.update(self._snapshot.seen)
        return self._seen


@functools.cache
def _known(lake: str) -> _Known:
    return _Known(lake)


def collect_part(logs: Sequence[Found], options: Options) -> Part:
    """Makes a part of these logs, of those that the lake does not have.

    It may be done again after a worker has died: what that one left is no part of the lake.
    """
    return make(logs, options, _known(options.lake).newest().has)
