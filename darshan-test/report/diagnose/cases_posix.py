"""Cases about the files of one process; cases.py explains what a case is."""

from __future__ import annotations

from dataclasses import replace

from .build import MIB, Job, number_of, row

Case = tuple[str, Job, Job]


def _sparse() -> Job:
    """Returns a job that reads the holes of a sparse file."""
    return Job(
        (
            row("POSIX", "/image", OPENS=1, READS=2048, CONSEC_READS=2047, SEQ_READS=2047,
                BYTES_READ=2048 * MIB, MAX_BYTE_READ=2048 * MIB - 1, F_READ_TIME=2.0,
                SIZE_READ_1M_4M=2048),
            row("POSIX_EXT", "/image", SPARSE_SIZE=2048 * MIB, SPARSE_ALLOCATED=3 * MIB),
        ),
        mount=b"ext4",
    )  # fmt: skip


def _read_slowly() -> list[tuple[str, Job, Job]]:
    """Returns the cases about files that are read in a slow way."""
    pickled = Job(
        (
            row("POSIX", "/a.pkl", OPENS=1, READS=9000, BYTES_READ=36 * MIB, F_READ_TIME=0.1),
            row("SITES", "read;/a.py:3:load", FRAMES=1, PROCESSES=1, READS=9000, FILE_BITS=1,
                BYTES_READ=36 * MIB, F_GAP_SHORT_TIME=6.0, FILE1_BY_CALLS=number_of("/a.pkl"),
                FILE1_CALLS=9000),
        )
    )  # fmt: skip
    photos = [
        row("POSIX", f"/p/{i}.raw", OPENS=1, READS=2, BYTES_READ=90 * MIB + min(i, 50),
            MAX_BYTE_READ=90 * MIB + min(i, 50) - 1, F_READ_TIME=0.01) for i in range(52)
    ]  # fmt: skip
    compared = Job(
        (
            row("SITES", "read;/a.py:3:same", FRAMES=1, PROCESSES=1, READS=104,
                BYTES_READ=52 * 90 * MIB, F_GAP_LONG_TIME=9.0),
            *photos,
        )
    )  # fmt: skip
    absent = Job(
        (
            row("POSIX_EXT", "/a", FOLDER_STATS=30_000, F_META_TIME=0.3),
            row("SITES", "import;/a.py:3:one", FRAMES=1, PROCESSES=1, LOOKUPS=30_000,
                F_LOOKUP_TIME=0.3, F_GAP_SHORT_TIME=4.0),
        ),
        command=b"python3 a.py",
    )  # fmt: skip
    return [
        ("failed-imports", absent, absent.but(1, OPENS=3000)),
        ("compared-whole", compared, compared.but(52, BYTES_READ=80 * MIB)),
        ("old-pickle", pickled, pickled.but(1, READS=500)),
    ]


def cases() -> list[Case]:
    """Returns the cases about files."""
    reread = Job(
        (
            row(
                "POSIX",
                "/a",
                READS=100,
                BYTES_READ=400 * MIB,
                MAX_BYTE_READ=100 * MIB - 1,
                SEQ_READS=100,
                F_READ_TIME=6.0,
            ),
        )
    )
    rewritten = Job(
        (
            row(
                "POSIX",
                "/a",
                WRITES=100,
                BYTES_WRITTEN=400 * MIB,
                MAX_BYTE_WRITTEN=100 * MIB - 1,
                SEQ_WRITES=100,
                F_WRITE_TIME=6.0,
            ),
        )
    )
    staged = Job(
        (
            row("POSIX", "/data/a.bin", OPENS=1, READS=8, SEQ_READS=7, BYTES_READ=64 * MIB,
                MAX_BYTE_READ=64 * MIB - 1, F_READ_TIME=4.0),
            row("POSIX", "/scratch/a.bin", OPENS=2, READS=8, SEQ_READS=7, BYTES_READ=64 * MIB,
                MAX_BYTE_READ=64 * MIB - 1, F_READ_TIME=0.1, WRITES=8, SEQ_WRITES=7,
                BYTES_WRITTEN=64 * MIB, MAX_BYTE_WRITTEN=64 * MIB - 1, F_WRITE_TIME=1.0),
            row("POSIX_EXT", "/scratch/a.bin", UNLINKS=1, F_META_TIME=0.1),
        )
    )  # fmt: skip
    copied = Job(
        (
            row(
                "POSIX",
                "/d/a",
                READS=90,
                BYTES_READ=90 * MIB,
                MAX_BYTE_READ=10 * MIB - 1,
                WRITES=9,
                BYTES_WRITTEN=9000,
                F_READ_TIME=1.0,
            ),
            row(
                "POSIX",
                "/d/.a.bck",
                WRITES=90,
                BYTES_WRITTEN=90 * MIB,
                MAX_BYTE_WRITTEN=10 * MIB - 1,
                F_WRITE_TIME=2.0,
            ),
        )
    )
    small = Job(
        (
            row(
                "POSIX",
                "/a",
                READS=50000,
                SEQ_READS=50000,
                BYTES_READ=5000000,
                MAX_BYTE_READ=4999999,
                SIZE_READ_0_100=50000,
                F_READ_TIME=3.0,
            ),
        )
    )
    small_writes = Job(
        (
            row(
                "POSIX",
                "/a",
                WRITES=50000,
                SEQ_WRITES=50000,
                BYTES_WRITTEN=5000000,
                MAX_BYTE_WRITTEN=4999999,
                SIZE_WRITE_0_100=50000,
                F_WRITE_TIME=3.0,
            ),
        )
    )
    odd = Job(
        (
            row(
                "POSIX",
                "/a",
                WRITES=2000,
                SEQ_WRITES=2000,
                BYTES_WRITTEN=4000 * MIB,
                MAX_BYTE_WRITTEN=4000 * MIB,
                SIZE_WRITE_1M_4M=2000,
                FILE_NOT_ALIGNED=1900,
                FILE_ALIGNMENT=MIB,
                F_WRITE_TIME=8.0,
            ),
        ),
        mount=b"lustre",
    )
    refilled = Job(
        (
            row("POSIX", "/table", OPENS=1, READS=20000, SEEKS=20000, BYTES_READ=20000 * 8191,
                MAX_BYTE_READ=200_000, SIZE_READ_1K_10K=20000, ACCESS1_ACCESS=8191,
                ACCESS1_COUNT=20000, F_READ_TIME=2.0, F_META_TIME=1.0),
        ),
        metadata=b"lib_ver=3.5.0\nlanguage=C++\n",
    )  # fmt: skip
    random = Job(
        (
            row(
                "POSIX",
                "/a",
                OPENS=1,
                READS=10000,
                SEQ_READS=5000,
                BYTES_READ=2000 * MIB,
                MAX_BYTE_READ=4000 * MIB,
                SIZE_READ_100K_1M=10000,
                F_READ_TIME=8.0,
            ),
        )
    )
    random_writes = Job(
        (
            row(
                "POSIX",
                "/a",
                OPENS=1,
                WRITES=10000,
                SEQ_WRITES=5000,
                BYTES_WRITTEN=2000 * MIB,
                MAX_BYTE_WRITTEN=4000 * MIB,
                SIZE_WRITE_100K_1M=10000,
                F_WRITE_TIME=8.0,
            ),
        )
    )
    switches = Job(
        (
            row(
                "POSIX",
                "/a",
                READS=5000,
                WRITES=5000,
                SEQ_READS=5000,
                SEQ_WRITES=5000,
                RW_SWITCHES=9999,
                BYTES_READ=1000 * MIB,
                BYTES_WRITTEN=1000 * MIB,
                MAX_BYTE_READ=1000 * MIB,
                MAX_BYTE_WRITTEN=1000 * MIB,
                SIZE_READ_100K_1M=5000,
                SIZE_WRITE_100K_1M=5000,
                F_READ_TIME=4.0,
                F_WRITE_TIME=4.0,
            ),
        )
    )
    opened = Job((row("POSIX", "/a", OPENS=5000, STATS=5000, F_META_TIME=4.0),))
    metadata = Job(
        tuple(row("POSIX", f"/a{i}", OPENS=2, STATS=2, F_META_TIME=0.01) for i in range(400))
    )
    many = Job(
        tuple(
            row(
                "POSIX",
                f"/m/{i}",
                OPENS=1,
                READS=1,
                BYTES_READ=4096,
                MAX_BYTE_READ=4095,
                F_META_TIME=0.002,
            )
            for i in range(1500)
        )
    )
    synced = Job(
        (
            row(
                "POSIX",
                "/a",
                WRITES=100,
                BYTES_WRITTEN=6 * MIB,
                SEQ_WRITES=100,
                FSYNCS=100,
                MAX_BYTE_WRITTEN=6 * MIB,
                F_WRITE_TIME=6.0,
            ),
            row("POSIX_EXT", "/a", F_FSYNC_TIME=5.0),
        )
    )
    lonely = Job((row("POSIX_EXT", "/a", LOCKS=2_000_000, F_LOCK_TIME=4.0),))
    locked = Job((row("POSIX_EXT", "/a", LOCKS=200, F_LOCK_TIME=4.0),))
    polled = Job(
        (
            row("POSIX_EXT", "/data", MISSES=500_000, F_MISS_TIME=2.0),
            row("SITES", "stat;/a.py:3:wait", FRAMES=1, PROCESSES=1, LOOKUPS=500_000,
                FILE_BITS=1, F_LOOKUP_TIME=3.0, F_GAP_SHORT_TIME=2.0),
        )
    )  # fmt: skip
    missing = Job(
        (
            row("POSIX_EXT", "/data/done", MISSES=4900, F_MISS_TIME=3.9),
            row("POSIX_EXT", "<other paths>", MISSES=100, F_MISS_TIME=0.1),
        )
    )
    listing = Job(
        (row("POSIX_EXT", "<other paths>", DIR_OPENS=500, DIR_REOPENS=499, F_LIST_TIME=4.0),)
    )
    telling = Job((row("POSIX", "/a", OPENS=1, SEEKS=2_000_000, F_META_TIME=4.0),))
    aligned = Job(
        (
            row(
                "POSIX",
                "/a",
                READS=2000,
                SEQ_READS=2000,
                BYTES_READ=2000 * MIB,
                MAX_BYTE_READ=2000 * MIB,
                SIZE_READ_1M_4M=2000,
                MEM_NOT_ALIGNED=1900,
                MEM_ALIGNMENT=8,
                F_READ_TIME=2.0,
            ),
        )
    )
    gpu = Job(
        (
            row(
                "GDS",
                "/model.bin",
                OPENS=1,
                READS=100,
                BYTES_READ=400 * MIB,
                COMPAT_BYTES_READ=300 * MIB,
                SIZE_READ_1M_4M=100,
                UNALIGNED=100,
                F_READ_TIME=4.0,
            ),
        )
    )
    mapped = Job(
        (
            row("POSIX", "/a", MMAPS=1),
            row("POSIX_EXT", "/a", MMAP_BYTES=10 * MIB, MMAP_TOUCHED=10 * MIB),
        )
    )
    moved = Job(
        (
            row("POSIX", "/a.nc", OPENS=1, READS=200_000, WRITES=100_000, SEEKS=400_000,
                SEQ_READS=8000, SEQ_WRITES=8000, RW_SWITCHES=200_000,
                BYTES_READ=1500 * MIB, BYTES_WRITTEN=800 * MIB, MAX_BYTE_READ=40 * MIB - 1,
                MAX_BYTE_WRITTEN=40 * MIB - 1, SIZE_READ_1K_10K=200_000,
                SIZE_WRITE_1K_10K=100_000, F_READ_TIME=2.0, F_WRITE_TIME=1.0, F_META_TIME=0.5),
        )
    )  # fmt: skip
    stored = Job(
        (
            row("POSIX", "/a", OPENS=1, READS=1, BYTES_READ=MIB),
            row("USAGE", "<process>", PROCESSES=1, STORAGE_READ=400 * MIB, F_BLOCKED_TIME=9.0),
        )
    )
    paged = Job(
        (
            row("POSIX", "/a", OPENS=1, MMAPS=1),
            row("POSIX_EXT", "/a", MMAP_BYTES=64 * MIB, MMAP_TOUCHED=64 * MIB),
            row("USAGE", "<process>", PROCESSES=1, STORAGE_READ=64 * MIB, MAJOR_FAULTS=16384,
                F_BLOCKED_TIME=2.0),
        )
    )  # fmt: skip
    again = Job(
        (
            row("POSIX", "/a", OPENS=1, MMAPS=9000, F_META_TIME=2.0),
            row("POSIX_EXT", "/a", MMAP_BYTES=9000 * MIB, F_MAP_TIME=1.9),
        )
    )
    ring = Job((row("POSIX", "/a", OPENS=1), row("POSIX_EXT", "/a", URING_RINGS=1, URING_UNSEEN=3)))
    inside = Job((row("POSIX", "/a.h5", OPENS=1, READS=9, SIZE_READ_0_100=5, BYTES_READ=900),))
    static = Job(
        tuple(
            row("PROCESS", f"host: {name}", rank, COUNT=1, PROGRAMS=1, PARENT_RANK=-1)
            for rank, name in enumerate(("bash x.sh", "(not seen)"))
        ),
        nprocs=2,
    )
    seen = tuple(replace(one, name="host: cat") for one in static.rows[1:])
    partial = Job((row("POSIX", "/a", OPENS=1),), partial=("POSIX",))
    fine = Job((row("POSIX", "/a", OPENS=1, READS=1, BYTES_READ=10, F_READ_TIME=0.01),))
    zipped = Job(
        (
            row("POSIX", "/a.gz", OPENS=1, WRITES=50, BYTES_WRITTEN=9 * MIB),
            row("SITES", "write;/usr/lib/python3.11/gzip.py:9:GzipFile.write;/a.py:3:save",
                FRAMES=2, PROCESSES=1, WRITES=50, BYTES_WRITTEN=9 * MIB, F_GAP_LONG_TIME=5.0),
        )
    )  # fmt: skip
    grouped = Job(
        (
            row("POSIX", "/a.parquet", OPENS=1, WRITES=90000, BYTES_WRITTEN=10 * MIB,
                F_WRITE_TIME=0.2),
            row("SITES", "write;/site-packages/pyarrow/parquet/core.py:9:ParquetWriter.write_table;"
                "/a.py:3:save", FRAMES=2, PROCESSES=1, WRITES=90000, BYTES_WRITTEN=10 * MIB,
                F_WRITE_TIME=0.2, F_GAP_SHORT_TIME=1.5, FILE1_BY_BYTES=number_of("/a.parquet"),
                FILE1_BYTES=10 * MIB, FILE_BITS=1),
            row("USAGE", "app", F_USER_TIME=5.0),
        )
    )  # fmt: skip
    pieced = Job(
        (
            row("POSIX", "/a.log", OPENS=1, WRITES=90000, BYTES_WRITTEN=10 * MIB),
            row("SITES", "write;/v/site-packages/tiny/io.py:9:put;/a.py:3:save", FRAMES=2,
                PROCESSES=1, WRITES=90000, BYTES_WRITTEN=10 * MIB, F_GAP_SHORT_TIME=1.5),
            row("USAGE", "app", F_USER_TIME=5.0),
        )
    )  # fmt: skip
    direct = Job(
        (
            row("POSIX", "/a.da", OPENS=1, WRITES=999, BYTES_WRITTEN=64 * MIB),
            row("SITES", "write;/usr/lib/libgfortran.so.5+100;/a.py:3:save", FRAMES=2,
                PROCESSES=1, WRITES=999, BYTES_WRITTEN=64 * MIB, F_GAP_MEDIUM_TIME=1.5,
                GAPS_MEDIUM=999),
            row("USAGE", "app", F_USER_TIME=5.0),
        )
    )  # fmt: skip
    columns = Job(
        (
            row("POSIX", "/a.parquet", OPENS=1, READS=5, BYTES_READ=99 * MIB,
                MAX_BYTE_READ=99 * MIB - 1),
            row("SITES", "stat;/v/site-packages/pandas/io/parquet.py:9:read_parquet;/a.py:3:load",
                FRAMES=2, PROCESSES=1, LOOKUPS=1),
            row("USAGE", "app", F_USER_TIME=9.0),
        )
    )  # fmt: skip
    parsed = Job(
        (
            row("POSIX", "/a.csv", OPENS=1, READS=50, BYTES_READ=9 * MIB),
            row("SITES", "read;/v/site-packages/pandas/io/parsers.py:9:read_csv;/a.py:3:load",
                FRAMES=2, PROCESSES=1, READS=50, BYTES_READ=9 * MIB, F_GAP_MEDIUM_TIME=5.0),
        )
    )  # fmt: skip
    dates = Job(
        (
            row("POSIX", "/a.log", OPENS=1, READS=500, BYTES_READ=4 * MIB, F_READ_TIME=0.1),
            row("SITES", "read;/a.py:3:load", FRAMES=1, PROCESSES=1, READS=500, FILE_BITS=1,
                BYTES_READ=4 * MIB, F_GAP_MEDIUM_TIME=6.0, FILE1_BY_CALLS=number_of("/a.log"),
                FILE1_CALLS=500),
        )
    )  # fmt: skip
    slots = Job(
        (
            row("POSIX", "/a.h5", OPENS=1, READS=1000, WRITES=1000, BYTES_READ=100 * MIB,
                BYTES_WRITTEN=100 * MIB, MAX_BYTE_READ=MIB, MAX_BYTE_WRITTEN=MIB, F_READ_TIME=0.05,
                F_WRITE_TIME=0.05),
            row("SITES", "pwrite;/a.c:3:save", FRAMES=1, PROCESSES=1, WRITES=1000, FILE_BITS=1,
                BYTES_WRITTEN=100 * MIB, F_GAP_MEDIUM_TIME=6.0, FILE1_BY_CALLS=number_of("/a.h5"),
                FILE1_CALLS=1000),
        )
    )  # fmt: skip
    cin = Job(
        (
            row("STDIO", "/a.txt", OPENS=1, READS=9_000_000, BYTES_READ=9_000_000, F_READ_TIME=1.0),
            row("SITES", "getc;/usr/lib/libstdc++.so.6+100;/a.cc:3:main", FRAMES=2, PROCESSES=1,
                READS=9_000_000, BYTES_READ=9_000_000, F_READ_TIME=1.0),
        )
    )  # fmt: skip
    piped = Job(
        (
            row("POSIX", "/a.sh", OPENS=1, READS=9, BYTES_READ=9000, F_READ_TIME=0.01),
            row("USAGE", "app", PROCESSES=1, READ_CALLS=4_000_000, CHARS_READ=4_009_000,
                F_SYSTEM_TIME=2.0),
        )
    )  # fmt: skip
    edited = Job(
        (
            row("POSIX", "/table", OPENS=200, READS=100, BYTES_READ=100 * MIB, WRITES=100,
                MAX_BYTE_READ=MIB - 1, BYTES_WRITTEN=100 * MIB, MAX_BYTE_WRITTEN=MIB - 1,
                SEQ_READS=99, SEQ_WRITES=99, F_READ_TIME=2.0, F_WRITE_TIME=3.0, F_META_TIME=0.5),
        )
    )  # fmt: skip
    rotated = Job(
        (
            row("POSIX", "/a.log", OPENS=301, STATS=600, WRITES=300, BYTES_WRITTEN=600_000,
                MAX_BYTE_WRITTEN=1999, RENAME_SOURCES=300, F_META_TIME=3.0),
            row("POSIX", "/a.log.1", STATS=300, RENAME_TARGETS=300, RENAME_SOURCES=299,
                RENAMED_FROM=number_of("/a.log"), F_META_TIME=2.0),
        )
    )  # fmt: skip
    whole = Job(
        (
            row("POSIX", "/a.json", OPENS=100, WRITES=100, BYTES_WRITTEN=1000000,
                MAX_BYTE_WRITTEN=19999, F_META_TIME=4.0, F_WRITE_TIME=1.0),
        )
    )  # fmt: skip
    program = [
        row("POSIX", f"/v/site-packages/{i}.py", OPENS=1, F_META_TIME=0.01) for i in range(600)
    ]
    imports = Job(tuple(program))
    return [
        ("holes-read", _sparse(), replace(_sparse(), mount=b"zfs")),
        ("header-moves", moved, moved.but(SEQ_READS=150_000)),
        ("conversion-writing", zipped, zipped.but(1, F_GAP_LONG_TIME=0.9)),
        ("row-groups", grouped, grouped.but(1, BYTES_WRITTEN=90 * MIB)),
        ("between-calls-pieces", pieced, pieced.but(1, F_GAP_SHORT_TIME=0.9)),
        ("between-calls-records", direct, direct.but(1, BYTES_WRITTEN=32 * MIB)),
        ("whole-tables", columns, columns.but(MAX_BYTE_READ=200 * MIB)),
        ("conversion-reading", parsed, parsed.but(1, F_GAP_MEDIUM_TIME=2.0)),
        ("pieces-rewritten", slots, slots.but(ACCESS1_ACCESS=100_000, ACCESS1_COUNT=1900)),
        ("slow-text", dates, dates.but(1, F_GAP_MEDIUM_TIME=2.0)),
        *_read_slowly(),
        ("synced-streams", cin, cin.but(1, READS=900, F_READ_TIME=0.01)),
        ("bytewise-input", piped, piped.but(1, READ_CALLS=40_000)),
        ("rewritten-whole-edited", edited, edited.but(BYTES_READ=20 * MIB)),
        ("rotated-often", rotated, rotated.but(1, RENAME_SOURCES=0)),
        ("rewritten-whole", whole, whole.but(MAX_BYTE_WRITTEN=9999)),
        ("program-files", imports, replace(imports, rows=imports.rows[:400])),
        ("same-bytes-again-read", reread, reread.but(MAX_BYTE_READ=300 * MIB)),
        ("same-bytes-again-written", rewritten, rewritten.but(MAX_BYTE_WRITTEN=300 * MIB)),
        ("staged-copy", staged, staged.but(1, BYTES_READ=128 * MIB)),
        ("whole-file-copy", copied, copied.but(WRITES=0, BYTES_WRITTEN=0)),
        ("small-accesses-read", small, small.but(F_READ_TIME=0.1)),
        ("small-accesses-write", small_writes,
         small_writes.but(SIZE_WRITE_0_100=0, SIZE_WRITE_1M_4M=50000)),
        ("unaligned", odd, replace(odd, mount=b"ext4")),
        ("random-access-read", random, random.but(SEQ_READS=9999)),
        ("random-access-write", random_writes, random_writes.but(SEQ_WRITES=9999)),
        ("read-write-alternation", switches, switches.but(RW_SWITCHES=2)),
        ("opened-again", opened, opened.but(OPENS=5, STATS=5)),
        ("metadata", metadata, replace(metadata, seconds=1000)),
        ("many-small-files", many, replace(many, rows=many.rows[:90])),
        ("syncs", synced, synced.but(1, F_FSYNC_TIME=0.1)),
        ("waits-for-locks-of-nobody", lonely, lonely.but(LOCKS=4000)),
        ("waits-for-locks", locked, locked.but(F_LOCK_TIME=0.04)),
        ("waits-for-a-file", polled, polled.but(1, F_GAP_MEDIUM_TIME=6.0)),
        ("failed-lookups", missing, missing.but(MISSES=50)),
        ("listed-again", listing, listing.but(DIR_REOPENS=20)),
        ("stream-seeks-refill", refilled, refilled.but(SEEKS=2000)),
        ("seeks", telling, telling.but(SEEKS=2000)),
        ("memory-alignment", aligned, aligned.but(MEM_NOT_ALIGNED=0)),
        ("gpu-compatibility", gpu, gpu.but(COMPAT_BYTES_READ=100 * MIB)),
        ("unseen-mapped", mapped, mapped.but(1, MMAP_TOUCHED=4096)),
        ("mapped-again", again, again.but(MMAPS=90)),
        ("mapped-faults", paged, paged.but(2, STORAGE_READ=640 * MIB)),
        ("unseen-storage", stored, stored.but(1, STORAGE_READ=MIB)),
        ("unseen-io-uring", ring, ring.but(1, URING_UNSEEN=0)),
        ("unseen-hdf5", inside, inside.but(SIZE_READ_0_100=1)),
        ("unseen-programs", static, replace(static, rows=(static.rows[0], *seen))),
        ("incomplete", partial, replace(partial, partial=())),
        ("as-it-should-be-sequential", small, small.but(SEQ_READS=100)),
        ("balance", fine, fine.but(BYTES_READ=0)),
        ("fine", fine, small),
    ]  # fmt: skip
