"""Rows of the corpus without a problem: idioms and examples of manuals, for which no problem may be
reported."""

from __future__ import annotations

from row import HERE, Row


def honest() -> list[Row]:
    """Rows with common idioms, written after the rules were finished, by an author who had not seen
    the thresholds."""
    far = (
        *("log-of-a-service", "words-of-a-map", "gzip-a-log", "mirror"),
        *("batches-of-a-memmap", "checkpoint", "arrays-packed", "model-pickled"),
        *("folder-of-chunks", "hdf5-grows", "hdf5-packed", "hdf5-batches", "nc-records"),
        *("hdf5-file-per-step", "hdf5-restart", "nc-followed"),
        *("nc-reads", "table-appended", "settings"),
    )
    here = (
        *("csv-reader", "json-lines", "sort-with-temporary-files", "zip-of-sources"),
        *("make-some", "import-in-a-transaction", "look-up", "journal-ahead", "start-only"),
        *("pipe-to-a-program", "tar-of-parts"),  # tarfile writes pieces of 16 KiB
    )
    in_c = ("copy-range", "direct-blocks", "preallocated", "out-of-core", "appends", "image")
    jobs = (
        "file-per-node",
        "settings-for-all",
        "mesh",
        "checkpoint",
        "read-parts",
        "overlapped",
        "settings-by-all",
    )
    return [
        *(Row("honest.py", case) for case in far),
        *(Row("honest.py", case, place=HERE) for case in here),
        Row("honest.py", "disk-use", place=HERE, many=True),
        *(Row("honest.c", case, input=64) for case in (*in_c, "header-and-data")),
        *(Row("honest.c", case, place=HERE, input=8) for case in ("page-cache", "numbers")),
        Row("honest.c", "locked-records"),
        Row("honest.c", "log-by-line"),
        Row("honest.c", "size-by-seek", input=4),
        Row("honest.c", "letters", place=HERE, input=16),
        *(
            Row("honest_jobs.c", case, mpi=mpi, input=64, never=("as binary",))
            for case in jobs
            for mpi in ("openmpi", "mpich")
        ),
    ]


def sound() -> list[Row]:
    """Rows without a problem, from the manuals of the same libraries."""
    far = (
        *("threads-read", "digests", "unpack", "edit-in-place", "download", "rotating-log"),
        *("log-in-memory", "sound", "checkpoints-in-turn", "arrays-once", "part-of-array"),
        *("h5-by-chunk", "h5-strings", "h5-followed", "h5-of-others", "nc-years", "nc-packed"),
        *("table-of-blocks", "parquet-columns"),
    )
    in_c = ("tree", "slices", "send-file", "ring", "sparse", "follow")
    return [
        *(Row("sound.py", case) for case in far),
        *(Row("sound.py", case, place=HERE) for case in ("csv-to-json", "query")),
        *(Row("sound.c", case, input=16) for case in in_c),
        Row("sound.c", "filter", place=HERE, input=16),
        *_no_advice(),
    ]


def _no_advice() -> list[Row]:
    """Returns rows of healthy programs with a kind of I/O that takes long, for which the usual
    advice changes nothing."""
    once, merge = "keep it open", "durable once"
    return [
        Row("sound.c", "copy-durable", input=64, never=(merge, "BEGIN", "as binary", once)),
        *(
            Row("sound.py", case, place=HERE, settings=(("DARSHAN_SITES", "1"),))
            for case in ("templates-found", "template-asked")
        ),
        Row(
            "sound.py",
            "computed-then-written",
            place=HERE,
            never=("passes between",),
            settings=(("DARSHAN_SITES", "1"),),
        ),
        Row("sound.c", "overwritten", never=(once, "many small", "as binary")),
        Row(
            "sound.py",
            "h5-inflated",
            place=HERE,
            says=("packs or unpacks the chunks",),
            never=("larger selections", "converts nothing", r"dataset\[\.\.\.\]"),
        ),
    ]
