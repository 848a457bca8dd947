"""The corpus: the expected findings for each program, independent of the rules. A row is one case
of a program in programs/. Most cases have a fix, which is the same program with the argument
"cured". A program without a fix is healthy, and the report must not name a problem of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import datasets
import fortran
import healthy
import in_common
import outside
import passed
import readers
import views
import waiting
import words
from row import FAR, HERE, Row

_SITES = (("DARSHAN_SITES", "1"),)


def _sync() -> list[Row]:
    def sync(case: str, remedy: str = "checkpoint") -> Row:
        return Row("sync.c", case, "syncs", remedy)

    return [
        sync("fsync-each"),
        sync("fdatasync-each"),
        sync("o-sync", "O_SYNC"),
        sync("o-dsync", "O_DSYNC"),
        sync("save-each-step"),
        sync("msync-each"),
        Row("sync.c", "lock-held", "waits-for-locks", "release", place=HERE, tree=2),
        sync("sqlite-autocommit", "transaction"),
        Row("sync.c", "checkpoint"),
        Row(
            "sync.c",
            "group-commit",
            says=(r"once for 1\.00 MiB \(8 writes\) that is written: .* Larger groups wait less",),
            never=("after every record",),
        ),
        Row("sync.c", "sqlite-transaction", place=HERE),
    ]


def _streams() -> list[Row]:
    def stream(case: str, finding: str, remedy: str, size: int = 0) -> Row:
        return Row("streams.c", case, finding, remedy, input=size)

    def cpp(case: str, finding: str, remedy: str, size: int = 0) -> Row:
        return Row("streams.cc", case, finding, remedy, input=size)

    return [
        stream("getc-unbuffered", "unbuffered-stream-read", "setvbuf", 1),
        stream("fread-unbuffered", "unbuffered-stream-read", "setvbuf", 1),
        stream("fprintf-unbuffered", "unbuffered-stream-write", "setvbuf"),
        replace(
            stream("characters", "character-calls", "fread", 48),
            place=HERE,
            says=(r"50,331,648 calls moved 48\.0 MiB", "Recording these calls"),
            never=("Your I/O is fine",),
        ),
        replace(
            stream("wide-characters", "character-calls", "getline", 16),
            place=HERE,
            settings=_SITES,
            says=(r"16,777,216 calls moved", "Recording these calls with their lines of code"),
        ),
        stream("open-per-line", "opened-again", "Open once"),
        stream("flush-per-line", "stream-flushes", "fflush"),
        stream("line-buffered", "line-buffered", "setvbuf"),
        stream("seek-and-read", "stream-seeks", "memory", 8),
        replace(
            stream("skip-fields", "stream-seeks", "whole records", 24),
            place=HERE,
            says=(r"seeks in /\S+/input skipped 40 B each",),
            never=("pread",),
        ),
        replace(
            stream("last-lines", "stream-steps", "backwards", 3),
            place=HERE,
            says=(r"3,145,72\d reads of 1 B on average in /\S+/input took .* it was filled \d+",),
            never=("pread", "where the file already is"),
        ),
        stream("bulk-stream", "stdio-bulk", "setvbuf"),
        stream("parse-again", "same-bytes-again-read", "memory", 1),
        stream("file-per-result", "many-small-files", "container"),
        Row("streams.c", "million-fprintf", place=HERE),
        Row("streams.c", "state-renamed", place=HERE, never=("[Kk]eep it open",)),
        Row("streams.c", "getc-buffered", place=HERE, input=8),
        Row("streams.c", "lines-in", place=HERE, input=32),
        Row("streams.c", "fwrite-large"),
        Row("streams.c", "settings", input=1),
        Row("streams.c", "fifo"),
        Row("streams.c", "getc-of-a-large-buffer", input=16),
        Row("streams.c", "log-of-few-lines"),
        Row("streams.c", "steps-within-the-buffer", input=1),
        Row("streams.c", "flush-at-checkpoints"),
        Row("streams.c", "read-of-a-program"),
        Row("streams.c", "seek-to-where-it-is", place=HERE, input=8),
        cpp("endl-each", "small-accesses-write", "flush"),
        cpp("no-buffer", "small-accesses-read", "buffer", 1),
        cpp("open-each", "opened-again", "Open once"),
        replace(
            cpp("seekg-in-order", "stream-seeks-refill", "Seek less", 4),
            says=(r"8,\d\d\d seeks in /\S+/input discarded a buffer",),
            never=("pubsetbuf", "setvbuf", "larger pieces"),
        ),
        Row("streams.cc", "seekg-sections", place=HERE, input=8, never=("discarded",)),
        cpp("seekg-each", "stream-seeks-refill", "memory", 8),
        Row("streams.cc", "lines-out", place=HERE),
        replace(cpp("cin-in", "synced-streams", "sync_with_stdio"), place=HERE, settings=_SITES),
        Row("streams.cc", "getline-all", place=HERE, input=32),
    ]


def _names() -> list[Row]:
    def name(case: str, finding: str, remedy: str, *, many: bool = False, size: int = 0) -> Row:
        return Row("names.c", case, finding, remedy, many=many, input=size)

    return [
        name("failed-access", "failed-lookups", "path"),
        name("failed-open", "failed-lookups", "path"),
        replace(
            name("stat-poll", "opened-again", "Query once", size=1),
            says=(r"stat\(path, &known\)",),
            never=("fopen", "[Oo]pen once"),
        ),
        replace(
            name("wait-for-files", "waits-for-a-file", "Sleep between"),
            place=HERE,
            tree=2,
            settings=_SITES,
            says=(r"[\d,]+ look-ups asked for 4 names until",),
            never=("Many lookups fail", "remember missing"),
        ),
        replace(
            name("map-each", "opened-again", "keep the mapping", size=16),
            place=HERE,
            settings=_SITES,
            says=("A file is opened and mapped again and again",),
            never=("keep the descriptor",),
        ),
        name("stat-each-entry", "metadata", "d_type", many=True),
        replace(
            name("place-each", "metadata", "folder once"),
            place=HERE,
            settings=_SITES,
            says=(r"100,00\d names resolved", r"99,99\d calls that failed"),
            never=("archive",),
        ),
        replace(
            name("map-grown", "metadata", "large steps"),
            place=HERE,
            settings=_SITES,
            says=(r"60,00\d changes of a file's size",),
            never=("remove files once",),
        ),
        name("list-each-time", "listed-again", "once", many=True),
        name("read-many", "many-small-files", "container", many=True, size=2),
        name("write-many", "many-small-files", "container"),
        name("open-per-record", "opened-again", "Open once"),
        name("lock-file", "opened-again metadata", "fcntl"),
        name("folder-each", "metadata many-small-files", "one file"),
        name("touch-each", "metadata", "once", many=True),
        name("remove-many", "metadata", "one file", many=True),
        replace(name("tell-each", "seeks", "pread", size=1), place=HERE),
        name("truncate-each", "opened-again", "Open once"),
        name("walk-again", "listed-again", "once"),
        name("list-large", "listed-again", "once"),
        Row("names.c", "walk-once"),
        Row("names.c", "list-once", many=True),
        Row("names.c", "open-some", input=20),
        Row("names.c", "stat-once", many=True, place=HERE),
    ]


def _transfers() -> list[Row]:
    def transfer(case: str, finding: str, remedy: str, size: int = 0) -> Row:
        return Row("transfers.c", case, finding, remedy, input=size)

    def healthy(case: str, place: str = FAR) -> Row:
        return Row("transfers.c", case, place=place, input=64)

    small_read, small_write = "small-accesses-read", "small-accesses-write"
    both = f"{small_read} {small_write}"
    return [
        transfer("small-writes", small_write, "together"),
        transfer("small-reads", small_read, "blocks", 2),
        transfer("byte-reads", small_read, "blocks", 1),
        transfer("copy-in-blocks", both, "blocks", 1),
        transfer("header-and-value", small_write, "together"),
        transfer("gather-vectors", small_write, "together"),
        replace(
            transfer("random-reads", f"random-access-read {small_read}", "memory", 64),
            never=(r"Read more with each call.*offsets are random",),
        ),
        transfer("random-writes", f"random-access-write {small_write}", "memory"),
        replace(
            transfer("backward-reads", f"random-access-read {small_read}", "forward", 8),
            says=("reads backwards",),
            never=("random offsets", "qsort"),
        ),
        transfer("one-column", small_read, "blocks", 12),
        transfer("read-again", "same-bytes-again-read", "memory", 8),
        transfer("write-again", "same-bytes-again-written", "once"),
        transfer("header-each-block", f"{small_write} same-bytes-again-written", "together"),
        transfer("update-in-place", f"{both} read-write-alternation", "memory", 1),
        transfer("search-from-start", "same-bytes-again-read small-accesses-read", "memory"),
        transfer("copy-each-edit", "whole-file-copy", "undo", 8),
        *map(healthy, ("large-writes", "large-reads", "large-random", "odd-sizes")),
        *(healthy(case, HERE) for case in ("blocks-64k", "mapped", "few-small")),
        *(healthy(case, HERE) for case in ("map-windows", "map-at-once")),
        replace(healthy("random-blocks", HERE), input=0, settings=_SITES),
        replace(
            healthy("map-whole", HERE),
            input=0,
            says=(r"12 mappings of 32\.0 MiB .*\(MAP_POPULATE, mlock\)", "only the pages that it"),
            never=("opening, closing, seeking", "calls that move no bytes"),
        ),
        replace(transfer("map-again", "mapped-again", "before the loop", 64), place=HERE),
        replace(
            transfer("mapped-at-random", "mapped-faults", "MADV_WILLNEED", 64),
            place=HERE,
            says=(r"/input: 16,\d\d\d page faults waited for storage, each for 4.00 KiB",),
            never=("was not recorded", "no recorded call explains"),
        ),
        healthy("headers-among-bulk"),
        replace(healthy("odd-buffers"), input=0),
    ]


def _python() -> list[Row]:
    def line(case: str, finding: str, remedy: str, *, many: bool = False, size: int = 0) -> Row:
        return Row("lines.py", case, finding, remedy, many=many, input=size)

    return [
        line("open-per-line", "opened-again", "Open once"),
        line("print-flush", "small-accesses-write", "flush"),
        line("csv-line-buffered", "small-accesses-write", "buffering"),
        line("read-unbuffered", "small-accesses-read", "buffering", size=1),
        line("logging-each", "small-accesses-write", "memory"),
        line("fsync-each", "syncs", "checkpoint"),
        line("json-each", "many-small-files", "container", many=True, size=2),
        line("npy-each", "many-small-files", "container"),
        line("exists-each", "failed-lookups", "once"),
        line("listdir-each", "listed-again", "once", many=True),
        line("pickle-again", "same-bytes-again-written", "once"),
        line("load-again", "same-bytes-again-read", "memory", size=8),
        line("sqlite-commit", "syncs", "transaction"),
        line("sqlite-scans", "same-bytes-again-read", "page cache"),
        line("memmap-flush", "syncs", "checkpoint"),
        *(
            Row("lines.py", f"healthy-{case}", place=HERE, input=32)
            for case in ("save", "load", "csv", "json", "copy", "lines", "compute")
        ),
    ]


def _jobs(mpi: str) -> list[Row]:
    def job(case: str, finding: str, remedy: str, *, many: bool = False, size: int = 0) -> Row:
        return Row("ranks.c", case, finding, remedy, many=many, input=size, mpi=mpi)

    def python(case: str, finding: str, remedy: str) -> Row:
        return Row("ranks.py", case, finding, remedy, mpi=mpi)

    return [
        replace(
            job("independent-writes", "independent-shared-write", "collective"),
            says=("MPI_Alltoallv", "ROMIO .* OMPIO of Open MPI gains little"),
        ),
        job("independent-reads", "independent-shared-read", "collective", size=8),
        job("tiny-collective", "tiny-collective", "file view"),
        job("posix-shared", "no-mpi-io", "collective"),
        job("rank-zero", "one-process-does-all", "all processes"),
        replace(
            job("zero-reads", "one-process-does-all", "its own part", size=64),
            says=(r"The other 3 ranks waited \S+ \S+ of \S+ \S+ each on average in MPI",),
        ),
        replace(
            job("zero-values", "small-accesses-read", "buffer", size=1),
            never=("unevenly distributed", "same share"),
        ),
        job("in-turn", "ranks-wait-for-io", "at the same time"),
        replace(
            job("halo-by-files", "files-as-messages", "messages of MPI"),
            says=(
                r"was opened 800 times by 2 ranks, 400 times to write 8 B and 400 times to read",
            ),
            never=("while one rank", "take turns"),
        ),
        # ROMIO's data sieving makes this fast.
        *(
            [
                replace(
                    job("columns-by-view", "mpi-io-itself", "contiguous rows", size=8),
                    place=HERE,
                    says=("8.00 MiB|48.0 MiB were asked for",),
                    never=("MPI_COMM_SELF",),
                )
            ][: mpi == "openmpi"]
        ),
        job("left-over", "imbalance", "same share"),
        job("all-read-all", "read-by-all", "MPI_Bcast", size=8),
        job("file-each-step", "many-small-files", "container"),
        job("open-each-step", "mpi-io-opened-again", "Open once"),
        job("sync-each", "syncs", "MPI_File_sync"),
        job("late-rank", "waiting-in-mpi-io", "same time"),
        job("uneven-shared", "imbalance-shared imbalance", "evenly"),
        job("all-ask", "many-small-files metadata read-by-all", "MPI_Bcast", many=True),
        # Hints of ROMIO, which only MPICH has.
        *([job("hints-off", "collective-not-aggregated", "romio_cb_write")][: mpi == "mpich"]),
        *(
            Row("ranks.c", case, mpi=mpi, input=1)
            for case in ("large-collective", "large-independent", "file-per-rank")
        ),
        Row("ranks.c", "read-and-tell", mpi=mpi, input=1),
        Row("ranks.c", "one-computes", mpi=mpi, input=1, never=("waited in MPI while",)),
        *(Row("ranks.c", case, mpi=mpi, input=32) for case in ("parts-read", "file-view")),
        Row("ranks.c", "settings-by-all", mpi=mpi, input=1),
        replace(
            python("parsed-by-each", "read-by-all", "parse the file once"),
            place=HERE,
            settings=_SITES,
            says=(r"4 processes read the \S+ MiB of /\S+/mesh\.txt independently",),
            never=(r"ranks\.py independently",),
        ),
        replace(
            python("dataset-by-each", "dataset-read-by-all", "only what it needs"),
            place=HERE,
            settings=_SITES,
            says=("4 processes read all 16.0 MiB of .*/x, each for itself: 64.0 MiB in 64 reads",),
        ),
        python("writes", "independent-shared-write", "collective"),
        python("gather-and-save", "one-process-does-all", "all processes"),
        replace(
            python("log-of-zero", "opened-again", "Open once"),
            never=("unevenly distributed", "same share"),
        ),
        Row("ranks.py", "healthy-parts", mpi=mpi),
    ]


# Locks of blocks and of ranges, like requests of a parallel file system to its lock server.
_BLOCKS = (("SLOW_BLOCK", "4096"), ("SLOW_LOCK", "1500"))
_RANGES = (("SLOW_LOCK", "3000"),)
_TARGETS = (("SLOW_TARGETS", "6"), ("SLOW_TARGET", "5"), ("SLOW_FACTOR", "100"))
_HOST = (("SLOW_HOST", "node5"), ("SLOW_FACTOR", "60"), ("DXT_ENABLE_IO_TRACE", "1"))
_DEVICE = (("SLOW_RATE", "200"),)  # using more than one target helps


def _places() -> list[Row]:
    """Rows about blocks, locks, targets and hosts."""

    def job(
        case: str,
        finding: str,
        remedy: str,
        settings: tuple[tuple[str, str], ...] = (),
        **more: int,
    ) -> Row:
        # Locks, data sieving and hints belong to ROMIO. Open MPI's own MPI-IO does not have them.
        return Row("blocks.c", case, finding, remedy, mpi="mpich", settings=settings, **more)

    def shared(case: str, finding: str, remedy: str) -> Row:
        # MPICH's ranks spin and wait for processors if there are more ranks than processors.
        return Row("ranks_fields.c", case, finding, remedy, mpi="openmpi")

    both = job("odd-blocks", "shared-file-contention unaligned", "align", _BLOCKS)
    return [
        Row("targets.c", "all-targets", "slow-targets", "lfs", settings=_TARGETS),
        both,
        replace(both, mpi="openmpi"),
        job("atomic", "mpi-io-itself", "POSIX", _RANGES),
        job("column-of-own", "read-modify-write", "contiguous", _DEVICE),
        job("one-aggregator", "waiting-in-mpi-io aggregators", "cb_nodes", _DEVICE, hosts=4),
        job("own-file", "slow-hosts", "exclude", _HOST, hosts=6),
        shared("walk", "collective-metadata", "H5Pset_all_coll_metadata_ops"),
        shared("late-close", "hdf5-file-time-waiting", "different times"),
        replace(
            shared("field-by-all", "dataset-read-by-all", "hyperslab"),
            place=HERE,
            settings=_SITES,
            says=(r"4 processes read all 16\.0 MiB of .* 64\.0 MiB in 4 reads, 4\.0 times",),
            never=("wait in MPI",),
        ),
        Row("ranks_fields.c", "small-by-all", mpi="openmpi", place=HERE),
    ]


def _usual() -> list[Row]:
    """Rows about questions that users of common libraries ask."""

    def line(case: str, finding: str, remedy: str, place: str = FAR) -> Row:
        return Row("usual.py", case, finding, remedy, place)

    def in_c(case: str, finding: str, remedy: str, size: int = 0) -> Row:
        return Row("usual.c", case, finding, remedy, input=size)

    def job(case: str, finding: str, remedy: str, size: int = 0) -> list[Row]:
        both = ("openmpi", "mpich")
        return [Row("usual_jobs.c", case, finding, remedy, input=size, mpi=mpi) for mpi in both]

    again, small = "same-bytes-again-read", "small-accesses-write"
    return [
        line("table-again", "same-bytes-again-written rewritten-whole", "once"),
        line("append-to-zip", "opened-again", "once"),
        line("key-of-npz", f"{again} opened-again", "once"),
        line("member-of-tar", f"{again} opened-again", "once"),
        line("scan-of-gzip", again, "memory"),
        replace(
            line("members-backward", again, "order of the archive"),
            place=HERE,
            settings=_SITES,
            never=("BytesIO", "Keep the data in memory"),
        ),
        replace(
            line("sqlite-lookups", "same-bytes-again-read", "CREATE INDEX"),
            says=("EXPLAIN QUERY PLAN",),
        ),
        replace(
            line("next-name", "listed-again many-small-files", "folder"),
            place=HERE,
            settings=_SITES,
            never=("The I/O rate falls", "fallocate"),
        ),
        replace(
            line("staged-copies", "staged-copy", "Read the original", HERE),
            settings=_SITES,
        ),
        line("row-of-csv", again, "memory"),
        line("connect-each", "opened-again", "Open once"),
        line("without-index", again, "memory"),
        line("state-again", "opened-again", "open once"),
        line("memmap-each", "opened-again", "Map the file once"),
        line("status-each", "opened-again", "open once"),
        line("h5-all-for-one", again, "memory"),
        line("h5-shuffled", "chunk-size-large chunk-cache", "chunk"),
        line("h5-string-each", "element-wise", "block", HERE),
        line("nc-point-of-maps", "chunk-cache chunk-size-large", "chunk"),
        line("nc-file-each", "many-small-files", "container"),
        line("table-row-each", "element-wise", "block", HERE),
        line("parquet-batch-each", f"{small} row-groups", "together"),
        line("parquet-column-each", "opened-again", "Read it once"),
        in_c("matrix-by-columns", "stream-seeks random-access-write", "memory"),
        in_c("small-buffer", f"unbuffered-stream-write {small}", "buffer"),
        in_c("value-by-dprintf", small, "together"),
        in_c("index-each", f"{again} random-access-read small-accesses-read", "memory", 8),
        in_c("replaced-each", "rewritten-whole opened-again metadata", "once"),
        in_c("line-over-line", small, "together"),
        in_c("size-before-each", "opened-again metadata", "Query once", 8),
        in_c("records-of-a-stream", "stream-seeks", "memory", 1),
        *job("ordered-lines", "shared-pointer", "its own place")[1:],  # Open MPI's costs little
        *job("number-and-values", "independent-shared-read", "collective", 8),
        *(
            replace(row, settings=(("SLOW_META", "900"),))
            for row in job("log-of-all", "opened-again no-mpi-io", "once")
        ),
        *job("table-by-all", "read-by-all", "MPI_Bcast", 8),
    ]


def _parsed() -> list[Row]:
    """Rows about files that are parsed again. The parser takes its time between the calls."""
    again = "same-bytes-again-read opened-again"

    def parsed(case: str, finding: str = "", remedy: str = "", **more: Any) -> Row:
        return Row("parsed.py", case, finding, remedy, place=HERE, settings=_SITES, **more)

    title = ("opened and parsed again and again",)
    return [
        parsed("config-each", again, "once", says=title),
        parsed("text-each", again, "once"),
        parsed(
            "fields-by-expression",
            says=(
                r"pandas\.read_csv parsed text with the parser that is written in Python",
                "=','",
            ),
            never=("pyarrow",),
        ),
        parsed("zip-member-each", again, "Open the archive once", says=title),
        parsed("row-each", again, "once", says=title),
        parsed("pickle-each", again, "once", says=title),
        parsed(
            "look-ups",
            "waits-for-locks-of-nobody failed-lookups",
            "transaction",
            says=("put the whole loop into one", "SQLite locks its database for each transaction"),
        ),
        parsed(
            "pages-by-offset",
            again,
            "continue after the last key",
            says=("Between these calls the program and its libraries spent",),
        ),
        parsed("table-in-pieces", again, "chunksize"),
        parsed("settings-each-step"),
        parsed("yaml-once", says=("CSafeLoader", "yaml.load parsed YAML for")),
        parsed("passes-of-models", never=("before the loop",)),
        parsed("pages", never=("before the loop",)),
    ]


def _states() -> list[Row]:
    """Rows about programs that save their state."""

    def state(case: str, finding: str = "", remedy: str = "", **more: Any) -> Row:
        return Row("states.py", case, finding, remedy, **more)

    slow = (("SLOW_RATE", "50"),)
    return [
        state(
            "save-each-step",
            "checkpoints-often",
            "less often",
            settings=slow,
            says=(r"/model-\*\.ckpt was saved 8 times: ",),
            never=("Young's formula",),  # of a run that ends before that interval
        ),
        state("parts-of-a-tensor", "checkpoints-often", "part.clone()", settings=slow),
        state(
            "each-rank-saves",
            "saved-by-each",
            "one process save",
            settings=slow,
            tree=2,
            says=(r"Each of 2 processes saved 32\.\d MiB as /\S+/rank\*-\*\.pt, files of its own",),
        ),
        state("parts-by-rank", settings=slow, tree=2, never=("same checkpoint",)),
        state("results-each-step", settings=slow, never=("waits for checkpoints",)),
    ]


def _trees() -> list[Row]:
    """Rows of several processes without MPI: workers, and programs that a program starts."""

    def tree(case: str, finding: str = "", remedy: str = "", at_once: int = 4) -> Row:
        return Row("trees.py", case, finding, remedy, input=8, tree=at_once)

    return [
        tree("table-in-each-worker", "read-by-each", "before", 2),
        tree("program-for-each", "repeated-by-processes", "one call", 1),
        tree("loaders", "read-by-each", "before"),
        *(
            replace(row, place=HERE, settings=_SITES)
            for row in (
                tree("script-for-each", "process-each", "imports once", 1),
                tree("script-that-computes", at_once=1),
            )
        ),
        replace(
            tree("field-in-each-worker", "dataset-read-by-all", "before the workers"),
            place=HERE,
            settings=_SITES,
            says=(r"of /\S+/field\.h5:/x, each for itself: 80\.0 MiB in 4 reads",),
        ),
        *map(tree, ("parts", "own-files", "settings")),
        replace(tree("steps"), place=HERE),
    ]


ROWS: list[Row] = [
    *_sync(),
    *_streams(),
    *_names(),
    *_transfers(),
    *_python(),
    *datasets.rows(),
    *fortran.rows(),
    *_jobs("openmpi"),
    *_jobs("mpich"),
    *_places(),
    *healthy.honest(),
    *_usual(),
    *_parsed(),
    *healthy.sound(),
    *_states(),
    *_trees(),
    *outside.rows(),
    *passed.rows(),
    *readers.rows(),
    *views.rows(),
    *waiting.rows(),
    *words.rows(),
    *in_common.rows(),
]
