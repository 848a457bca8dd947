"""Finds avoidable work that a data set for training does for each sample: it opens an HDF5 file or
a small file, or computes the same sample again in each epoch."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...call_sites.lines import Site
from ...call_sites.measured import OPEN, READ
from ...classes import dataclass
from ...units import amount, count, seconds
from ..facts import Facts
from ..finding import Remedy
from ..programs import program_text
from ..rules.files import many_files
from ..rules.hdf5 import hdf5_opened_again
from ..table import Table
from .data_loader import line_of, sites_of_samples
from .loading import CACHED, COMPUTING, ELSEWHERE, MAIN, PROCESSORS, STORAGE, Verdict

_EACH = 0.5  # opens per sample from which on each sample is taken to have its own open
_MUCH = 0.1  # smallest share of the wait, or of the workers' time, that is reported
_AGAIN = 4  # opens of a file in each epoch from which on it is taken to have many samples
_NEAR = (0.75, 1.5)  # how often the bytes of a set are read, relative to the number of epochs
_KNOWN = (STORAGE, CACHED, COMPUTING, PROCESSORS, MAIN, ELSEWHERE)  # reasons of a wait
_HDF5 = ("H5F", "h5py")
_MADE = Remedy(
    "Do the work that is the same in each epoch (decoding, resizing, tokenizing) once, before "
    "the training, and store the results as arrays that are read without decoding. Leave only "
    "random transforms to the data set. Keep the samples in memory if they fit.",
    "numpy.save('samples.npy', numpy.stack([decode(p) for p in paths]))  # once\n"
    "self.samples = numpy.load('samples.npy', mmap_mode='r')  # in __init__\n"
    "return torch.from_numpy(self.samples[i].copy())  # in __getitem__",
)
_PARTS = Remedy(
    "Shuffle the files (chunks), and then the samples within a file, so that each is read once in "
    "an epoch; or make the files or chunks as large as what one access needs; or keep decompressed "
    "chunks in memory.",
    "for chunk in rng.permutation(len(x) // n): rows = x[chunk * n : (chunk + 1) * n]\n"
    "zarr.create_array(..., chunks=(1, width))  # a chunk for each sample",
    alone=True,
)


@dataclass(frozen=True)
class Work:
    """Avoidable work for each sample, as a sentence, and its remedy."""

    sentence: str
    remedy: Remedy
    line: str  # line of the user's data set; empty if unknown


def _line(sites: Iterable[Site]) -> str:
    return next((line for line in map(line_of, sites) if line), "")


def _opened(facts: Facts, verdict: Verdict, samples: int) -> Work | None:
    """Returns the work of opening an HDF5 file for each sample; None if this does not happen or
    costs little. samples: number of all samples."""
    found = next(iter(facts.found(hdf5_opened_again.find)), None)
    known = hdf5_opened_again.opened(facts)
    if found is None or known is None:
        return None
    h5, opens = known
    every = opens * h5.files.processes
    number = float(every.sum())
    if number < _EACH * samples or found.stake.seconds < _MUCH * _busy(verdict):
        return None
    sites = [s for s in sites_of_samples(facts) if s.sums.calls_of[OPEN] and _is_hdf5(s)]
    name = facts.name(int(h5.files.ids[int(np.argmax(every))]))
    return Work(
        f"The data set opened {name} {count(round(number))} times for {count(samples)} samples, "
        f"which took up to {seconds(found.stake.seconds)}{facts.over_all}.",
        found.remedy,
        _line(sites),
    )


def _is_hdf5(site: Site) -> bool:
    return site.stack.called.startswith(_HDF5[0]) or any(
        f"/{_HDF5[1]}/" in place.file or f"/{_HDF5[1]}/" in place.object for place in site.places
    )


def _busy(verdict: Verdict) -> float:
    """Returns an upper bound of the seconds that processes spent on making batches. If it is
    unknown, returns the seconds in which the training waited for batches."""
    sums, did = verdict.loader.sums, verdict.loader.did
    return did.io + did.processor + did.ready if did is not None else sums.next


def _files(facts: Facts, table: Table) -> np.ndarray:
    """Returns a mask of the files that may contain samples: files that were read, and written at
    most once. Program files are not counted."""
    found: np.ndarray = table["BYTES_READ"] > 0
    found &= table["BYTES_WRITTEN"] <= table["MAX_BYTE_READ"] + 1
    found &= ~program_text.which(facts, table)
    return found


def _small(facts: Facts, table: Table, samples: int) -> Work | None:
    """Returns the work of reading small files that contain one sample each; None if there are few.
    table: of POSIX. samples: number of all samples of the training."""
    size = table["MAX_BYTE_READ"] + 1
    mask = _files(facts, table) & (size <= facts.limits["files.small"])
    opens = int(facts.opens(table)[mask].sum())
    number = int(facts.files(table)[mask].sum())
    if number < facts.limits["files.some"] or opens < _EACH * samples:
        return None
    spent = float((table["F_READ_TIME"] + table["F_META_TIME"])[mask].sum())
    sites = [s for s in sites_of_samples(facts) if s.sums.calls_of[OPEN]]
    return Work(
        f"Each sample is a file of its own: {count(number)} files of at most "
        f"{amount(int(size[mask].max()))} were opened {count(opens)} times for {count(samples)} "
        f"samples. Opening and reading one took {seconds(spent / max(1, opens))}.",
        many_files.SAMPLES,
        _line(sites),
    )


def _whole_parts(facts: Facts, table: Table, verdict: Verdict, samples: int) -> Work | None:
    """Returns the work of reading a whole file, such as a chunk of zarr, for each sample, although
    the file has many samples; None if this does not happen. samples: number of all samples."""
    epochs = verdict.loader.sums.epochs / max(1, len(verdict.loader.ranks))
    size = table["MAX_BYTE_READ"] + 1
    mask = _files(facts, table) & facts.single(table) & (size > facts.limits["small.bytes"])
    opens = facts.opens(table)
    mask &= opens >= max(_AGAIN * epochs, facts.limits["opens.again"])
    mask &= table["BYTES_READ"] >= _NEAR[0] * opens * size
    opened, read = int(opens[mask].sum()), int(table["BYTES_READ"][mask].sum())
    all_of_them = amount(int(size[mask].sum()))
    if opened < _EACH * samples or epochs <= 0:
        return None
    number = int(mask.sum())
    first = int(np.argmax(np.where(mask, table["BYTES_READ"], -1)))
    name = facts.name(int(table.ids[first]))
    what = f"one of {count(number)} files like {name}" if number > 1 else name
    return Work(
        f"Most samples read a whole file, {what}, which has many samples: {count(opened)} opens "
        f"for about {count(samples)} samples, {amount(read)} of files with {all_of_them}. "
        f"A file was read {count(round(opened / number / epochs))} times in each epoch, and "
        "decompressed as often if it is compressed.",
        _PARTS,
        _line(s for s in sites_of_samples(facts) if s.sums.calls_of[OPEN]),
    )


def _made_again(facts: Facts, table: Table, verdict: Verdict) -> Work | None:
    """Returns the work of making the same samples again in each epoch; None unless most bytes are
    read once per epoch."""
    sums = verdict.loader.sums
    epochs = sums.epochs / max(1, len(verdict.loader.ranks))
    mask = _files(facts, table) & facts.single(table)
    read = table["BYTES_READ"] - facts.unplaced(table, "READ")
    mask &= read >= _NEAR[0] * epochs * (table["MAX_BYTE_READ"] + 1)
    mask &= read <= _NEAR[1] * epochs * (table["MAX_BYTE_READ"] + 1)
    moved, size = int(read[mask].sum()), int((table["MAX_BYTE_READ"] + 1)[mask].sum())
    every = int((table["BYTES_READ"] * _files(facts, table)).sum())
    if epochs < 2 or not mask.any() or moved < every / 2:
        return None
    sites = [s for s in sites_of_samples(facts) if s.sums.calls_of[READ]]
    return Work(
        f"Each epoch reads the same {count(int(mask.sum()))} files again, {amount(size)}, and "
        f"makes its samples of them anew: {count(round(epochs))} times.",
        _MADE,
        _line(sites),
    )


def per_sample(facts: Facts, verdict: Verdict) -> Work | None:
    """Returns avoidable work for each sample that explains why the training waits; None if there is
    none, or if the number of samples is unknown. verdict: of the training's data loader."""
    sums, table = verdict.loader.sums, facts.table("POSIX")
    samples = verdict.loader.samples or sums.steps
    if table is None or not samples or verdict.why not in _KNOWN:
        return None
    work = _whole_parts(facts, table, verdict, samples)
    if work is not None or verdict.why == ELSEWHERE:
        return work
    if (work := _opened(facts, verdict, samples)) is not None:
        return work
    did, io = verdict.loader.did, verdict.loader.io
    whole = _busy(verdict)
    in_io = did.io if did is not None else min(io or 0.0, sums.next)
    if in_io >= whole / 2 and (work := _small(facts, table, samples)) is not None:
        return work
    computes = did.processor + did.ready if did is not None else sums.processor
    is_made = computes >= _MUCH * whole and computes > in_io
    return _made_again(facts, table, verdict) if is_made else None
