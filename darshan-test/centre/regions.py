"""Computes the records of a run from templates, which makes a thousand logs per second possible.

The generator of darshan-test/logs encodes a program's records for zero rounds, for one round, and
for each amount of time. Each number in the records of a run is a linear combination of these."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from logs.encode import module_content
from logs.layouts import LAYOUTS
from logs.model import Module

from .programs import Files, Writer
from .record import Amount, record

# Words of a record before the counters: id and rank.
_HEAD = 2


@dataclass(frozen=True)
class Template:
    """The records of one module for all files of a program, as arrays with a row for each record
    and a column for each 64-bit word."""

    module: str
    version: int
    base: np.ndarray  # words of a run of zero rounds
    round: np.ndarray  # increment per round
    times: np.ndarray  # coefficients of spent, pace, seconds and by_rank
    files: np.ndarray  # index of the program's file for each record
    shared: np.ndarray
    moved: np.ndarray  # bytes per round
    fast: tuple[int, int]  # words with the bytes of the fastest and slowest rank

    def records(self, order: str, ids: np.ndarray, ranks: int, amount: Amount) -> bytes:
        """Returns the bytes of a run's records in a byte order ("<" or ">"). ids: the record ids of
        the program's files; ranks: of the run."""
        whole = self.base + self.round * amount.rounds
        whole[:, 0] = ids[self.files].view(np.int64)
        whole[:, 1] = np.where(self.shared & (ranks > 1), -1, self.files % ranks)
        for word in self.fast:
            whole[:, word] = self.shared * self.moved * amount.rounds // ranks
        made = np.empty((len(whole), whole.shape[1] + self.times.shape[2]), f"{order}i8")
        made[:, : whole.shape[1]] = whole
        parts = (amount.spent, amount.pace, amount.seconds, amount.by_rank)
        times = sum(part * unit for part, unit in zip(parts, self.times))
        made.view(f"{order}f8")[:, whole.shape[1] :] = times
        return made.tobytes()


def _words(writer: Writer, module: str, kinds: tuple[Files, ...], amount: Amount) -> np.ndarray:
    """Returns the integers and floating-point numbers of one record for each kind of files, as an
    array of 64-bit words."""
    version = writer.version(module)
    assert version is not None
    records = [record(kind, module, version, amount) for kind in kinds]
    raw = module_content("<", Module(module, version, list(records)))
    return np.frombuffer(raw, "<i8").reshape(len(kinds), -1)


@cache
def templates(files: tuple[Files, ...], writer: Writer) -> tuple[Template, ...]:
    """Returns the template of each module of this writer that records some of these files."""
    return tuple(
        _template(files, writer, module)
        for module, _ in writer.versions
        if any(module in kind.layers for kind in files)
    )


def _template(files: tuple[Files, ...], writer: Writer, module: str) -> Template:
    """Returns the template of one module."""
    kinds = tuple(kind for kind in files if module in kind.layers)
    layout = LAYOUTS[module][dict(writer.versions)[module]]
    split = _HEAD + len(layout.counters)
    none = _words(writer, module, kinds, Amount(0, 0, 0, 0, 0))
    one = _words(writer, module, kinds, Amount(1, 0, 0, 0, 0))
    units = np.eye(4)
    times = [_words(writer, module, kinds, Amount(0, *unit)) for unit in units]
    starts = np.cumsum([0, *(kind.number for kind in files)])
    places = [i for i, kind in enumerate(files) if module in kind.layers]
    repeat = [kind.number for kind in kinds]
    prefix = layout.counters[0].split("_")[0]
    fast = [layout.counters.index(f"{prefix}_{word}_RANK_BYTES") for word in ("FASTEST", "SLOWEST")]
    return Template(
        module,
        dict(writer.versions)[module],
        np.repeat(none[:, :split], repeat, 0),
        np.repeat((one - none)[:, :split], repeat, 0),
        np.repeat(np.stack([t[:, split:].view("<f8") for t in times]), repeat, 1),
        np.concatenate([np.arange(starts[i], starts[i + 1]) for i in places]),
        np.repeat([kind.shared for kind in kinds], repeat),
        np.repeat([kind.moved // kind.number for kind in kinds], repeat),
        (_HEAD + fast[0], _HEAD + fast[1]),
    )
