"""Decides whether a training waits for its data, why, and how much time faster loading would
save."""

from __future__ import annotations

import math
from dataclasses import replace

from ...classes import dataclass
from ...measure.fetches import Fetches, with_listing
from ...measure.training import Loader, training
from ...units import plural, seconds, share
from ..facts import Facts, once
from .data_loader import is_from_memory
from .making import remedy_of, sentence_of

# Why a program waits for data.
NOTHING = "nothing"  # data is not the limit
START = "start"  # the first batch of each epoch
MAIN = "main"  # the process itself loads, between its steps
MEMORY = "memory"  # like MAIN, and the samples do not come from files
STORAGE = "storage"  # workers are in file I/O
CACHED = "cached"  # workers are in calls on files that work, and do not wait for storage
COMPUTING = "computing"  # workers compute: they decode, or run Python
PROCESSORS = "processors"  # workers are ready, but there are too few processors
ELSEWHERE = "elsewhere"  # workers wait for something else than files
UNPACKING = "unpacking"  # the main process unpacks the batches of the workers
SENDING = "sending"  # finished batches are on their way from the workers
UNEVEN = "uneven"  # some batches take much longer than others
UNKNOWN = "unknown"  # the log does not show what the workers did
_TOLD = 0.05  # smallest share of the wait that the text mentions
_COMPUTES = 0.25  # share of the wait; low, because on a busy machine it also waits for a processor
_MAINLY = 0.4  # smallest share of the epochs at which data is the bottleneck
_SLOWER = 1.5  # wait of the slowest rank, relative to the mean of the others, that is reported
_LITTLE = 0.1  # share of the wait below which a part is not its reason
_LITTLE_RUN = 0.01  # share of the run below which a wait needs no reason
_HALF = 0.5  # share of the wait from which on a part is its reason
_UNEVEN = 3.0  # time of the longest batch, relative to the mean, that is uneven
_LARGEST = 64  # largest number of workers that is computed
_EACH = 4  # workers that wait rather than compute, for each processor, that are proposed at most

_FEWER = (
    "If batches are lists of Python objects, let workers send few large arrays: a collate_fn that "
    "returns tensors or numpy arrays (for text: one array of codes and one of lengths), which are "
    "passed through shared memory. If they are tensors already, send fewer and larger batches. "
    "More workers do not help."
)

_SPAWNED = (
    " The workers are not forked (start method spawn or forkserver): each imports the modules that "
    "it needs, and gets the data set with all its data through a pipe."
)
_FORK = (
    "Let the data set hold little, because each worker gets a copy: names of files, or arrays that "
    "it maps when the first sample is asked for (numpy.load with mmap_mode='r'). Or fork the "
    "workers (multiprocessing_context='fork') if the program has no threads and does not use a "
    "GPU before."
)
_KEEP = (
    "Keep the workers between epochs (persistent_workers=True), so that they start and import once."
)


@dataclass(frozen=True)
class Verdict:
    """The result for one data loader: whether the training waits for its data, and why. why: a
    constant such as STORAGE."""

    loader: Loader
    why: str
    saved: float  # seconds that a loader which keeps up would save, summed over processes
    keeps_up: int  # number of workers with which the loader keeps up with the steps; 0: unknown
    is_little: bool = False  # whether the wait is a very small part of the run

    @property
    def line(self) -> str:
        """The place of the training loop as text, " of train.py:31"; "" if its line is unknown."""
        return f" of {self.loader.line}" if self.loader.line else ""

    @property
    def headline(self) -> str:
        """Two sentences: whether data is the bottleneck, and how long the training loop waited for
        it."""
        sums = self.loader.sums
        loop = f"The training loop{self.line} waited for data {seconds(sums.wait)} of "
        loop += f"{seconds(sums.whole)} ({share(sums.wait, sums.whole)})"
        if self.is_little:
            return f"Waiting for data costs this run little. {loop}.{self.of_ranks}"
        if self.why == NOTHING:
            own = f"its own work took {seconds(sums.own)}"
            return f"Data is not the bottleneck. {loop}; {own}.{self.of_ranks}"
        if sums.share < _MAINLY:
            return f"Data slows the training, beside its own work. {loop}.{self.of_ranks}"
        return f"Data is the bottleneck. {loop}.{self.of_ranks}"

    @property
    def sentence(self) -> str:
        """The headline and the reason for the wait, as sentences."""
        return self.headline if self.why == NOTHING else f"{self.headline} {self.reason}"

    @property
    def of_ranks(self) -> str:
        """A sentence that names the rank that waited longest; "" if all waited about as long, or if
        ranks are unknown."""
        slowest, ranks = self.loader.slowest, self.loader.ranks
        if slowest is None:
            return ""
        others = (sum(rank.wait for rank in ranks) - slowest.wait) / (len(ranks) - 1)
        more = slowest.wait - others
        if slowest.wait < _SLOWER * others or more < _TOLD * slowest.whole:
            return ""
        each = "the other rank" if len(ranks) == 2 else "each other rank, on average,"
        return (
            f" Rank {slowest.number} waited {seconds(slowest.wait)} for its data, {each} "
            f"{seconds(others)}. In a step that all ranks take together, the others wait for it."
        )

    @property
    def reason(self) -> str:
        """A sentence with the reason why the training waited; only if `why` is not NOTHING."""
        sums, did = self.loader.sums, self.loader.did
        if self.why == START:
            each = sums.begin / max(1, sums.epochs)
            return (
                f"{share(sums.begin, sums.wait)} of it is the way to the first batch of an epoch: "
                f"{seconds(each)} on average, to start workers and load the batch."
                f"{_SPAWNED if self.loader.is_spawned else ''}"
            )
        made = self.loader.made
        if self.why in (MAIN, MEMORY) and made is not None:
            text = "The process loads each batch itself, between its steps (num_workers=0). "
            text += sentence_of(made, "It")
            return f"{text} No call reads a file for them." if self.why == MEMORY else text
        if self.why in (MAIN, MEMORY):
            waiting = seconds(max(0.0, sums.next - sums.processor))
            text = (
                "The process loads each batch itself, between its steps (num_workers=0): "
                f"{seconds(sums.processor)} of it computing, {waiting} waiting for "
                f"{'' if self.why == MEMORY else 'storage, '}a processor or something else"
            )
            if self.loader.io is not None and self.loader.io >= _TOLD * sums.next:
                text += f"; all of its file I/O took {seconds(self.loader.io)}"
            if self.why == MEMORY:
                text += ". No call reads a file for these batches"
            return f"{text}."
        one = self.loader.workers == 1
        number = "The worker" if one else f"The {self.loader.workers or 0} workers"
        then = {
            STORAGE: "Storage is behind it.",
            CACHED: "These calls did not wait for storage: what they read was in memory, and they "
            "needed the processors.",
            COMPUTING: "The code that makes the samples takes this time: decoding, transforms, or "
            "the library that reads them.",
            PROCESSORS: "There were too few processors for the code that makes the samples.",
            ELSEWHERE: "They did not wait for the program, but for a network, a lock, or the end "
            "of a sleep.",
            UNPACKING: f"The process itself was busy for {seconds(sums.processor)} of its waits: "
            "it unpacks what workers send.",
            SENDING: "Most of the time in which the program waited, workers were idle: sending the "
            "finished batches to the program takes long.",
            UNEVEN: "The program gets batches in order, and waits for some that take much longer "
            f"than others: the longest took {seconds(self.longest)}.",
        }.get(self.why, "")
        if made is not None:
            return f"{sentence_of(made, number)} {then}".rstrip()
        if did is None:
            return f"The log does not show what {number.lower()} did. {then}".rstrip()
        return (
            f"{number} spent {share(did.io, did.lives)} of {'its' if one else 'their'} time in "
            f"file I/O, {share(did.processor, did.lives)} computing, and "
            f"{share(did.ready, did.lives)} ready to run without a processor; the other "
            f"{share(did.other, did.lives)} waiting, for the program to take batches or for "
            f"something else. {then}"
        ).rstrip()

    @property
    def longest(self) -> float:
        """The seconds in which the slowest batch was made; 0 without records of how batches were
        made."""
        return self.loader.made.longest if self.loader.made is not None else 0.0


def _why(loader: Loader, least: float) -> str:
    if loader.sums.share < least:
        return NOTHING
    is_start = loader.workers and loader.sums.later <= _LITTLE * loader.sums.wait
    if is_start or _saved_start(loader) > _saved_later(loader):
        return START
    return MAIN if loader.workers == 0 else _why_workers(loader)


def _why_workers(loader: Loader) -> str:
    """Returns the reason (a constant such as STORAGE) why a training waits for its workers."""
    if _unpacking(loader) >= _HALF * loader.sums.later > 0:
        return UNPACKING
    made = loader.made
    # If all batches, made one after the other, took less than the waits, making is not the reason.
    if _is_cheaper_alone(loader):
        return SENDING
    if _is_idle(loader):
        return UNEVEN if _is_uneven(loader) else SENDING
    known = _by_fetches(loader) or _by_lives(loader)
    if known is None:
        return UNKNOWN
    io, computing, ready, other = known
    worked = _worked_in_calls(made, io)
    # The time in which code waits for a processor counts as computing.
    why = max(
        (io - worked, STORAGE),
        (worked, CACHED),
        (computing + ready, COMPUTING),
        (other, ELSEWHERE),
    )[1]
    return PROCESSORS if why == COMPUTING and ready > computing else why


def _worked_in_calls(made: Fetches | None, io: float) -> float:
    """Returns the seconds of the `io` seconds in calls on files in which the workers worked, or
    waited for a processor; they slept in the rest. Returns 0 if that is unknown."""
    if made is None or made.no_processor is None:
        return 0.0
    asleep = max(0.0, made.whole - made.processor - made.no_processor - made.other)
    return max(0.0, min(io, made.files) - asleep)


def _by_fetches(loader: Loader) -> tuple[float, float, float, float] | None:
    """Returns the seconds in which workers made batches, in four parts: in file I/O, computing,
    ready to run without a processor, and waiting for something else. Returns None without records
    of how batches were made (loader.made). If a worker waits for file I/O of another thread, this
    is treated as file I/O."""
    made, did = loader.made, loader.did
    if made is None:
        return None
    threads = min(made.other, max(0.0, did.io - made.files)) if did is not None else 0.0
    return made.files + threads, made.computing, made.ready, made.other - threads


def _by_lives(loader: Loader) -> tuple[float, float, float, float] | None:
    """Returns the same times as _by_fetches(), computed from the lifetimes of the worker processes;
    None if these are unknown."""
    sums, did = loader.sums, loader.did
    if did is None or did.lives <= 0:
        return None
    # Workers may be idle while the program works, but not while it waits for them.
    idle = sums.own * (loader.workers or 0) / max(1, loader.processes)
    other = did.lives - did.io - did.processor - did.ready - idle
    return did.io, did.processor, did.ready, other


def _unpacking(loader: Loader) -> float:
    """Returns the processor time, in seconds, that a process spends in its calls for batches of
    workers, without the first batch of each epoch; 0 without workers."""
    sums = loader.sums
    later = 1 - sums.first / sums.next if sums.next > 0 else 0.0
    return sums.processor * later if loader.workers else 0.0


def _is_cheaper_alone(loader: Loader) -> bool:
    """Returns whether a program would make its batches itself in half of the time in which it waits
    for workers."""
    made = loader.made
    return made is not None and 0 < made.whole <= _HALF * loader.sums.later


def _is_uneven(loader: Loader) -> bool:
    """Returns whether one batch took much longer to make than the others, and explains the longest
    wait for a batch."""
    made = loader.made
    if made is None or made.longest < _HALF * loader.sums.longest:
        return False
    return made.longest * made.batches >= _UNEVEN * made.whole > 0


def _is_idle(loader: Loader) -> bool:
    """Returns whether workers were idle for most of the time in which the training waited."""
    made, sums, workers = loader.made, loader.sums, loader.workers or 0
    if made is None or not made.batches:
        return False
    between = sum(max(0.0, b.start - a.end) for a, b in zip(loader.epochs, loader.epochs[1:]))
    idle = made.idle - workers * (sums.own + between * max(1, loader.processes))
    return idle >= _HALF * workers * sums.later > 0


def _computing(loader: Loader) -> float:
    """Returns the fraction (0 to 1) of its waits in which a process without workers computes."""
    sums = loader.sums
    return min(1.0, sums.processor / sums.next) if sums.next > 0 else 1.0


def _saved_later(loader: Loader) -> float:
    """Returns the seconds of waits that enough workers would save, without the first batch of each
    epoch. Samples that the process now computes itself take the same processor time in workers.
    With workers, the process still needs processor time to unpack their batches."""
    sums = loader.sums
    if not loader.workers:
        computing = sums.later * _computing(loader)
        least = computing / loader.processors if loader.processors else 0.0
        return sums.later - max(0.0, least - sums.own)
    return max(0.0, sums.later - _unpacking(loader))


def _saved_start(loader: Loader) -> float:
    """Returns the seconds of waits for first batches that persistent workers would save, without
    the time in which a worker loads the batch; 0 if there are no workers, or if they are persistent
    already. These are the waits of all epochs but the first. Workers that are not forked need that
    time in the first epoch, too, and even if they stay."""
    sums = loader.sums
    if not loader.workers or not sums.steps or not sums.epochs:
        return 0.0
    load = loader.workers * (sums.whole - sums.begin) / sums.steps
    if loader.is_spawned:
        return max(0.0, sums.begin - sums.epochs * load)
    begin, epochs = _starting(loader)
    again = max(0, epochs - loader.processes) / max(1, epochs)
    return max(0.0, begin - epochs * load) * again


def _starting(loader: Loader) -> tuple[float, int]:
    """Returns the seconds of waits for first batches in epochs that start workers, and the number
    of these epochs."""
    sums, short = loader.sums, [o for o in loader.options if o.workers and not o.persistent]
    if len(short) == len(loader.options):
        return sums.begin, sums.epochs
    numbers = {number for one in short for number in loader.options[one]}
    spans = [span for span in loader.epochs if span.number in numbers]
    return sum(span.begin for span in spans), sum(span.epochs for span in spans)


def _keeps_up(loader: Loader) -> int:
    """Returns how many workers are needed to make one batch per step, at most _LARGEST; 0 if the
    number of workers or the time of the steps is unknown."""
    sums = loader.sums
    if sums.own <= 0 or sums.steps <= sums.epochs or loader.workers is None:
        return 0
    work = sums.later if loader.workers == 0 else loader.workers * (sums.whole - sums.begin)
    return min(_LARGEST, max(1, math.ceil(work / sums.own)))


def _verdict(loader: Loader, least: float) -> Verdict:
    why = _why(loader, least)
    later = _unpacking(loader) if why == UNPACKING else _saved_later(loader)
    saved = _saved_start(loader) + (0.0 if why == START else later)
    return Verdict(loader, why, saved, _keeps_up(loader))


def _with_listing(facts: Facts, loader: Loader) -> Loader:
    """Returns the loader with the part of the time of its batches in which folders were listed."""
    extra = facts.table("POSIX_EXT")
    if loader.made is None or extra is None or not extra.has("F_LIST_TIME"):
        return loader
    listings, spent = float(extra.sum("DIR_OPENS")), float(extra.sum("F_LIST_TIME"))
    return replace(loader, made=with_listing(loader.made, listings, spent))


def _if_little(verdict: Verdict, least: float) -> Verdict:
    """Returns a verdict without a reason if the program waited for less than so many seconds."""
    loader = verdict.loader
    if verdict.why == NOTHING or loader.sums.wait * loader.part_of_run >= least:
        return verdict
    return replace(verdict, why=NOTHING, saved=0.0, is_little=True)


@once
def verdicts(facts: Facts) -> tuple[Verdict, ...]:
    """Returns a verdict for each data loader that a log has records of, the loader with the longest
    epochs first."""
    least = facts.limits["training.wait"]
    loaders = [_with_listing(facts, one) for one in training(facts.log, facts.processes)]
    found = [_verdict(loader, least) for loader in loaders]
    least = max(facts.limits["stake.seconds"], _LITTLE_RUN * facts.run_time)
    found = [_if_little(verdict, least) for verdict in found]
    # This check comes last, because it builds tables of all files, which most logs do not need.
    memory = any(map(_computes, found)) and is_from_memory(facts)
    return tuple(replace(v, why=MEMORY) if memory and _computes(v) else v for v in found)


def _computes(verdict: Verdict) -> bool:
    """Returns whether a process without workers computes, rather than sleeps, while it loads. If
    its samples came from a network, it would sleep."""
    sums = verdict.loader.sums
    return verdict.why == MAIN and sums.processor >= _COMPUTES * sums.next


@dataclass(frozen=True)
class _Workers:
    """A number of workers that is proposed, and a sentence on why it is not larger, with a space
    before it; "" if it is large enough. is_more: whether the program has fewer workers."""

    number: int
    sentence: str
    is_more: bool

    @property
    def option(self) -> str:
        return f"num_workers={self.number}"


def _workers(verdict: Verdict) -> _Workers:
    """Returns the number of workers with which a loader keeps up, as far as processors allow. A
    worker that computes needs a processor. A worker that waits does not, but it takes memory and
    time to start, and PyTorch warns of more workers than processors."""
    loader, there = verdict.loader, verdict.loader.processors
    wanted = verdict.keeps_up or max(2, 2 * (loader.workers or 1))
    # More workers than processors help if workers wait, but not if they compute.
    computing = {MAIN: _computing(loader), COMPUTING: 1.0, CACHED: 1.0}.get(verdict.why, 0.0)
    number, most = wanted, _EACH * there
    if 0 < there < wanted * computing:
        number = there
    number = min(number, most) if most else number
    least = "At least " if wanted == _LARGEST else ""
    sentence = f" {least}{wanted} would keep up with the steps, but "
    is_more = number > (loader.workers or 0)
    can = f"{plural(there, 'processor')} can be used here"
    if not is_more:
        sentence = f" More workers need more processors: {can}." if number == there else ""
    elif number == wanted or not verdict.keeps_up:
        sentence = ""
    elif number == there:
        sentence += f"{can}, so part of the wait stays."
    else:
        sentence += (
            f"each worker takes memory and time to start, so try {_EACH} for each "
            f"processor first: {can}."
        )
    return _Workers(number, sentence, is_more)


_MORE = {
    COMPUTING: ", or in more workers while processors are free ({more})",
    STORAGE: "Let more workers wait for storage at the same time ({more}), or make",
    CACHED: ", or load in more workers while processors are free ({more})",
    ELSEWHERE: " If there is none, let more workers wait at the same time ({more}), and",
}
_SAME = {COMPUTING: "", STORAGE: "Make", CACHED: "", ELSEWHERE: " If there is none,"}


def _text(verdict: Verdict, workers: _Workers, ahead: str) -> str:
    """Returns the change that helps, as sentences. workers: the proposed ones. ahead: the option
    for batches that are loaded ahead."""
    loader, more = verdict.loader, workers.option
    way = (_MORE if workers.is_more else _SAME).get(verdict.why, "").format(more=more)
    return {
        START: " ".join((_KEEP,) * (not loader.persistent) + (_FORK,) * loader.is_spawned),
        MAIN: f"Load in worker processes while the step computes ({more}).",
        MEMORY: "If the samples are rows of arrays in memory, take whole batches by their indices: "
        "a DataLoader collects a batch sample by sample. If code makes each sample, let workers do "
        f"it while the step computes ({more}).",
        STORAGE: f"{way} the reads cheaper: fewer and larger files, a copy on a local disk.",
        CACHED: "Make fewer calls on files for each sample, and read only the bytes that it "
        f"needs{way}.",
        COMPUTING: "Decode and transform less for each sample (store samples decoded or smaller)"
        f"{way}.",
        PROCESSORS: "Make the samples with less work (store them decoded or smaller; let each "
        "worker read only its part of the files), or request more processors. More workers do not "
        "help.",
        ELSEWHERE: "Look for a lock or a server that all workers use: if they wait for each other, "
        f"more of them do not help.{way} load further ahead ({ahead}).",
        UNKNOWN: f"Use more workers ({more}).",
        UNPACKING: _FEWER,
        SENDING: _FEWER,
        UNEVEN: f"Make samples of similar size (split or sort large ones), load further ahead "
        f"({ahead}), or take batches as they become ready (in_order=False, since PyTorch 2.6).",
    }[verdict.why]


def remedy(verdict: Verdict) -> tuple[str, str]:
    """Returns the change that helps, as sentences, and the options of PyTorch's DataLoader as the
    user writes them; "" if the program has these options already. The verdict must not be
    NOTHING."""
    loader, workers = verdict.loader, _workers(verdict)
    ahead = f"prefetch_factor={max(4, 2 * (loader.prefetch or 2))}"
    text = _text(verdict, workers, ahead)
    if verdict.why in (MAIN, STORAGE, CACHED, COMPUTING) and (part := remedy_of(loader.made)):
        text = f"{part} {text}"
    if verdict.why in (MAIN, STORAGE, CACHED, COMPUTING, ELSEWHERE, UNKNOWN):
        text += workers.sentence
    if verdict.why == MAIN and verdict.keeps_up and not workers.sentence:
        it = "it keeps" if workers.number == 1 else "they keep"
        text += f" Loading as fast as here, {it} up with the steps, if a processor is free."
    same = verdict.why in (START, PROCESSORS, UNPACKING, SENDING, UNEVEN)
    same = same or (not workers.is_more and verdict.why != MEMORY)
    options = [f"num_workers={loader.workers}" if same else workers.option]
    more_ahead = verdict.why in (ELSEWHERE, UNEVEN)
    if more_ahead:
        options.append(ahead)
    if loader.sums.epochs > 1:
        options.append("persistent_workers=True")
    if verdict.why in (SENDING, UNPACKING) and _is_cheaper_alone(loader):
        made = loader.made.whole if loader.made is not None else 0.0
        text += (
            f" Or load in the process itself (num_workers=0): all batches together took "
            f"{seconds(made)} to make, and the waits for them {seconds(loader.sums.later)}."
        )
        return text, "DataLoader(..., num_workers=0)"
    has_them = same and loader.persistent and not more_ahead  # the program has these options
    example = "" if has_them else f"DataLoader(..., {', '.join(options)})"
    if verdict.why == MEMORY:
        example = f"for rows in torch.randperm(len(x)).split(512): batch = x[rows]\n{example}"
    return text, example
