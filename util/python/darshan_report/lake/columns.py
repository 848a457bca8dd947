"""The tables of a lake and their columns: names, types, units and meanings.

The columns of counters come from the modules' tables (runtime/modules/*/*.def). The columns that a
lake adds are here. doc/centre-tables.md and the metadata of the Parquet files come from both."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from ..classes import dataclass
from ..measure.layers.layers import LAYERS, SIZES, Layer
from ..structs import Kind
from ..tables import Counter, Module, module_by_id

# Types of columns; write/arrow.py maps each to a type of Parquet.
TEXT, WHOLE, ID, NUMBER, FLAG, DAY, TIME, UUID, EVIDENCE = (
    "text", "whole", "id", "number", "flag", "day", "time", "uuid", "evidence",
)  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column of a table. rule: how values of several rows become one ("sum", "max", "min", or
    a rule of counters.md); "" if they cannot."""

    name: str
    type: str
    unit: str = ""
    meaning: str = ""
    rule: str = ""
    # identifies a user, job, program or file: anonymized if the lake anonymizes names
    secret: bool = False
    was: str = ""  # its name in files of earlier releases


@dataclass(frozen=True)
class Table:
    """One table of a lake: its name, its columns, and a title that says what a row represents."""

    name: str
    title: str  # text on what a row represents
    columns: tuple[Column, ...]

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(c.name for c in self.columns)


# Every table begins with these columns, so that few queries need a join.
WHOSE = (
    Column("log", TEXT, "", "which log: the first 128 bits of the SHA-256 of its content"),
    Column(
        "day",
        DAY,
        "",
        "the day on which the job began, in UTC; if the log does not say, the day on which its "
        "file was changed",
    ),
    Column(
        "user",
        TEXT,
        "",
        "the owner of the log's file. If that is root or the collector's user, who may have "
        "copied the file: the user in the file's name, else the user id in the log",
        "",
        True,
    ),
    Column(
        "program",
        TEXT,
        "",
        "the short name of the program that the user started, without env, srun or a "
        "shell before it",
        "",
        True,
    ),
)


def _sum(name: str, type_: str, unit: str, meaning: str, was: str = "") -> Column:
    return Column(name, type_, unit, meaning, "sum", was=was)


def _of_layers() -> tuple[Column, ...]:
    found: list[Column] = []
    for layer in LAYERS:
        prefix, of = layer.prefix.lower(), f"the records of {layer.module}"
        some = [("seconds", NUMBER, "seconds", f"in calls, of {of}")]
        if has_bytes(layer):
            some = [
                ("bytes_read", WHOLE, "bytes", f"bytes read, of {of}"),
                ("bytes_written", WHOLE, "bytes", f"written, of {of}"),
                *some,
            ]
        # Not posix_bytes_read: in SQL this is the same name as the counter POSIX_BYTES_READ.
        for what, kind, unit, meaning in some:
            found.append(_sum(f"{what}_{prefix}", kind, unit, meaning, f"{prefix}_{what}"))
    return tuple(found)


def has_bytes(layer: Layer) -> bool:
    """Returns whether the records of a layer count bytes."""
    return layer.module not in ("H5F", "PNETCDF_FILE")


_BASE = "of the lowest layers (" + ", ".join(x.module for x in LAYERS if x.base) + ")"
JOBS = Table(
    "jobs",
    "a log",
    (
        *WHOSE,
        Column("path", TEXT, "", "where the log lay when it was collected", "", True),
        Column("owner", TEXT, "", "who owns the log's file", "", True),
        Column("named", TEXT, "", "the user in the name of the log's file", "", True),
        Column(
            "forged",
            FLAG,
            "",
            "owner and named differ; null: the owner is root or the "
            "collector's user, who may have copied the log",
        ),
        Column("log_bytes", WHOLE, "bytes", "size of the log", "sum"),
        Column("uid", WHOLE, "id", "the user's number", "", True),
        Column(
            "job_id", WHOLE, "id", "number of the batch job; without one, of a process", "", True
        ),
        Column("command", TEXT, "", "the command line", "", True),
        Column("started", TIME, "", "when it began, in UTC; null: not known, or impossible"),
        Column("ended", TIME, "", "when it ended; null: as before"),
        Column("run_seconds", NUMBER, "seconds", "how long it ran; null: an end is missing"),
        Column("nprocs", WHOLE, "count", "ranks of the job"),
        Column("processes", WHOLE, "count", "processes: ranks, or those of a tree of programs"),
        Column("process_seconds", NUMBER, "seconds", "that all processes had together", "sum"),
        Column(
            "io_seconds",
            NUMBER,
            "seconds",
            "seconds in file I/O, as in the report of the log; null: findings were not computed",
            "sum",
        ),
        Column(
            "all_layers_seconds",
            NUMBER,
            "seconds",
            "seconds in I/O of all layers; null: findings were not computed",
            "sum",
        ),
        Column("hosts", WHOLE, "count", "hosts that records of the log name; null: none"),
        Column("library", TEXT, "", "version of the library that wrote the log"),
        Column("format", TEXT, "", "version of the log's format"),
        Column("swapped", FLAG, "", "written by a machine of the other byte order"),
        Column("partial", FLAG, "", "lacks records or an end, or has impossible values"),
        Column("partial_modules", TEXT, "", "modules with records that were left out"),
        _sum("files", WHOLE, "count", f"records of files, of each rank, {_BASE}"),
        _sum("bytes_read", WHOLE, "bytes", f"read, {_BASE}"),
        _sum("bytes_written", WHOLE, "bytes", f"written, {_BASE}"),
        _sum("read_seconds", NUMBER, "seconds", f"in reads, {_BASE}"),
        _sum("write_seconds", NUMBER, "seconds", f"in writes, {_BASE}"),
        _sum("meta_seconds", NUMBER, "seconds", f"in other calls, {_BASE}"),
        *_of_layers(),
        Column("problems", WHOLE, "count", "findings that cost something; null: not computed"),
        Column("stake_seconds", NUMBER, "seconds", "the most that one problem costs; 0: none"),
    ),
)

LAYER_SUMS = Table(
    "layers",
    "a layer of a log: the sums over its records",
    (
        *WHOSE,
        Column("layer", TEXT, "", "name of the module: POSIX, STDIO, MPI-IO, H5D, ..."),
        _sum("records", WHOLE, "count", "records: files, datasets, variables, of each rank"),
        _sum("opens", WHOLE, "count", "opens and creates"),
        _sum("reads", WHOLE, "count", "reads of every kind"),
        _sum("writes", WHOLE, "count", "writes of every kind"),
        _sum("bytes_read", WHOLE, "bytes", "bytes read"),
        _sum("bytes_written", WHOLE, "bytes", "bytes written"),
        _sum("read_seconds", NUMBER, "seconds", "in reads, of all processes together"),
        _sum("write_seconds", NUMBER, "seconds", "in writes"),
        _sum("meta_seconds", NUMBER, "seconds", "in other calls"),
        *(
            _sum(f"{kind}s_{end.lower()}", WHOLE, "count", f"{kind}s of {words}")
            for kind in ("read", "write")
            for end, words in SIZES
        ),
    ),
)

FINDINGS = Table(
    "findings",
    "a finding in a log, the costliest first",
    (
        *WHOSE,
        Column("number", WHOLE, "count", "its place among the findings of its log, from 1"),
        Column("kind", TEXT, "", "problem, notice, fact or good"),
        Column("rule", TEXT, "", "which diagnosis: doc/diagnoses.md"),
        Column("title", TEXT, "", "its title"),
        Column("sentence", TEXT, "", "what it says", "", True),
        Column("remedy", TEXT, "", "what to change", "", True),
        Column("example", TEXT, "", "the same as one writes it", "", True),
        Column("stake_seconds", NUMBER, "seconds", "upper bound of the saving, all processes"),
        Column("of_seconds", NUMBER, "seconds", "what all processes had"),
        Column("stake_bytes", WHOLE, "bytes", "bytes that could be saved"),
        Column("of_bytes", WHOLE, "bytes", "bytes that were moved"),
        Column("same_as", TEXT, "", "title of the finding that contains the same seconds"),
        # Not secret: if the lake anonymizes names, the rules read a log with anonymized names, so
        # these columns already match the tables of records.
        Column("file", TEXT, "", "the file that it is about most"),
        Column("dataset", TEXT, "", "the dataset or variable in it"),
        Column("evidence", EVIDENCE, "", "the counters that it rests on", "", True),
        Column("programs", TEXT, "", "of a tree of programs: which did it", "", True),
    ),
)

SITES = Table(
    "sites",
    "a line of code of a log with call sites: the sums over its sites",
    (
        *WHOSE,
        Column(
            "number",
            WHOLE,
            "count",
            "its place among the lines of its log by seconds, from 1; null: the sum of all "
            "further lines",
        ),
        Column("file", TEXT, "", "its source file; null: not known", "", True),
        Column("line", WHOLE, "line", "its number in the file"),
        Column("function", TEXT, "", "the function that it is in", "", True),
        Column(
            "object",
            TEXT,
            "",
            "the program or library that it is in; null: Python, or no line of the user",
            "",
            True,
        ),
        Column("build_id", TEXT, "", "build id of the object", "", True),
        Column(
            "address",
            WHOLE,
            "byte offset",
            "of the object, where a call of its costliest site returns to",
        ),
        Column("called", TEXT, "", "the function that it called most: read, H5Dwrite, import, ..."),
        Column(
            "through", TEXT, "", "by which function of which library: numpy.load, ...", "", True
        ),
        _sum("seconds", NUMBER, "seconds", "in its calls, of all processes and threads"),
        _sum(
            "gap_seconds",
            NUMBER,
            "seconds",
            "between its calls, in gaps below 10 ms: the program's work for each call",
        ),
        _sum("calls", WHOLE, "count", "calls"),
        _sum("bytes_read", WHOLE, "bytes", "bytes read"),
        _sum("bytes_written", WHOLE, "bytes", "bytes written"),
        _sum("sites", WHOLE, "count", "call sites that these are the sums of"),
    ),
)

EPOCHS = Table(
    "epochs",
    "an epoch of a loop over a DataLoader of PyTorch; besides a row for all epochs of the loop, "
    "and one for each rank",
    (
        *WHOSE,
        Column("number", WHOLE, "count", "of the loop in its log; 1 has the longest epochs in all"),
        Column("file", TEXT, "", "source file of the loop; null: not known", "", True),
        Column("line", WHOLE, "line", "its number in the file"),
        Column("epoch", WHOLE, "count", "number of the epoch, from 1; null: several epochs"),
        Column("rank", WHOLE, "rank", "that a launcher gave the process; null: all processes"),
        Column("epochs", WHOLE, "count", "epochs, each counted in each process", "sum"),
        Column("batches", WHOLE, "count", "batches that the program got", "sum"),
        Column("start_seconds", NUMBER, "seconds from start", "begin of the first of them"),
        _sum("seconds", NUMBER, "seconds", "of the epochs, of all processes"),
        _sum("wait_seconds", NUMBER, "seconds", "of these, waiting for data"),
        _sum("first_seconds", NUMBER, "seconds", "of the waits, those up to first batches"),
        Column("longest_seconds", NUMBER, "seconds", "longest wait for a later batch", "max"),
        _sum("bytes_read", WHOLE, "bytes", "read by calls for batches; null: not known"),
        _sum("storage_bytes", WHOLE, "bytes", "that came from storage for them; null: not known"),
        Column("processes", WHOLE, "count", "that ran the loop"),
        Column("num_workers", WHOLE, "count", "of the DataLoader; null: not known"),
        Column("batch_size", WHOLE, "count", "samples of a batch; null: not known"),
        Column("why", TEXT, "", "the reason for the wait, a word of the report's JSON"),
        Column("part", TEXT, "", "the largest part of making batches; null: not the whole loop"),
        _sum("made_seconds", NUMBER, "seconds", "making batches, of all workers; null: as before"),
        _sum("opening_seconds", NUMBER, "seconds", "of these, opening files or looking names up"),
        _sum("reading_seconds", NUMBER, "seconds", "of these, reading or writing files"),
        _sum("computing_seconds", NUMBER, "seconds", "of these, other processor time, at most"),
        _sum("collate_seconds", NUMBER, "seconds", "of these, in collate_fn"),
        _sum("idle_seconds", NUMBER, "seconds", "of workers, between batches"),
    ),
)

CHECKPOINTS = Table(
    "checkpoints",
    "files to which a program saved its state, whose names differ in numbers only",
    (
        *WHOSE,
        Column("number", WHOLE, "count", "of these files in their log, by seconds, from 1"),
        # Not secret: see the file of a finding.
        Column("name", TEXT, "", "of the files; numbers that differ are *"),
        Column("saved_by", TEXT, "", "the library function, or text on the names of the files"),
        Column("from_calls", FLAG, "", "the function is known from call sites"),
        _sum("saves", WHOLE, "count", "how often files were saved, by all processes"),
        Column("rounds", WHOLE, "count", "the same, by the process that saved most often"),
        _sum("files", WHOLE, "count", "files"),
        _sum("replaced", WHOLE, "count", "saves that replaced an older one"),
        _sum("removed", WHOLE, "count", "files that the program removed"),
        Column("processes", WHOLE, "count", "that saved"),
        _sum("bytes_written", WHOLE, "bytes", "bytes written"),
        _sum("seconds", NUMBER, "seconds", "of the saves, in the process that spent most"),
        Column("interval_seconds", NUMBER, "seconds", "between begins; null: saved once"),
        Column("beside", FLAG, "", "a thread beside the program saved; null: not known"),
    ),
)

TRIALS = Table(
    "trials",
    "a remedy that darshan try applied to the program of a log (the newest trial of it)",
    (
        *WHOSE,
        Column("tried", TIME, "", "when the trial ended"),
        Column("host", TEXT, "", "on which host", "", True),
        Column("remedy", TEXT, "", "the remedies that were applied, with + between several"),
        Column("rule", TEXT, "", "the finding that proposed it, as findings.rule; null: none"),
        Column(
            "result",
            TEXT,
            "",
            "helped, measured, no gain shown, changed the output, not applicable",
        ),
        Column("pairs", WHOLE, "count", "runs without it, and as many with it; null: not measured"),
        Column("ratio", NUMBER, "", "time without it, divided by the time with it"),
        Column("ratio_low", NUMBER, "", "lower bound of the ratio's interval at 99 %"),
        Column("ratio_high", NUMBER, "", "upper bound"),
        Column("baseline_seconds", NUMBER, "seconds", "mean of the runs without it"),
        Column("remedy_seconds", NUMBER, "seconds", "mean of the runs with it"),
        Column("gain_seconds", NUMBER, "seconds", "their difference; negative: it took longer"),
        Column("same_output", FLAG, "", "the runs had the same output; null: not compared"),
        Column("compared_in_part", FLAG, "", "some of the output differs between runs anyway"),
        Column("helped", FLAG, "", "the result is helped, and ratio_low is at least 1.10"),
    ),
)

PROBLEMS = Table(
    "problems",
    "what could not be read, and why",
    (
        *WHOSE,
        Column("path", TEXT, "", "where the log lay", "", True),
        Column("log_bytes", WHOLE, "bytes", "its size"),
        Column("module", TEXT, "", "of which records; empty: the log itself"),
        Column("problem", TEXT, "", "one line"),
        Column("counter", TEXT, "", "its value is impossible, and null in the other tables"),
        Column("value", TEXT, "", "the value that the log has, of the first such record"),
        Column("records", WHOLE, "count", "records that have such a value"),
    ),
)

RECORD = (
    Column("id", ID, "id", "record id: the format's hash of the name", "", True),
    Column("rank", WHOLE, "rank", "rank; -1: all ranks together"),
    Column("name", TEXT, "", "name of the record: of a file its path", "", True),
    # Secret because an automounter has a mount point per user.
    Column("mount", TEXT, "", "mount point that holds it", "", True),
    Column("file_system", TEXT, "", "type of that file system"),
)
_OWN = {
    "file_rec_id": Column(
        "file_rec_id", ID, "id", "record id of the file that contains it", "", True
    ),
    "component": Column("component", WHOLE, "count", "which component of the layout, from 0"),
    "pool_name": Column("pool_name", TEXT, "", "pool of the targets", "", True),
    "osts": Column("osts", TEXT, "", "numbers of the targets, commas between"),
    "pool_uuid": Column("pool_uuid", UUID, "id", "the pool", "", True),
    "cont_uuid": Column("cont_uuid", UUID, "id", "the container", "", True),
    "oid_hi": Column("oid_hi", ID, "id", "the object, upper half", "", True),
    "oid_lo": Column("oid_lo", ID, "id", "the object, lower half", "", True),
    "operations": Column("operations", TEXT, "", "of each server, commas between"),
    "records": _sum("records", WHOLE, "count", "records that these are the totals of"),
}
_BINS = (
    Column("rank", WHOLE, "rank", "of which rank"),
    Column("bin", WHOLE, "count", "index of the part of the run, from 0; only parts with a value"),
    Column("bin_seconds", NUMBER, "seconds", "how long a part is"),
    Column("start_seconds", NUMBER, "seconds from start", "its begin, after the job's"),
)
_HEATMAP = (
    Column("layer", TEXT, "", "layer of the transfers: POSIX, STDIO or MPI-IO"),
    *_BINS,
    _sum("bytes_read", WHOLE, "bytes", "bytes read in it"),
    _sum("bytes_written", WHOLE, "bytes", "bytes written in it"),
)
_WAITS = (
    *_BINS,
    _sum("message_seconds", NUMBER, "seconds", "waiting for single ranks: messages, windows"),
    _sum("collective_seconds", NUMBER, "seconds", "waiting in collectives and MPI_Finalize"),
)
_TRAINING_TIME = (
    Column("kind", TEXT, "", "epochs; batches, which the process made; processors"),
    Column("worker", TEXT, "", "number of the worker; empty: a process that iterates"),
    *_BINS,
    _sum("part_seconds", NUMBER, "seconds", "waiting for data; calls on files; no processor"),
    _sum("whole_seconds", NUMBER, "seconds", "in epochs; in batches; ready to run in batches"),
)
_DXT = (
    Column("layer", TEXT, "", "POSIX or MPI-IO"),
    *RECORD,
    Column("host", TEXT, "", "on which host", "", True),
    Column("operation", TEXT, "", "read or write"),
    Column("at", WHOLE, "byte offset", "where in the file; -1: not known"),
    _sum("length", WHOLE, "bytes", "how many bytes"),
    Column("start_seconds", NUMBER, "seconds from start", "after the job's start"),
    Column("end_seconds", NUMBER, "seconds from start", "after the job's start"),
    Column("thread", ID, "id", "which thread"),
)
_PROCESS = (
    Column("host", TEXT, "", "on which host", "", True),
    Column("command", TEXT, "", "its command line", "", True),
)
_CALLS = (
    Column("rank", WHOLE, "rank", "which rank made it"),
    Column("processor", TEXT, "", "the processor, as MPI names it", "", True),
    Column("call", TEXT, "", "MPI_Allreduce, ..."),
    _sum("calls", WHOLE, "count", "how often"),
    _sum("bytes", WHOLE, "bytes", "bytes that it was given; null: of such calls not counted"),
    *(
        _sum(f"sizes_{end}", WHOLE, "count", f"calls with {words}")
        for end, words in (
            ("0_256", "up to 256 bytes"),
            ("256_1k", "up to 1 KiB"),
            ("1k_8k", "up to 8 KiB"),
            ("8k_256k", "up to 256 KiB"),
            ("256k_1m", "up to 1 MiB"),
            ("1m_plus", "more"),
        )
    ),
    _sum("seconds", NUMBER, "seconds", "in all of them"),
    Column("shortest_seconds", NUMBER, "seconds", "in the shortest", "min"),
    Column("longest_seconds", NUMBER, "seconds", "in the longest", "max"),
    _sum(
        "wait_seconds", NUMBER, "seconds", "waiting for other ranks before it; null: not measured"
    ),
    Column("variance", NUMBER, "seconds^2", "of all ranks' seconds in MPI: one value per log"),
    Column("wait_variance", NUMBER, "seconds^2", "of all ranks' waiting: one value per log"),
)
CALLS = Table("mpi_calls", "a function of MPI that a rank called", (*WHOSE, *_CALLS))
HEATMAP = Table("heatmap", "a part of a run in which a rank moved bytes", (*WHOSE, *_HEATMAP))
WAITS = Table("mpi_waits", "a part of a run in which a rank waited for others", (*WHOSE, *_WAITS))
TRAINING_TIME = Table("training_time", "a part of a training", (*WHOSE, *_TRAINING_TIME))
_OF_BINS = {"HEATMAP": HEATMAP, "MPIWAIT": WAITS, "TRAINING_TIME": TRAINING_TIME}
DXT = Table("dxt", "a traced transfer (with --traces)", (*WHOSE, *_DXT))
TRACES = ("DXT_POSIX", "DXT_MPIIO")

METADATA = Table(
    "log_metadata",
    "a key of a log's metadata",
    (
        *WHOSE,
        Column("key", TEXT, "", "lib_ver, mpi, hosts, ..., or a key of the site (log-format.md)"),
        # Not secret: write/metadata.py anonymizes the values of most keys, and each name of hosts.
        Column("value", TEXT, "", "its value"),
    ),
)
BATCH_JOBS = Table(
    "batch_jobs",
    "a batch job, as the scheduler's accounting has it (darshan collect --scheduler); log and "
    "program are null",
    (
        *WHOSE,
        Column("scheduler", TEXT, "", "slurm, pbs or flux"),
        Column("cluster", TEXT, "", "the cluster, or the scheduler's server"),
        Column("job", TEXT, "", "the job's id, as the scheduler writes it", "", True),
        Column("job_id", WHOLE, "id", "the number that jobs.job_id has, too", "", True),
        Column("account", TEXT, "", "account or bank that pays", "", True),
        Column("project", TEXT, "", "the project; null in Slurm", "", True),
        Column("queue", TEXT, "", "queue or partition"),
        Column("state", TEXT, "", "of the scheduler; of PBS: running, or exit and the status"),
        Column("nodes", WHOLE, "count", "nodes that it had", "sum"),
        Column("processors", WHOLE, "count", "processors that it had", "sum"),
        Column("hosts", TEXT, "", "names of its nodes, commas between; null: above 4,096, or none"),
        Column("submitted", TIME, "", "when it was submitted"),
        Column("started", TIME, "", "when it began"),
        Column("ended", TIME, "", "when it ended; null: it has not"),
        Column("energy_joules", NUMBER, "joules", "energy that it took; null: not known", "sum"),
    ),
)
SERVER_LOAD = Table(
    "server_load",
    "bytes that a server or a target moved in an interval (darshan collect --servers); log, "
    "user and program are null",
    (
        *WHOSE,
        Column("mount", TEXT, "", "where clients mount the file system", "", True),
        Column("target", TEXT, "", "the server or target; null: the file system as a whole"),
        Column("began", TIME, "", "when the interval began"),
        Column("seconds", NUMBER, "seconds", "how long it was"),
        _sum("bytes_read", WHOLE, "bytes", "bytes that clients read; null: not known"),
        _sum("bytes_written", WHOLE, "bytes", "bytes that clients wrote"),
        _sum("operations", WHOLE, "count", "operations, such as opens"),
    ),
)


# Counters with the id of a record, or with a pid, which may be the number of the job.
_SECRET = frozenset(("POSIX_RENAMED_FROM", "PROCESS_PID", "PROCESS_PARENT", "PROCESS_LAUNCH"))


def counter_column(counter: Counter) -> Column:
    """Returns the column of a counter, which has the counter's name."""
    kind = NUMBER if counter.is_float else ID if counter.unit == "id" else WHOLE
    secret = counter.name in _SECRET
    return Column(counter.name, kind, counter.unit, counter.meaning, counter.rule, secret)


# -1 in a counter with one of these units means that the log lacks the value. With other units -1
# is a value.
_UNKNOWN = frozenset(("count", "bytes", "seconds", "seconds^2", "elements", "seconds from start"))


def unknown_is_null(column: Column) -> bool:
    """Returns whether -1 in a counter's column means unknown and becomes null."""
    return column.unit in _UNKNOWN


def _word(module: Module) -> str:
    return re.sub(r"[^a-z0-9_]", "", module.name.lower())


def record_table(module: Module) -> Table:
    """Returns the definition of the table with a module's records, such as files_posix."""
    if module.name in _OF_BINS:
        return _OF_BINS[module.name]
    if module.name in TRACES or module.kind is Kind.APMPI:
        return DXT if module.name in TRACES else CALLS
    counters = tuple(map(counter_column, (*module.counters, *module.fcounters)))
    before: tuple[Column, ...] = ()
    behind: Sequence[str] = ()
    if module.kind is Kind.LUSTRE:
        before, behind = (_OWN["component"],), ("pool_name", "osts")
    elif module.kind is Kind.MDHIM:
        behind = ("operations",)
    elif module.kind is Kind.FILE_COUNTERS:
        before = (_OWN["file_rec_id"],)
    elif module.kind in (Kind.DFS, Kind.DAOS):
        behind = ("pool_uuid", "cont_uuid")
        behind += ("oid_hi", "oid_lo") if module.kind is Kind.DAOS else ()
    name, title = f"files_{_word(module)}", f"a record of {module.name}"
    if module.name == "PROCESS":
        name, title, before = "processes", "a process of a run (or several of a rank)", _PROCESS
    after = tuple(_OWN[n] for n in behind)
    return Table(name, title, (*WHOSE, *RECORD, *before, *counters, *after))


def total_table(module: Module) -> Table:
    """Returns the definition of the table of a module's totals, which `darshan parse --total`
    prints."""
    counters = tuple(map(counter_column, (*module.counters, *module.fcounters)))
    title = f"a log: all its records of {module.name} as one"
    return Table(f"totals_{_word(module)}", title, (*WHOSE, _OWN["records"], *counters))


_KINDS = (Kind.COUNTERS, Kind.FILE_COUNTERS, Kind.DFS, Kind.DAOS)


@functools.cache
def modules() -> tuple[Module, ...]:
    """Returns the modules of a log whose records a lake has, in the order of their ids."""
    known = (module_by_id(number) for number in range(128))
    return tuple(
        m for m in known if m is not None and m.kind is not Kind.NONE and m.name != "TEMPLATE"
    )


@functools.cache
def tables() -> dict[str, Table]:
    """Returns the definitions of all tables, by name."""
    found = [
        JOBS,
        LAYER_SUMS,
        FINDINGS,
        SITES,
        EPOCHS,
        CHECKPOINTS,
        TRIALS,
        PROBLEMS,
        METADATA,
        BATCH_JOBS,
        SERVER_LOAD,
    ]
    found += [record_table(m) for m in modules()]
    found += [total_table(m) for m in modules() if m.kind in _KINDS]
    return {table.name: table for table in found}
