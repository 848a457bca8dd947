"""Cases about datasets and HDF5 files; cases.py explains what a case is."""

from __future__ import annotations

from .build import MIB, Job, Row, row, shared

Case = tuple[str, Job, Job]


def _dataset(**values: float) -> tuple[Row, Row]:
    """Returns the LAYERS and H5D records of a dataset."""
    known = {"UPPER_MODULE": 4, "LAYOUT": 2, "CHUNK_CACHE_BYTES": MIB, **values}
    return (
        row("LAYERS", "/f.h5:/d", **known),
        row("H5D", "/f.h5:/d", file="/f.h5", OPENS=1, DATASPACE_NDIMS=3),
    )


def _hdf5_file(**values: float) -> tuple[Row, Row]:
    """Returns the records of an HDF5 file of four processes. values: counters of LAYERS."""
    return (
        row("LAYERS", "/f.h5", UPPER_MODULE=3, **values),
        shared("H5F", "/f.h5", OPENS=4, USE_MPIIO=1),
    )


def _many(number: int, **values: float) -> tuple[Row, ...]:
    """Returns the records of `number` similar datasets, each with these LAYERS counters, and of
    their file."""
    rows = [row("LAYERS", "/f.h5", UPPER_MODULE=3), row("H5F", "/f.h5", OPENS=1)]
    for i in range(number):
        rows.append(row("LAYERS", f"/f.h5:/{i}", UPPER_MODULE=4, **values))
        rows.append(row("H5D", f"/f.h5:/{i}", file="/f.h5", OPENS=1))
    return tuple(rows)


def cases() -> list[Case]:
    """Returns the cases about datasets and HDF5 files."""
    cached = Job(
        _dataset(
            CHUNK_BYTES=8 * MIB, FILTERS=1, READ_CALLS=64, READ_POSIX_READS=64,
            READ_POSIX_BYTES_READ=256 * MIB, DISTINCT_BYTES_READ=64 * MIB,
            BYTES_ASKED_READ=64 * MIB, F_READ_TIME=8.0, F_READ_POSIX_TIME=1.0,
        )
    )  # fmt: skip
    rewritten = Job(
        _dataset(
            CHUNK_BYTES=MIB, FILTERS=1, OPEN_CALLS=1, WRITE_CALLS=128, WRITE_POSIX_READS=508,
            WRITE_POSIX_WRITES=512, WRITE_POSIX_BYTES_READ=32 * MIB,
            WRITE_POSIX_BYTES_WRITTEN=32 * MIB, DISTINCT_BYTES_WRITTEN=MIB,
            BYTES_ASKED_WRITTEN=MIB, F_WRITE_TIME=8.0, F_WRITE_POSIX_TIME=0.2,
        )
    )  # fmt: skip
    flushed = Job(
        _dataset(
            CHUNK_BYTES=65536, WRITE_CALLS=10000, FLUSH_CALLS=1000,
            BYTES_ASKED_WRITTEN=8 * MIB, FLUSH_POSIX_WRITES=1000,
            FLUSH_POSIX_BYTES_WRITTEN=64 * MIB, DISTINCT_BYTES_WRITTEN=8 * MIB,
            F_FLUSH_TIME=6.0, F_WRITE_TIME=1.0,
        ) + _hdf5_file()
    )  # fmt: skip
    opened = Job((
        row("LAYERS", "/f.h5", UPPER_MODULE=3, OPEN_CALLS=300, F_OPEN_TIME=4.0, F_CLOSE_TIME=1.0),
        row("H5F", "/f.h5", OPENS=300),
    ))  # fmt: skip
    objects = Job(_many(1000, OPEN_CALLS=1, WRITE_CALLS=1, BYTES_ASKED_WRITTEN=8,
                        F_OPEN_TIME=0.002, F_CLOSE_TIME=0.001))  # fmt: skip
    searched = Job(_many(400, OPEN_CALLS=20, F_OPEN_TIME=0.006, F_CLOSE_TIME=0.001))
    elements = Job(
        _dataset(WRITE_CALLS=500000, BYTES_ASKED_WRITTEN=4000000, CHUNK_BYTES=MIB,
                 F_WRITE_TIME=2.0)
    )  # fmt: skip
    grain = Job(
        _dataset(
            LAYOUT=1, READ_CALLS=10, READ_POSIX_READS=20000, READ_POSIX_BYTES_READ=80000,
            DISTINCT_BYTES_READ=80000, BYTES_ASKED_READ=80000, F_READ_TIME=5.0,
        )
    )  # fmt: skip
    tiny = Job(
        _dataset(
            CHUNK_BYTES=400, WRITE_CALLS=100, WRITE_POSIX_WRITES=20000,
            WRITE_POSIX_BYTES_WRITTEN=8 * MIB, BYTES_ASKED_WRITTEN=8 * MIB,
            DISTINCT_BYTES_WRITTEN=8 * MIB, F_WRITE_TIME=5.0,
        )
    )  # fmt: skip
    huge = Job(
        _dataset(
            CHUNK_BYTES=8 * MIB, CHUNK_CACHE_BYTES=64 * MIB, READ_CALLS=40,
            READ_POSIX_READS=40, READ_POSIX_BYTES_READ=320 * MIB,
            DISTINCT_BYTES_READ=320 * MIB, BYTES_ASKED_READ=40000, F_READ_TIME=5.0,
        )
    )  # fmt: skip
    filled = Job(
        _dataset(
            LAYOUT=1, OPEN_CALLS=1, OPEN_POSIX_BYTES_WRITTEN=512 * MIB, WRITE_CALLS=4,
            WRITE_POSIX_BYTES_WRITTEN=512 * MIB, BYTES_ASKED_WRITTEN=512 * MIB,
            DISTINCT_BYTES_WRITTEN=512 * MIB, F_OPEN_TIME=4.0, F_WRITE_TIME=4.0,
        )
    )  # fmt: skip
    packed = Job(
        _dataset(
            FILTERS=1, CHUNK_BYTES=MIB, CHUNK_CACHE_BYTES=64 * MIB, WRITE_CALLS=10,
            BYTES_ASKED_WRITTEN=204 * MIB, DISTINCT_BYTES_WRITTEN=195 * MIB,
            WRITE_POSIX_BYTES_WRITTEN=195 * MIB, F_WRITE_TIME=7.0, F_WRITE_POSIX_TIME=1.0,
        )
    )  # fmt: skip
    slow = Job(
        _dataset(CHUNK_BYTES=MIB, FILTERS=1, WRITE_CALLS=20, BYTES_ASKED_WRITTEN=20 * MIB,
                 CLOSE_POSIX_WRITES=20, CLOSE_POSIX_BYTES_WRITTEN=8 * MIB,
                 DISTINCT_BYTES_WRITTEN=8 * MIB, F_CLOSE_TIME=4.0, F_CLOSE_POSIX_TIME=0.1)
    )  # fmt: skip
    headers = Job(
        _hdf5_file(META_POSIX_READS=400, OPEN_POSIX_READS=40, F_META_TIME=6.0, F_OPEN_TIME=2.0,
                   F_META_POSIX_TIME=5.0, F_OPEN_POSIX_TIME=2.0),
        nprocs=4,
    )  # fmt: skip
    inside = Job(
        _hdf5_file(CLOSE_CALLS=4, F_CLOSE_TIME=20.0, F_CLOSE_POSIX_TIME=1.0),
        nprocs=4,
    )  # fmt: skip
    closing = inside.but(F_CLOSE_COMM_TIME=18.0)
    texts = Job((
        row("LAYERS", "/f.h5:/d", UPPER_MODULE=4, LAYOUT=1, READ_CALLS=1, READ_POSIX_READS=2000,
            READ_POSIX_BYTES_READ=96 * MIB, DISTINCT_BYTES_READ=64 * MIB, BYTES_ASKED_READ=8 * MIB,
            F_READ_TIME=3.0, F_READ_POSIX_TIME=0.2),
        row("H5D", "/f.h5:/d", file="/f.h5", OPENS=1, DATASPACE_NPOINTS=MIB, DATATYPE_SIZE=8),
    ))  # fmt: skip
    sieved = Job(
        _dataset(LAYOUT=1, CHUNK_BYTES=-1, READ_CALLS=20000, READ_POSIX_READS=20000,
                 READ_POSIX_BYTES_READ=20000 * 65536, BYTES_ASKED_READ=20000 * 2000,
                 F_READ_TIME=3.0, F_READ_POSIX_TIME=2.0)
    )  # fmt: skip
    stored = Job(
        _dataset(LAYOUT=1, CHUNK_BYTES=-1, WRITE_CALLS=20000, WRITE_POSIX_READS=20000,
                 WRITE_POSIX_WRITES=20000, WRITE_POSIX_BYTES_READ=20000 * 65536,
                 WRITE_POSIX_BYTES_WRITTEN=20000 * 65536, BYTES_ASKED_WRITTEN=20000 * 2000,
                 F_WRITE_TIME=3.0, F_WRITE_POSIX_TIME=2.0)
    )  # fmt: skip
    picked = Job((
        row("LAYERS", "/f.h5:/d", UPPER_MODULE=4, LAYOUT=1, READ_CALLS=2, READ_POSIX_READS=200,
            READ_POSIX_BYTES_READ=8 * MIB, BYTES_ASKED_READ=8 * MIB, F_READ_TIME=3.0,
            F_READ_POSIX_TIME=0.2),
        row("H5D", "/f.h5:/d", file="/f.h5", OPENS=1, READS=2, IRREGULAR_HYPERSLAB_SELECTS=2),
    ))  # fmt: skip
    placed = Job((
        row("LAYERS", "/f.h5:/d", UPPER_MODULE=4, LAYOUT=1, WRITE_CALLS=2, WRITE_POSIX_WRITES=200,
            WRITE_POSIX_BYTES_WRITTEN=8 * MIB, BYTES_ASKED_WRITTEN=8 * MIB, F_WRITE_TIME=3.0,
            F_WRITE_POSIX_TIME=0.2),
        row("H5D", "/f.h5:/d", file="/f.h5", OPENS=1, WRITES=2, POINT_SELECTS=2),
    ))  # fmt: skip
    loaded = Job((
        *_dataset(READ_CALLS=2, BYTES_ASKED_READ=2 * MIB, F_READ_TIME=0.01),
        row("LAYERS", "/f.h5", UPPER_MODULE=3),
        row("H5F", "/f.h5", OPENS=1),
        row("POSIX", "/f.h5", OPENS=1, READS=1, BYTES_READ=800 * MIB, F_READ_TIME=3.0,
            MAX_BYTE_READ=800 * MIB - 1),
    ))  # fmt: skip
    deprecated = Job((row("H5D", "/f.h5:/d", OPENS=1, USE_DEPRECATED=1),))
    return [
        ("chunks-rewritten", rewritten, rewritten.but(WRITE_POSIX_READS=4)),
        ("chunk-cache", cached, cached.but(CHUNK_CACHE_BYTES=80 * MIB)),
        ("scattered-selection-reads", picked, picked.but(FILTERS=1)),
        ("scattered-selection-writes", placed, placed.but(1, POINT_SELECTS=0)),
        ("loaded-whole", loaded, loaded.but(READ_POSIX_BYTES_READ=2 * MIB)),
        ("sieve-buffer-read", sieved, sieved.but(READ_POSIX_READS=5000)),
        ("sieve-buffer-write", stored, stored.but(F_WRITE_MPIIO_TIME=0.5)),
        ("flush-per-chunk", flushed, flushed.but(FLUSH_CALLS=9, DISTINCT_BYTES_WRITTEN=60 * MIB)),
        ("hdf5-opened-again", opened, opened.but(1, OPENS=2)),
        ("objects-searched", searched,
         Job(_many(400, OPEN_CALLS=20, F_OPEN_TIME=0.006, WRITE_CALLS=20))),
        ("many-objects", objects, Job(objects.rows[:90])),
        ("element-wise", elements, elements.but(WRITE_CALLS=500)),
        ("across-the-grain", grain, grain.but(READ_CALLS=5000)),
        ("chunk-size-small", tiny, tiny.but(CHUNK_BYTES=65536)),
        ("chunk-size-large", huge, huge.but(BYTES_ASKED_READ=300 * MIB)),
        ("fill-values", filled, filled.but(OPEN_POSIX_BYTES_WRITTEN=4096)),
        ("little-compression", packed, packed.but(DISTINCT_BYTES_WRITTEN=100 * MIB)),
        ("slow-compression", slow, slow.but(F_CLOSE_TIME=2.0)),
        ("collective-metadata", headers, headers.but(META_POSIX_READS=4, OPEN_POSIX_READS=4)),
        ("hdf5-file-time-waiting", closing, inside),
        ("hdf5-file-time-inside", inside, inside.but(F_CLOSE_POSIX_TIME=19.0)),
        ("variable-length", texts, texts.but(DISTINCT_BYTES_READ=16 * MIB)),
        ("deprecated-calls", deprecated, deprecated.but(USE_DEPRECATED=0)),
    ]  # fmt: skip
