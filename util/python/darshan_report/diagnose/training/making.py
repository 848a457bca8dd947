"""Determines which part of making a training's batches took most time: opening, reading, computing,
and so on."""

from __future__ import annotations

from ...classes import dataclass
from ...measure.fetches import Fetches
from ...units import count, seconds, share

# Names of the parts of making batches.
OPENING = "opening"  # files, or looking names up
LISTING = "listing"  # folders
READING = "reading"  # files, or writing them
COLLATING = "collating"  # in collate_fn
TRANSFORMING = "transforming"  # in functions that are known to transform samples
COMPUTING = "computing"  # the rest of the data set's code: it decodes, or runs Python
READY = "ready"  # ready to run, but without a processor
WAITING = "waiting"  # waiting for a mapped page, a thread, a network
_TOLD = 0.05  # smallest share of the time that the text mentions
_ABOUT = 0.9  # share of another part's time from which on a part is about as large
_MAINLY = 0.5  # share of the time from which on a function is the main part


@dataclass(frozen=True)
class _Words:
    """The name of a part of making batches, and a change that makes the part cheaper."""

    name: str
    remedy: str


_WORDS = {
    OPENING: _Words(
        "Opening files",
        "Put many samples into one file (shards, HDF5, Parquet), and keep files open from sample "
        "to sample.",
    ),
    LISTING: _Words(
        "Listing folders",
        "List folders once, in __init__ of the data set, and keep the names in the order of their "
        "indices.",
    ),
    READING: _Words("Reading", ""),
    COLLATING: _Words(
        "collate_fn",
        "Make collate_fn cheaper: let the data set return arrays of equal shape, and stack or pad "
        "them with one call for the whole batch.",
    ),
    TRANSFORMING: _Words(
        "Transforming samples",
        "Do transforms that are the same in each epoch (resizing, normalizing) once, and store the "
        "result; crop or resize first, so that later transforms work on less; do others on whole "
        "batches, after they are loaded.",
    ),
    COMPUTING: _Words("The code of the data set, such as decoding,", ""),
    READY: _Words(
        "Waiting for a processor",
        "Other threads or programs used the processors: check how many processors this job has, "
        "and the number in torch.set_num_threads.",
    ),
    WAITING: _Words("Waiting for something else", ""),
}


def _largest(made: Fetches) -> tuple[float, str]:
    """Returns the part of making batches that took most time, and its seconds: collate_fn or
    transforms if one of them took half of the time, else the largest part. The code of the data set
    is what remains of computing without these functions; a part that is about as large and has a
    name of its own is preferred to it."""
    for spent, part in ((made.collating, COLLATING), (made.transforming, TRANSFORMING)):
        if spent >= _MAINLY * made.whole:
            return spent, part
    own = max(0.0, made.computing - made.collating - made.transforming)
    named = max(
        (made.opened, OPENING),
        (made.listing, LISTING),
        (max(0.0, made.files - min(made.opening, made.files)), READING),
        (made.collating, COLLATING),
        (made.transforming, TRANSFORMING),
    )
    worked = named if named[0] >= _ABOUT * own else (own, COMPUTING)
    return max(worked, (made.ready, READY), (made.other, WAITING), key=lambda part: part[0])


def part_of(made: Fetches) -> str:
    """Returns the part of making batches (a constant such as READING) that took most time."""
    return _largest(made)[1]


def remedy_of(made: Fetches | None) -> str:
    """Returns a change that makes the largest part of making batches cheaper; "" if there is
    none."""
    return _WORDS[part_of(made)].remedy if made is not None else ""


def sentence_of(made: Fetches, who: str) -> str:
    """Returns a sentence on how long it took to make the batches, and in which parts. who: "It",
    "The 2 workers"."""
    (largest, part), known = _largest(made), made.no_processor is not None
    parts = [
        f"{seconds(time)} {what}"
        for time, what in (
            (made.opened, "opening files"),
            (made.listing, "listing folders"),
            (max(0.0, made.files - made.opening), "reading" if not made.writing else "in files"),
            (made.computing, "computing"),
            (made.ready, "ready to run without a processor"),
            (made.other, f"waiting for {'' if known else 'a processor or '}something else"),
        )
        if time >= _TOLD * made.whole
    ]
    batches = f"{count(made.batches)} batch{'' if made.batches == 1 else 'es'}"
    text = f"{who} spent {seconds(made.whole)} making {batches}"
    text += f": {', '.join(parts)}." if parts else "."
    functions = [
        f"{name} {seconds(time)}"
        for time, name in ((made.collating, "collate_fn"), (made.transforming, "transforms"))
        if time >= _TOLD * made.whole
    ]
    if functions:
        text += f" Of it, {' and '.join(functions)}."
    if made.faults and part == WAITING:
        text += f" {count(made.faults)} pages of mapped files had to be read meanwhile."
    if part not in (WAITING, READY):
        how = "most" if largest >= _MAINLY * made.whole else "the largest part"
        text += f" {_WORDS[part].name} took {how} of it."
    if made.idle >= _TOLD * (made.whole + made.idle):
        part = share(made.idle, made.whole + made.idle)
        text += f" Between batches, workers were idle for {seconds(made.idle)} ({part})."
    return text
