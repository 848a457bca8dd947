"""Standard streams that are no files: what programs of a tree say to each other and the user.

Those that are regular files have the names of these (runtime/modules/stdio).  Time in others
is mostly waiting for another program, and nothing about a file.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from .. import library
from ..records import Records

NAMES = ("<STDIN>", "<STDOUT>", "<STDERR>")


@functools.cache
def standard_ids() -> npt.NDArray[np.uint64]:
    """The ids of their records."""
    of_name = library.load().darshan_id_of_name
    return np.array([of_name(n, len(n)) for n in map(library.raw, NAMES)], "u8")


def are_standard(records: Records) -> npt.NDArray[np.bool_]:
    """Which records are of standard streams."""
    return np.isin(records.ids, standard_ids())


def of_files(records: Records) -> Records:
    """The others."""
    standard = are_standard(records)
    return Records(records.module, records.array[~standard]) if standard.any() else records
