"""The record that files share for which there was no room, with which all sums are exact."""

from __future__ import annotations

import numpy as np

from ..library import LogError
from ..log import Log

NAME = "<overflow>"
ID = np.uint64(13716024479926339885)  # the record id of that name
_KEYS = {"POSIX": "posix_files_in_overflow", "STDIO": "stdio_streams_in_overflow"}


def shared_record(log: Log, module: str) -> bool:
    """Whether files of a module share it.  A log of several processes has it without the line of
    metadata that counts its files: those of two processes may be the same."""
    if module not in _KEYS or log.name(int(ID)) != NAME:
        return False
    try:
        return bool(np.any(log.records(module).ids == ID))
    except LogError:
        return False


def files_in_it(log: Log, module: str) -> int | None:
    """How many share it; None: the log does not say, as that of several processes, each of which
    knows its own."""
    if log.info.nprocs > 1:
        return None
    said = dict(log.info.metadata).get(_KEYS.get(module, ""), "")
    return int(said) if said.isdigit() and int(said) > 0 else None
