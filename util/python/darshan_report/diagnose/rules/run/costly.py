"""A large part of the run's time, in work of one kind, that no other diagnosis explains. It is a
notice if there is advice for this work, otherwise a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ....call_sites.measured import WRITE
from ....measure.processes.programs import is_named
from ....units import amount, count, plural, seconds, share
from ...accesses import strided
from ...accesses.commits import grouped, written
from ...accesses.text_calls import READ_TEXT, WRITE_TEXT, text_calls
from ...facts import Facts, leading
from ...finding import FACT, LAST, NOTICE, PROBLEM, Finding, Remedy
from ...overlap import claims
from ...programs import program_text
from ...programs.responsible_programs import programs_of
from ...remedies import advice
from ...remedies.advice import Seen, remedy
from ...remedies.language import languages
from ...table import Table
from ...times import ledger as rows
from ...times.cpu_wait import computing_part, latency
from ...times.mappings_row import mappings
from ...times.naming import naming_times
from ...times.row_words import WHOLE, Tell, Told, largest, of_run
from ..files import lookups

NAME = "costly"
ROLE = LAST
_LARGE = 64 * 1024  # bytes; the time of larger transfers is mostly that of their bytes
_CALLS_OF_A_FILE = 3  # one open and two queries of attributes
_CONTIGUOUS = 1  # a value of LAYOUT
_HALF = 0.5  # share of a row that other findings must explain so that this one is left out
_MUCH = 0.2  # share of the run that is called much
_AHEAD = 10  # transfers that a thread can make while the program computes
_TEXT = re.compile(r"\.(?:csv|tsv|txt|xyz|asc)$", re.IGNORECASE)
_TEXT_BYTES = 64  # mean bytes of a call of the C library that prints numbers
_CONVERTED = 1 << 20  # bytes that HDF5 converts at once; the size of its buffer
# Programs whose language decides how many bytes a call moves.
_BY_LINES = frozenset(("sed", "awk", "shell"))
_KINDS = {rows.READS: "READ", rows.WRITES: "WRITE"}
# Modules in the evidence of problems about a library's own time.
_ABOVE = {
    rows.HDF5: frozenset(("LAYERS", "H5D", "H5F")),
    rows.MPIIO: frozenset(("LAYERS", "MPI-IO", "H5D", "H5F")),
    rows.COMMUNICATION: frozenset(("LAYERS", "MPI-IO", "H5D", "H5F")),
}
_CACHED = {
    "READ": "The page cache answered these calls: a change of their size gains little.",
    "WRITE": "The page cache took these calls; blocks of a megabyte may still save a part of their "
    "time.",
}


def _is_much(facts: Facts, spent: float) -> bool:
    """Returns whether so many seconds of one kind of I/O must be reported. spent: seconds of all
    processes."""
    part = spent / facts.process_time if facts.process_time > 0 else 0.0
    each = spent / facts.at_once
    if each < facts.limits["stake.seconds"]:
        return False
    if part >= facts.limits["io.fine"]:
        return True
    return each >= facts.limits["row.seconds"] and part >= facts.limits["row.share"]


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a notice or a fact for each kind of I/O (such as reads, or opens) that takes much time
    and is not explained by problems in `others`, the costliest first; nothing if there is none.
    others: findings of the other rules, which must therefore run first."""
    spent = rows.io_rows(facts)
    problems = [f for f in others if f.kind == PROBLEM]
    for key, tell in sorted(_TOLD.items(), key=lambda row: -spent[row[0]]):
        claimed = _claimed(problems, key)
        if not _is_much(facts, spent[key]) or claimed >= _HALF * spent[key]:
            continue
        told = tell(facts, key, spent[key])
        if told is not None and not (told.lost > 0 and claimed >= _HALF * told.lost):
            yield _finding(facts, key, told, spent[key])


def _claimed(problems: Sequence[Finding], key: str) -> float:
    """Returns the seconds of one kind of I/O that problems explain. key: name of the kind, as in
    the table of the run's time."""
    kind, above = _KINDS.get(key, "else"), _ABOVE.get(key, frozenset())
    claimed = 0.0
    for finding in problems:
        modules = {row.module for row in finding.evidence}
        if modules & above if above else kind in claims(finding):
            # A finding about programs has the work of whole processes, in calls and between them.
            between = 0.0 if finding.doers else finding.stake.between
            claimed += finding.stake.seconds - between
    return claimed


def _finding(facts: Facts, key: str, told: Told, spent: float) -> Finding:
    """Returns the finding about one kind of I/O. It is a notice if its texts have advice, and a
    fact otherwise; never a problem, because calls alone do not show whether the program needs them.
    A notice has a potential saving if this is large enough. key: name of the kind, which ends the
    finding's name; told: the texts; spent: the seconds of this kind."""
    has_remedy = bool(told.remedy.text)
    is_much = facts.stake(spent, "").share >= _MUCH
    title = told.title if is_much else told.title.replace("takes much of", "takes a part of")
    stake = facts.stake(told.lost if has_remedy else 0.0, told.basis)
    return Finding(
        f"{NAME}-{key}",
        title,
        told.sentence if has_remedy else f"{told.sentence} {told.left}",
        NOTICE if has_remedy else FACT,
        stake=stake if facts.worth(stake) else facts.stake(0.0, ""),
        evidence=told.evidence,
        remedy=told.remedy,
        limits=("io.fine", "stake.seconds", "row.seconds", "row.share"),
        covers=told.covers,
        is_hint=told.is_hint,
    )


def _layer(facts: Facts, kind: str) -> tuple[Table, np.ndarray, np.ndarray] | None:
    """Returns the table of POSIX or STDIO, whichever took more time in these transfers, with the
    seconds and the number of the calls per file, 0 for program files. Returns None if the log has
    neither. kind: READ or WRITE."""
    found = []
    for layer, table in facts.layers:
        if not layer.base:
            continue
        time, calls = facts.moving(table, kind), table[f"{kind}S"].astype("f8")
        own = ~program_text.which(facts, table)
        if layer.module == "STDIO" and facts.streams is not None:
            time = facts.streams.time(kind)
            calls = facts.streams.calls(kind)
            own = own & facts.streams.files
        found.append((table, np.where(own, time, 0.0), np.where(own, calls, 0.0)))
    return max(found, key=lambda f: float(f[1].sum()), default=None)


def _transfers(facts: Facts, key: str, spent: float) -> Told | None:
    """Returns the texts of the notice about the time in reads or writes; None if there is nothing
    to report. key: which of these two; spent: seconds in these calls, of all processes."""
    kind = _KINDS[key]
    best = _layer(facts, kind)
    if best is None:
        return None
    table, time, calls = best
    moved = table["BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"].astype("f8")
    if table.prefix == "STDIO" and facts.streams is not None:
        moved = facts.streams.moved(kind)
    used = time > 0
    if not used.any():
        return None
    first = leading(used, time, 1)[0]
    number, whole = float(calls[used].sum()), float(moved[used].sum())
    mean = whole / max(number, 1.0)
    each = spent / max(number, 1.0)
    verb, word = ("Reading", "read") if kind == "READ" else ("Writing", "write")
    sentence = (
        f"{of_run(facts, spent)} went into {plural(int(number), word)} of {amount(mean)} on "
        "average, "
        f"{amount(whole)} in total at {amount(whole / max(spent, 1e-9))}/s. "
        f"{largest(facts, table, time, first)}"
    )
    cached = mean < _LARGE and 2 * mean >= facts.limits["stream.buffer"] and each < latency(facts)
    large = mean >= _LARGE or cached
    seen = Seen(
        calls=number,
        moved=whole,
        large=large,
        again=whole / max(float(_sizes(table, kind)[used].sum()), 1.0),
        text=_is_text(facts, table, moved, first),
    )
    few = number < advice.FEW
    where = ", in large calls" if mean >= _LARGE else ", in few calls" if few else ""
    return Told(
        f"{verb} takes much of the run{where if large or few else ', in small pieces'}",
        sentence,
        0.0 if large else float(facts.lost(spent, whole, facts.all_movers)),
        f"time of these {word}s beyond what their bytes would take in large ones",
        strided.remedy(facts, table, kind, first)
        if not large and strided.stride(facts, table, kind, first) > 0
        else remedy(advice.READS if kind == "READ" else advice.WRITES, seen),
        _CACHED[kind] if cached else _left(facts, kind, seen, each, spent),
        facts.rows(table, first, f"{kind}S", f"F_{kind}_TIME"),
        frozenset(int(i) for i in table.ids[used]),
    )


def _sizes(table: Table, kind: str) -> np.ndarray:
    """Returns, for each file, the highest offset that was read or written, plus 1. kind: READ or
    WRITE."""
    name = "MAX_BYTE_READ" if kind == "READ" else "MAX_BYTE_WRITTEN"
    sizes: np.ndarray = table[name].astype("f8") + 1
    return sizes


def _is_text(facts: Facts, table: Table, moved: np.ndarray, first: int) -> bool:
    """Returns whether a file is text, by its name, or because its calls are as small as printed
    numbers. moved: bytes of each file; first: row of the file in the table."""
    if _TEXT.search(facts.name(int(table.ids[first]))):
        return True
    streams = facts.streams
    if streams is None or table is not streams.table:
        return False
    calls = float(table["WRITES"][first])
    return calls >= advice.FEW and float(moved[first]) < _TEXT_BYTES * calls


def _left(facts: Facts, kind: str, seen: Seen, each: float, spent: float) -> str:
    """Returns sentences on what else may shorten the transfers when no advice applies. kind: READ
    or WRITE; seen: facts about the calls; each: mean seconds of a transfer; spent: seconds of all
    transfers."""
    if not seen.large:
        return (
            f"These are few calls that took {seconds(each)} each: the file system or its storage "
            "is slow to answer, and a change of the calls gains little."
        )
    idle = rows.ledger(facts)[rows.COMPUTING] >= spent and seen.calls >= _AHEAD
    verb = "reading ahead" if kind == "READ" else "writing"
    words = [f"{verb} in a thread while the program computes"] if idle else []
    return (
        "The calls are large already. What is left to try: "
        f"{', '.join(['fewer bytes', *words])} or a faster file system."
    )


def _opens(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the texts of the notice about the time in calls on names and descriptors, such as
    open and stat; None if there is nothing to report. spent: seconds in these calls, of all
    processes."""
    tables = [table for layer, table in facts.layers if layer.base]
    if not tables:
        return None

    def own(table: Table) -> np.ndarray:
        return np.where(program_text.which(facts, table), 0.0, naming_times(facts, table))

    table = max(tables, key=lambda t: float(own(t).sum()))
    time = own(table)
    used = time > 0
    if not used.any():
        return None
    first = leading(used, time, 1)[0]
    seen = _named(facts, [(t, own(t) > 0) for t in tables])
    sentence = (
        f"{of_run(facts, spent)} went into calls that move no bytes: {_numbers(seen)}. "
        f"{largest(facts, table, time, first)}"
    )
    calls = seen.opens + seen.stats + seen.seeks + facts.renames()
    few = seen.opens + seen.stats + seen.seeks + seen.names < advice.FEW
    return Told(
        "Opening, closing, seeking and querying files takes much of the run"
        + (", in few calls" if few else ""),
        sentence,
        spent if calls > max(_CALLS_OF_A_FILE * seen.files, advice.FEW) else 0.0,
        "time in these calls",
        remedy(advice.OPENS, seen),
        "These are few calls for their files: what each takes depends on the file system. Opening "
        "a file to overwrite it frees the blocks of the old one, and closing a file may wait for "
        "its bytes.",
        facts.rows(table, first, "OPENS", "F_META_TIME"),
        frozenset(int(i) for i in table.ids[used]),
    )


def _named(facts: Facts, tables: Sequence[tuple[Table, np.ndarray]]) -> Seen:
    """Returns the numbers of opens, stats, seeks and other calls on names and descriptors, with the
    files and bytes. tables: the tables of these calls, each with a mask of the files to count."""

    def summed(table: Table, mask: np.ndarray, *names: str) -> float:
        return sum(float(table[name][mask].sum()) for name in names if table.has(name))

    extra = facts.table("POSIX_EXT")
    names = ("UNLINKS", "MKDIRS", "RMDIRS", "LINKS", "SETATTRS")
    return Seen(
        moved=sum(summed(t, m, "BYTES_READ", "BYTES_WRITTEN") for t, m in tables),
        files=sum(float(facts.files(t)[m].sum()) for t, m in tables),
        opens=sum(float(facts.opens(t)[m].sum()) for t, m in tables),
        stats=sum(summed(t, m, "STATS") for t, m in tables),
        seeks=sum(summed(t, m, "SEEKS") for t, m in tables),
        renames=facts.renames(),
        names=facts.renames() + (sum(map(extra.sum, names)) if extra is not None else 0.0),
    )


def _numbers(seen: Seen) -> str:
    """Returns the numbers of calls on names and descriptors as text: "1 open with its close, 2
    seeks"."""
    opens = int(seen.opens)
    told = [f"{plural(opens, 'open')} with {'its close' if opens == 1 else 'their closes'}"]
    told += [f"{plural(int(seen.stats), 'question')} about file attributes"] if seen.stats else []
    told += [plural(int(seen.seeks), "seek")] if seen.seeks else []
    told += [f"{plural(int(seen.names), 'rename or removal')}"] if seen.names else []
    return ", ".join(told if seen.opens else told[1:]) or "calls of other kinds"


def _lookups(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the texts of the notice about the time in failed lookups; None if there is nothing to
    report. spent: seconds in these calls, of all processes."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return None
    misses = extra.sum("MISSES")
    sentence = (
        f"{of_run(facts, spent)} went into {plural(int(misses), 'lookup')} of names that do "
        f"not exist. {lookups.where(facts)}"
    )
    return Told(
        "Looking up names that do not exist takes much of the run",
        sentence.rstrip(),
        spent,
        "time in failed lookups",
        remedy(advice.LOOKUPS, Seen(calls=misses)),
        f"They are too few for a pattern: each took {seconds(spent / max(misses, 1.0))}.",
        facts.sums(extra, "MISSES", "F_MISS_TIME"),
    )


def _listings(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the texts of the notice about the time in listings of folders; None if there is
    nothing to report. Only repeated listings of the same folders may lose time. spent: seconds in
    these calls, of all processes."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return None
    again, listed = extra.sum("DIR_REOPENS"), extra.sum("DIR_OPENS")
    entries = extra.sum("DIR_ENTRIES")
    return Told(
        "Listing folders takes much of the run",
        f"{of_run(facts, spent)} went into reading {count(entries)} entries of "
        f"folders. {count(again)} of {plural(int(listed), 'listing')} were of a folder that the "
        "process had listed before.",
        spent if again >= _HALF * listed else 0.0,
        "time in listing folders",
        remedy(advice.LISTINGS, Seen(calls=listed, repeated=again, entries=entries)),
        "Each folder was listed once: the time is that of the file system.",
        facts.sums(extra, "DIR_OPENS", "DIR_REOPENS", "DIR_ENTRIES", "F_LIST_TIME"),
    )


def _syncs(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the texts of the notice about the time in fsync and similar calls, which wait for
    storage; None if there is nothing to report. spent: seconds in these calls, of all processes."""
    extra = facts.table("POSIX_EXT")
    posix = facts.table("POSIX")
    if extra is None:
        return None
    number = posix.sum("FSYNCS") + posix.sum("FDSYNCS") if posix is not None else 0.0
    number += extra.sum("SYNCS") + extra.sum("MSYNCS") + extra.sum("RANGE_SYNCS")
    time = extra["F_FSYNC_TIME"] + extra["F_SYNC_TIME"]
    first = leading(time > 0, time, 1)
    where = f" {largest(facts, extra, time, first[0])}" if first else ""
    one = number == 1
    sentence = (
        f"{of_run(facts, spent)} went into {plural(int(number), 'call')} that "
        f"{'waits' if one else 'wait'} until the data is on storage (fsync and the like).{where}"
    )
    msyncs = extra.sum("MSYNCS")
    mapped = 2 * msyncs > number
    moved, writes, in_groups = (_msynced(extra), 0.0, 0.0) if mapped else _synced(facts)
    each_of = msyncs if mapped else number
    groups = in_groups >= _HALF * spent and number >= advice.FEW
    # So many bytes may be many records, which the log does not show.
    large = number < facts.limits["sync.calls"] and moved >= facts.limits["sync.large"] * each_of
    needed = groups or large
    found = Remedy("") if needed else remedy(advice.SYNCS, Seen(calls=number, moved=moved))
    most = "up to " if mapped else ""
    each = f" for {most}{amount(moved / each_of)}" if moved and each_of else ""
    each += f" ({count(writes / number)} writes)" if each and writes >= 2 * number else ""
    how = ", for groups of writes" if groups else "" if found.text else ", in few calls"
    return Told(
        f"Waiting for storage takes much of the run{how}",
        sentence,
        spent,
        "time in these calls; durable data need some of it",
        found,
        (f"It waits once{each}" if one else f"They wait once{each} that is written")
        + ": data that must survive a crash need that. "
        + ("Larger groups wait less often. " if needed and number > 1 else "")
        + "Faster storage or fewer bytes shorten it; "
        "a program whose output can be made again may leave the call out.",
        facts.sums(extra, "F_FSYNC_TIME", "F_SYNC_TIME"),
    )


def _msynced(extra: Table) -> float:
    """Returns an upper bound of the bytes that msync wrote. Each call writes the changed pages of
    its range, which are at most the pages that the program touched in writable mappings. extra: the
    table POSIX_EXT."""
    calls, ranges, pages = extra["MSYNCS"], extra["MSYNC_BYTES"], np.zeros(len(extra.ids))
    for name in ("MMAP_WRITABLE", "MMAP_DIRTY"):
        if extra.has(name):
            pages = np.where(extra[name] > 0, extra[name], pages)
    return float(np.where(pages > 0, np.minimum(ranges, calls * pages), ranges)[calls > 0].sum())


def _synced(facts: Facts) -> tuple[float, float, float]:
    """Returns the bytes and the number of the writes to files with calls of fsync or fdatasync (to
    all files if there are no such calls), and the seconds of the syncs of files that are written in
    groups. All are 0 without the tables POSIX and POSIX_EXT."""
    posix, extra = facts.table("POSIX"), facts.table("POSIX_EXT")
    if posix is None or extra is None:
        return 0.0, 0.0, 0.0
    synced = posix["FSYNCS"] + posix["FDSYNCS"] > 0
    synced = synced if synced.any() else ~synced
    groups = np.isin(extra.ids, posix.ids[grouped(facts, posix)])
    moved, writes = written(facts, posix)
    return (
        float(moved[synced].sum()),
        float(writes[synced].sum()),
        float(extra["F_FSYNC_TIME"][groups].sum()),
    )


def _buffers(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the texts of the notice about the time in stream calls that a buffer of the C library
    served; None if there is nothing to report. spent: seconds in these calls, of all processes."""
    streams = facts.streams
    if streams is None:
        return None
    table = streams.table
    calls = table["READS"] + table["WRITES"]
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    time = np.where(streams.files, table["F_READ_TIME"] + table["F_WRITE_TIME"], 0.0)
    if not (time > 0).any():
        return None
    first = leading(time > 0, time, 1)[0]
    number, whole = float(calls[streams.files].sum()), float(moved[streams.files].sum())
    sentence = (
        f"{of_run(facts, spent)} went into {count(number)} calls of the C library, which its "
        f"buffers served: {amount(whole / max(number, 1.0))} each on average. "
        f"{largest(facts, table, time, first)}"
    )
    evidence = facts.rows(table, first, "READS", "WRITES", "F_READ_TIME", "F_WRITE_TIME")
    covers = frozenset(int(i) for i in table.ids[time > 0])
    text = text_calls(facts)
    if text is not None and text.seconds >= _HALF * spent:
        lost = min(spent, float(facts.lost(text.seconds, text.bytes)))
        sentence = (
            f"{of_run(facts, spent)} went into {text.words}. {largest(facts, table, time, first)}"
        )
        basis = "time of these calls, part of which is that of recording them"
        change = WRITE_TEXT if text.kind == WRITE else READ_TEXT
        return Told(text.title, sentence, lost, basis, change, "", evidence, covers)
    programs = programs_of(facts, "STDIO", int(table.ids[first]))
    spoken = languages(facts, programs)
    seen = Seen(
        calls=number,
        moved=whole,
        items=not spoken <= _BY_LINES,
        runs=_runs(facts, programs),
    )
    # Much of this time is spent in Darshan's wrapper, so a run without Darshan does not have it.
    return Told(
        "Many small calls of the C library", sentence, 0.0, "",
        remedy(advice.BUFFERS, seen),
        "The calls move blocks, or a program that reads line by line makes them: their number "
        "cannot be changed from outside. Part of this time is that of recording them.",
        evidence, covers,
    )  # fmt: skip


def _runs(facts: Facts, programs: str) -> int:
    """Returns how many processes of a tree ran the programs; 1 if the log has no tree or the
    programs are unknown. programs: a text that lists them (Processes.told), `""` if unknown."""
    if facts.tree is None:
        return 1
    ran = [is_named(program.name, programs) for program in facts.tree.programs]
    return max(1, int(facts.tree.counts[ran].sum()))


def _hdf5(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the texts of the notice about the time in HDF5 itself; None if there is nothing to
    report. spent: seconds in HDF5 itself, of all processes."""
    uppers = [*facts.datasets, *facts.hdf5_files]
    if facts.attribution is None or not uppers:
        return None
    most = max(uppers, key=lambda upper: upper.own_time())
    in_memory = 1.0 if facts.together else computing_part(facts)
    part = share(most.own_time() * in_memory, spent)
    sentence = (
        f"{of_run(facts, spent)} went into HDF5 itself: chunks, filters, conversion and metadata, "
        f"not calls on files. {facts.name(most.id)} took "
        f"{'nearly all' if part == WHOLE else part} of it, in {plural(most.calls(), 'call')}."
    )
    everything = facts.attribution.everything
    calls = everything.counters["READ_CALLS"] + everything.counters["WRITE_CALLS"]
    seen = Seen(
        calls=calls,
        moved=everything.asked,
        large=everything.asked >= _LARGE * calls,
        files=len(facts.datasets),
        opens=sum(upper.counters["OPEN_CALLS"] for upper in facts.datasets),
        converts=_converts(facts, spent),
    )
    return Told(
        "HDF5 itself takes much of the run", sentence, 0.0 if seen.large else spent,
        "time in HDF5 itself; its filters and conversions need some of it",
        remedy(advice.HDF5, seen),
        _inside(facts, spent),
        facts.upper_rows(most, "READ_CALLS", "WRITE_CALLS", "F_READ_TIME", "F_WRITE_TIME"),
        frozenset((most.id,)),
    )  # fmt: skip


def _converts(facts: Facts, spent: float) -> bool:
    """Returns whether HDF5 converts the values of the datasets that took most of its time. HDF5
    moves values at once if no conversion is needed; otherwise it moves them through a buffer, piece
    by piece. spent: seconds of all processes in HDF5 itself."""
    time = 0.0
    for upper in facts.datasets:
        calls = upper.counters["READ_CALLS"] + upper.counters["WRITE_CALLS"]
        pieces = upper.below("READS") + upper.below("WRITES")
        if (
            upper.counters["FILTERS"] <= 0
            and upper.counters["LAYOUT"] == _CONTIGUOUS
            and upper.asked > 2 * _CONVERTED * calls
            and pieces > 2 * calls
            and upper.moved() <= _CONVERTED * pieces
            and upper.moved() < facts.limits["variable.factor"] * upper.asked
        ):
            time += upper.own_time()
    return time > _HALF * spent


def _inside(facts: Facts, spent: float) -> str:
    """Returns sentences on what HDF5 itself does with its time when selections are large already,
    and on what may still shorten it. spent: seconds in HDF5 itself, of all processes."""
    packed = sum(u.own_time() for u in facts.datasets if u.counters["FILTERS"] > 0)
    if packed > _HALF * spent:
        return (
            "It packs or unpacks the chunks of compressed datasets, and the selections are large "
            "already. What is left to try: a faster filter (LZ4, Zstandard, LZF) or a lower level "
            "of deflate, or several processes that each work on chunks of their own."
        )
    if sum(u.own_time() for u in facts.datasets) < _HALF * spent:
        return (
            "Most of it was spent when files were opened, flushed and closed. What is left to try: "
            "open each file once and keep it open, store fewer objects in it, and a newer file "
            "format (libver='latest' in h5py)."
        )
    return (
        "The selections are large already. What is left to try: in memory the same datatype as "
        "in the file, a newer file format, or several processes that share the work."
    )


def _mpi(facts: Facts, key: str, spent: float) -> Told | None:
    """Returns the texts of the notice about the time in MPI-IO itself, or in MPI communication
    inside I/O calls; None if the log does not separate the layers. key: which of these two; spent:
    their seconds, of all processes."""
    layers, files = facts.table("LAYERS"), facts.table("MPI-IO")
    if layers is None:
        return None
    calls, moved = 0.0, 0.0
    if files is not None:
        kinds = ("INDEP", "COLL", "SPLIT", "NB")
        calls = sum(files.sum(f"{kind}_{word}") for kind in kinds for word in ("READS", "WRITES"))
        moved = files.sum("BYTES_READ") + files.sum("BYTES_WRITTEN")
    lost = spent if moved < _LARGE * calls else 0.0
    what = "MPI-IO itself" if key == rows.MPIIO else "MPI communication inside I/O calls"
    sentence = (
        f"{of_run(facts, spent)} went into {what}, not into calls on files: the exchange of data "
        "between processes, and waiting for the last of them."
    )
    return Told(
        f"{what} takes much of the run", sentence, lost, f"time in {what}",
        remedy(advice.MPI, Seen(calls=calls, moved=moved, large=moved >= _LARGE * calls)),
        "The calls of the program are large already. What is left to try: the same amount of I/O "
        "at the same time in each process, and other numbers of aggregators.",
        facts.sums(layers, "READ_CALLS", "WRITE_CALLS", "F_READ_TIME", "F_WRITE_TIME"),
    )  # fmt: skip


_TOLD: dict[str, Tell] = {
    rows.READS: _transfers,
    rows.WRITES: _transfers,
    rows.OPENS: _opens,
    rows.MAPPINGS: mappings,
    rows.LOOKUPS: _lookups,
    rows.LISTINGS: _listings,
    rows.SYNCS: _syncs,
    rows.BUFFERS: _buffers,
    rows.HDF5: _hdf5,
    rows.MPIIO: _mpi,
    rows.COMMUNICATION: _mpi,
}
