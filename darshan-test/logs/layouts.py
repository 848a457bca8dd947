"""Counter names of every record version, in the order of the file.

A list is written in a short form: words without the module's prefix, in which `{size}` stands for
the ten size classes and `{1-4}` for the digits 1 to 4."""

from __future__ import annotations

import re
from dataclasses import dataclass

BOUNDS = ("0", "100", "1K", "10K", "100K", "1M", "4M", "10M", "100M", "1G", "PLUS")
SIZES = [f"{low}_{high}" for low, high in zip(BOUNDS, BOUNDS[1:])]

RANKS = "FASTEST_RANK FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES"
COMMON = "ACCESS{1-4}_ACCESS ACCESS{1-4}_COUNT"
HISTOGRAM = "SIZE_READ_{size} SIZE_WRITE_{size}"
HISTOGRAM_AGG = "SIZE_READ_AGG_{size} SIZE_WRITE_AGG_{size}"
SLOWEST_OP = "MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE"
TUPLES = (
    " ".join(
        f"ACCESS{i}_ACCESS ACCESS{i}_LENGTH_D{{1-5}} ACCESS{i}_STRIDE_D{{1-5}}" for i in "1234"
    )
    + " ACCESS{1-4}_COUNT"
)

POSIX_TAIL = (
    "BYTES_READ BYTES_WRITTEN MAX_BYTE_READ MAX_BYTE_WRITTEN CONSEC_READS CONSEC_WRITES "
    "SEQ_READS SEQ_WRITES RW_SWITCHES MEM_NOT_ALIGNED MEM_ALIGNMENT FILE_NOT_ALIGNED "
    f"FILE_ALIGNMENT {SLOWEST_OP} {HISTOGRAM} STRIDE{{1-4}}_STRIDE STRIDE{{1-4}}_COUNT "
    f"{COMMON} {RANKS}"
)
POSIX_3 = f"OPENS READS WRITES SEEKS STATS MMAPS FSYNCS FDSYNCS MODE {POSIX_TAIL}"
POSIX_1 = POSIX_3.replace("MMAPS", "MMAPS FOPENS FREADS FWRITES FSEEKS")
POSIX_4 = (
    "OPENS FILENOS DUPS READS WRITES SEEKS STATS MMAPS FSYNCS FDSYNCS RENAME_SOURCES "
    f"RENAME_TARGETS RENAMED_FROM MODE {POSIX_TAIL}"
)
MPIIO = (
    "INDEP_OPENS COLL_OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES SPLIT_READS "
    "SPLIT_WRITES NB_READS NB_WRITES SYNCS HINTS VIEWS MODE BYTES_READ BYTES_WRITTEN "
    f"RW_SWITCHES {SLOWEST_OP} {HISTOGRAM_AGG} {COMMON} {RANKS}"
)
STDIO_2 = (
    "OPENS FDOPENS READS WRITES SEEKS FLUSHES BYTES_WRITTEN BYTES_READ MAX_BYTE_READ "
    f"MAX_BYTE_WRITTEN {RANKS}"
)
H5D = (
    "OPENS READS WRITES FLUSHES BYTES_READ BYTES_WRITTEN RW_SWITCHES REGULAR_HYPERSLAB_SELECTS "
    f"IRREGULAR_HYPERSLAB_SELECTS POINT_SELECTS {SLOWEST_OP} {HISTOGRAM_AGG} {TUPLES} "
    "DATASPACE_NDIMS DATASPACE_NPOINTS DATATYPE_SIZE CHUNK_SIZE_D{1-5} USE_MPIIO_COLLECTIVE "
    f"USE_DEPRECATED {RANKS}"
)
FORMS = "VAR VAR1 VARA VARS VARM VARN"
PNETCDF_FORMS = [f"{op}_{form}" for op in ("PUT", "GET") for form in [*FORMS.split(), "VARD"]] + [
    f"{op}_{form}" for op in ("IPUT", "IGET", "BPUT") for form in FORMS.split()
]
PNETCDF_VAR = (
    "OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES NB_READS NB_WRITES BYTES_READ "
    f"BYTES_WRITTEN RW_SWITCHES {' '.join(PNETCDF_FORMS)} {SLOWEST_OP} {HISTOGRAM_AGG} "
    f"{TUPLES} NDIMS NPOINTS DATATYPE_SIZE IS_RECORD_VAR {RANKS}"
)
PNETCDF_FILE = (
    "CREATES OPENS REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN WAIT_FAILURES"
)
BGQ = (
    "CSJOBID NNODES RANKSPERNODE DDRPERNODE INODES ANODES BNODES CNODES DNODES ENODES TORUSENABLED"
)
DFS = (
    "OPENS GLOBAL_OPENS LOOKUPS DUPS READS READXS WRITES WRITEXS NB_READS NB_WRITES GET_SIZES "
    f"PUNCHES REMOVES STATS BYTES_READ BYTES_WRITTEN RW_SWITCHES {SLOWEST_OP} {HISTOGRAM} "
    f"{COMMON} CHUNK_SIZE {RANKS}"
)
DAOS = (
    "OBJ_OPENS OBJ_FETCHES OBJ_UPDATES OBJ_PUNCHES OBJ_DKEY_PUNCHES OBJ_AKEY_PUNCHES "
    "OBJ_DKEY_LISTS OBJ_AKEY_LISTS OBJ_RECX_LISTS ARRAY_OPENS ARRAY_READS ARRAY_WRITES "
    "ARRAY_GET_SIZES ARRAY_SET_SIZES ARRAY_STATS ARRAY_PUNCHES ARRAY_DESTROYS KV_OPENS KV_GETS "
    "KV_PUTS KV_REMOVES KV_LISTS KV_DESTROYS NB_OPS BYTES_READ BYTES_WRITTEN RW_SWITCHES "
    f"{SLOWEST_OP} {HISTOGRAM} {COMMON} OBJ_OTYPE ARRAY_CELL_SIZE ARRAY_CHUNK_SIZE {RANKS}"
)
POSIX_EXT = (
    "ACCESSES MISSES TRUNCATES FALLOCATES ALLOC_BYTES SENDFILES COPY_RANGES SPLICES UNLINKS "
    "RMDIRS LINKS MKDIRS SETATTRS DIR_OPENS DIR_ENTRIES MMAP_BYTES MSYNCS MSYNC_BYTES RANGE_SYNCS "
    "SYNCS LOCKS AIO_SUBMITS AIO_WAITS KAIO_SUBMITS URING_RINGS INLINED"
)
STDIO_EXT = (
    "FILLS FILLED_BYTES DRAINS DRAINED_BYTES UNBUFFERED LINE_DRAINS FLUSH_DRAINS DISCARDS "
    "BUFFER_BYTES FIFO_OPENS"
)
STDIO_EXT_TIMES = "F_FILL_TIME F_DRAIN_TIME F_FLUSH_TIME F_SEEK_TIME"
GROUP_SKETCH = " ".join(f"SKETCH_{i:02}" for i in range(32))
POSIX_EXT_TIMES = "F_META_TIME F_SYNC_TIME F_LOCK_TIME F_AIO_WAIT_TIME"
H5_META = (
    "ATTR_CREATES ATTR_OPENS ATTR_READS ATTR_WRITES ATTR_DELETES ATTR_OTHER GROUP_CREATES "
    "GROUP_OPENS GROUP_OTHER LINK_CREATES LINK_DELETES LINK_OTHER OBJECT_OPENS OBJECT_COPIES "
    "OBJECT_OTHER TYPE_COMMITS TYPE_OPENS SET_EXTENTS REFRESHES CHUNK_READS CHUNK_WRITES "
    "SWMR_STARTS MULTI_OPS"
)
MPIIO_EXT = (
    "DELETES SEEKS SHARED_SEEKS SET_SIZES PREALLOCATES GET_SIZES INFO_SETS ATOMICITY_SETS ATOMIC "
    "SHARED_READS SHARED_WRITES READS_DONE WRITES_DONE BYTES_READ_DONE BYTES_WRITTEN_DONE "
    "SHORT_READS SHORT_WRITES WITHOUT_STATUS NB_WAITS NB_OUTSTANDING_MAX NB_FREED"
)
MPIIO_EXT_TIMES = (
    "F_META_TIME F_NB_WAIT_TIME F_NB_READ_TIME F_NB_WRITE_TIME F_SPLIT_READ_END_TIME "
    "F_SPLIT_WRITE_END_TIME F_SPLIT_READ_TIME F_SPLIT_WRITE_TIME F_READ_DONE_TIMESTAMP "
    "F_WRITE_DONE_TIMESTAMP"
)
SITES = (
    "KIND FRAMES PROCESSES OPENS CLOSES READS WRITES LOOKUPS SEEKS SYNCS OTHERS BYTES_READ "
    "BYTES_WRITTEN SIZE_READ_{size} SIZE_WRITE_{size} GAPS_SHORT GAPS_MEDIUM GAPS_LONG CONSECUTIVE "
    "FORWARD BACKWARD REPEATED FILE_SWITCHES"
)
SITES_TIMES = (
    "F_OPEN_TIME F_CLOSE_TIME F_READ_TIME F_WRITE_TIME F_LOOKUP_TIME F_SEEK_TIME F_SYNC_TIME "
    "F_OTHER_TIME F_GAP_SHORT_TIME F_GAP_MEDIUM_TIME F_GAP_LONG_TIME F_LONGEST F_START_TIMESTAMP "
    "F_END_TIMESTAMP"
)
SITE_RANKS = "FASTEST_RANK SLOWEST_RANK"
SITE_RANK_TIMES = "F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME"
SITE_FILES = "FILE{1-4}_BY_CALLS FILE{1-4}_CALLS FILE{1-4}_BY_BYTES FILE{1-4}_BYTES FILE_BITS"
OPERATIONS = ("OPEN", "READ", "WRITE", "FLUSH", "CLOSE", "ATTR", "META")
BELOW = (
    "CALLS POSIX_READS POSIX_WRITES POSIX_OTHER POSIX_BYTES_READ POSIX_BYTES_WRITTEN STDIO_CALLS "
    "STDIO_BYTES_READ STDIO_BYTES_WRITTEN MPIIO_CALLS MPIIO_BYTES_READ MPIIO_BYTES_WRITTEN "
    "COMM_CALLS"
)
LAYERS = " ".join(
    [
        "UPPER_MODULE",
        *(f"{operation}_{below}" for operation in OPERATIONS for below in BELOW.split()),
        *(
            f"{operation}_SIZE_POSIX_{kind}_{{size}}"
            for operation in OPERATIONS
            for kind in ("READ", "WRITE")
        ),
        "SIZE_MPIIO_READ_{size} SIZE_MPIIO_WRITE_{size} BYTES_ASKED_READ BYTES_ASKED_WRITTEN",
        "DISTINCT_BYTES_READ DISTINCT_BYTES_WRITTEN DISTINCT_ERROR DISTINCT_RAW_BYTES_READ",
        "DISTINCT_RAW_BYTES_WRITTEN LAYOUT FILTERS CHUNK_BYTES CHUNK_CACHE_BYTES CHUNK_CACHE_SLOTS",
    ]
)
PROCESS = (
    "COUNT PID PARENT PARENT_RANK PROGRAMS LAUNCHER JOB_RANKS ENDED STATUS FAILED OPENS READS "
    "WRITES BYTES_READ BYTES_WRITTEN"
)
PROCESS_TIMES = "F_START_TIMESTAMP F_END_TIMESTAMP F_READ_TIME F_WRITE_TIME F_META_TIME"
LAYERS_TIMES = " ".join(
    [
        f"F_{operation}{layer}_TIME"
        for operation in OPERATIONS
        for layer in ("", "_POSIX", "_STDIO", "_MPIIO", "_COMM")
    ]
    + ["F_CHUNK_CACHE_PREEMPTION"]
)

TIMES = (
    "F_READ_TIME F_WRITE_TIME F_META_TIME F_MAX_READ_TIME F_MAX_WRITE_TIME F_FASTEST_RANK_TIME "
    "F_SLOWEST_RANK_TIME"
)
VARIANCES = "F_VARIANCE_RANK_TIME F_VARIANCE_RANK_BYTES"


def stamps(kinds: str) -> str:
    """Returns the names of timestamp counters, without prefix, from short forms: `O>` means
    OPEN_START, `>O` OPEN_END, `O` the old name OPEN; likewise for R, W, C and N."""
    words = {"O": "OPEN", "R": "READ", "W": "WRITE", "C": "CLOSE", "N": "WAIT"}
    names = []
    for kind in kinds.split():
        end = "_START" if kind[-1] == ">" else "_END" if kind[0] == ">" else ""
        names.append(f"F_{words[kind.strip('>')]}{end}_TIMESTAMP")
    return " ".join(names)


OLD_TIMES = f"{stamps('O R> W> >R >W C')} {TIMES} {VARIANCES}"
NEW_TIMES = f"{stamps('O> R> W> C> >O >R >W >C')} {TIMES}"
STDIO_TIMES = (
    f"F_META_TIME F_WRITE_TIME F_READ_TIME {stamps('O> C> W> R> >O >C >W >R')} "
    f"F_FASTEST_RANK_TIME F_SLOWEST_RANK_TIME {VARIANCES}"
)


@dataclass(frozen=True)
class Layout:
    """The layout of a record version: the names of the integer and floating-point counters in the
    order of the file, and other fields."""

    counters: tuple[str, ...]
    fcounters: tuple[str, ...]
    file_id: bool = False  # u64 id of the containing file before the counters
    padding: int = 0  # bytes between rank and counters
    tail: str = ""  # fields after the fcounters, see encode.py


def names(prefix: str, short: str) -> tuple[str, ...]:
    """Returns the full counter names of a list in the short form that the file's head describes.
    prefix: of the module."""
    out: list[str] = []
    for word in short.split():
        digits = re.search(r"\{1-(\d)\}", word)
        if "{size}" in word:
            out += [word.replace("{size}", size) for size in SIZES]
        elif digits:
            last = int(digits[1])
            out += [word.replace(digits[0], str(i)) for i in range(1, last + 1)]
        else:
            out.append(word)
    return tuple(f"{prefix}_{word}" for word in out)


def layout(prefix: str, counters: str, fcounters: str, **extra: object) -> Layout:
    """Returns a layout from lists in short form. fcounters: the times. extra: other fields."""
    return Layout(names(prefix, counters), names(prefix, fcounters), **extra)  # type: ignore[arg-type]


def grown(prefix: str, *versions: tuple[str, str]) -> dict[int, Layout]:
    """Returns the layouts of a module by version, from 1. versions: for each version, the counters
    and the floating-point counters, in short form, that it adds to the previous one."""
    made = {}
    counters, times = "", ""
    for version, (more, more_times) in enumerate(versions, 1):
        counters, times = f"{counters} {more}", f"{times} {more_times}"
        made[version] = layout(prefix, counters, times)
    return made


FULL_TIMES = f"{NEW_TIMES} {VARIANCES}"

# By module's name and version: the layout. The last version is the newest.
LAYOUTS: dict[str, dict[int, Layout]] = {
    "POSIX": {
        1: layout("POSIX", POSIX_1, OLD_TIMES),
        2: layout("POSIX", POSIX_3, OLD_TIMES),
        3: layout("POSIX", POSIX_3, FULL_TIMES),
        4: layout("POSIX", POSIX_4, FULL_TIMES),
    },
    "MPI-IO": {
        1: layout("MPIIO", MPIIO, OLD_TIMES),
        2: layout("MPIIO", MPIIO, OLD_TIMES),
        3: layout("MPIIO", MPIIO, FULL_TIMES),
    },
    "STDIO": {
        1: layout("STDIO", STDIO_2.replace("FDOPENS ", ""), STDIO_TIMES),
        2: layout("STDIO", STDIO_2, STDIO_TIMES),
    },
    "H5F": {
        1: layout("HDF5", "OPENS", stamps("O C")),
        2: layout("HDF5", "OPENS", stamps("O> C> >O >C")),
        3: layout("H5F", "OPENS FLUSHES USE_MPIIO", stamps("O> C> >O >C") + " F_META_TIME"),
    },
    "H5D": {
        1: layout("H5D", H5D, FULL_TIMES),
        2: layout("H5D", H5D, FULL_TIMES, file_id=True),
    },
    "PNETCDF_FILE": {
        1: layout("PNETCDF", "INDEP_OPENS COLL_OPENS", stamps("O C")),
        2: layout("PNETCDF", "INDEP_OPENS COLL_OPENS", stamps("O> C> >O >C")),
        3: layout(
            "PNETCDF_FILE", PNETCDF_FILE, stamps("O> C> N> >O >C >N") + " F_META_TIME F_WAIT_TIME"
        ),
    },
    "PNETCDF_VAR": {1: layout("PNETCDF_VAR", PNETCDF_VAR, FULL_TIMES, file_id=True)},
    "BG/Q": {
        1: layout("BGQ", BGQ, "F_TIMESTAMP", padding=8),
        2: layout("BGQ", BGQ, "F_TIMESTAMP"),
    },
    "MDHIM": {
        1: layout(
            "MDHIM",
            "PUTS GETS PUT_MAX_SIZE GET_MAX_SIZE SERVERS",
            "F_PUT_TIMESTAMP F_GET_TIMESTAMP F_PUT_MAX_DURATION F_GET_MAX_DURATION",
            tail="servers",
        )
    },
    "DFS": {1: layout("DFS", DFS, NEW_TIMES, tail="uuids")},
    "DAOS": {1: layout("DAOS", DAOS, NEW_TIMES, tail="object")},
    "POSIX_EXT": grown(
        "POSIX_EXT",
        (POSIX_EXT, POSIX_EXT_TIMES),
        ("SYNC_OPENS UNPLACED_READ UNPLACED_WRITTEN", "F_FSYNC_TIME F_MISS_TIME F_LIST_TIME"),
        ("FIFO_OPENS DIR_REOPENS", ""),
        ("URING_SUBMITS URING_UNSEEN", ""),
        ("MMAP_TOUCHED MMAP_WRITABLE MMAP_DIRTY MMAP_POPULATED MMAP_UNMEASURED", ""),
        ("MMAP_ESTIMATED", ""),
        ("MMAP_FAULTS MMAP_FAULTS_FORWARD MMAP_FAULTS_NEAR MMAP_FAULTS_LOST", ""),
        ("RENAMES", ""),
        ("FOLDER_STATS RESOLVES FAILURES", ""),
        ("", "F_MAP_TIME"),
        ("SPARSE_SIZE SPARSE_ALLOCATED", ""),
    ),
    "H5_META": {
        1: layout(
            "H5_META", H5_META, "F_ATTR_TIME F_GROUP_TIME F_LINK_TIME F_OBJECT_TIME F_OTHER_TIME"
        )
    },
    "LAYERS": grown("LAYERS", (LAYERS, LAYERS_TIMES), ("SELECTED_PIECES", "")),
    "MPIIO_EXT": {1: layout("MPIIO_EXT", MPIIO_EXT, MPIIO_EXT_TIMES)},
    "SHARED": {1: layout("SHARED", "MODULE RANKS LOWEST_RANK HIGHEST_RANK", "")},
    "PROCESS": grown(
        "PROCESS",
        (PROCESS, PROCESS_TIMES),
        ("WORLD_RANK WORLD_SIZE LAUNCH", ""),
        ("UNSEEN", ""),
    ),
    "STDIO_EXT": {1: layout("STDIO_EXT", STDIO_EXT, STDIO_EXT_TIMES)},
    "USAGE": {
        1: layout(
            "USAGE",
            "PROCESSES CHARS_READ CHARS_WRITTEN READ_CALLS WRITE_CALLS CANCELLED STORAGE_READ "
            "STORAGE_WRITTEN STORAGE_START EXCLUDED_READ EXCLUDED_WRITTEN LOADED MINOR_FAULTS "
            "MAJOR_FAULTS WAITS PREEMPTIONS",
            "F_USER_TIME F_SYSTEM_TIME F_RUNNABLE_TIME F_BLOCKED_TIME",
        )
    },
    "GROUP": {1: layout("GROUP", f"KIND FILES SEEN {GROUP_SKETCH}", "")},
    "SITES": grown("SITES", (SITES, SITES_TIMES), (SITE_FILES, ""), (SITE_RANKS, SITE_RANK_TIMES)),
}

# The value that readers give a counter that is newer than the record, if it is not -1.
NOT_YET = {
    "POSIX_RENAMED_FROM": 0,
    "POSIX_EXT_F_MAP_TIME": 0,
    "POSIX_EXT_SPARSE_SIZE": 0,
    "POSIX_EXT_SPARSE_ALLOCATED": 0,
    "PROCESS_WORLD_SIZE": 0,
    "PROCESS_LAUNCH": 0,
    "PROCESS_UNSEEN": 0,
    **dict.fromkeys(names("SITES", SITE_FILES), 0),
}

# Current ids, in order; None is an unused id.
MODULE_NAMES = [
    *("NULL", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE"),
    *("STDIO", "DXT_POSIX", "DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP", "DFS", "DAOS"),
]
ANNEX_NAMES = (
    *("POSIX_EXT", "H5_META", "LAYERS", "MPIIO_EXT", "SHARED", "PROCESS", "STDIO_EXT"),
    *("USAGE", "GROUP", "SITES"),
)
MODULE_IDS = {name: i for i, name in enumerate(MODULE_NAMES)}
MODULE_IDS |= {name: i for i, name in enumerate(ANNEX_NAMES, 64)} | {
    "MPIWAIT": 75,
    "TRAINING_TIME": 77,
}

# Slot of each module in the header's map of older formats.
SLOTS_320 = "NULL POSIX MPI-IO H5F H5D PNETCDF_FILE BG/Q LUSTRE STDIO DXT_POSIX DXT_MPIIO MDHIM"
SLOTS_321 = f"{SLOTS_320} APXC APMPI HEATMAP".split()
SLOTS_310 = SLOTS_320.replace("H5D ", "").split()


def slot(log_version: str, module: int) -> int:
    """Returns the index of a module in the tables of the header of this format version. module: its
    id in version 3.41. Raises KeyError if the version does not have the module."""
    if log_version in ("3.00", "3.10"):
        order = SLOTS_310
    elif log_version in ("3.20", "3.21"):
        order = SLOTS_321
    else:
        return module
    places = {name: i for i, name in enumerate(order)}
    return places[MODULE_NAMES[module]]
