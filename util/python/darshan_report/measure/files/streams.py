"""Standard streams that are not files: pipes between the programs of a process tree, and the
terminal. Their time is mostly spent waiting for another program, not for a file. (A standard stream
that is a regular file has the name of that file, see runtime/modules/stdio.)"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from ... import library
from ...records import Records, among

NAMES = ("<STDIN>", "<STDOUT>", "<STDERR>")


@functools.cache
def standard_ids() -> npt.NDArray[np.uint64]:
    """Returns the record ids of the standard streams."""
    of_name = library.load().darshan_id_of_name
    return np.array([of_name(n, len(n)) for n in map(library.raw, NAMES)], "u8")


def are_standard(records: Records) -> npt.NDArray[np.bool_]:
    """Returns a mask of the records of standard streams."""
    return among(records.ids, standard_ids())


def of_files(records: Records) -> Records:
    """Returns the records without those of standard streams."""
    standard = are_standard(records)
    return Records(records.module, records.array[~standard]) if standard.any() else records
