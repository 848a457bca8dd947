"""Cases about training: loops over a DataLoader that wait long for data, and the same loops with
short waits. cases.py explains what a case is."""

from __future__ import annotations

from dataclasses import replace

from .build import MIB, Job, number_of, row

Case = tuple[str, Job, Job]
LOADER = row(
    "TRAINING",
    "DataLoader;/work/train.py:31:train;/work/train.py:60:<module>",
    KIND=0,
    PROCESSES=1,
    EPOCHS=2,
    COMPLETE=2,
    STEPS=100,
    WORKERS=0,
    PREFETCH=-1,
    PERSISTENT=0,
    BATCH_SIZE=8,
    F_START_TIMESTAMP=1.0,
    F_END_TIMESTAMP=9.0,
    F_EPOCH_TIME=8.0,
    F_NEXT_TIME=4.0,
    F_FIRST_TIME=0.1,
    F_NEXT_PROCESSOR_TIME=1.0,
    F_LONGEST_TIME=0.2,
)


def cases() -> list[Case]:
    """Returns the cases of the findings about trainings."""
    waits = Job((LOADER,))
    # Four workers, of which each reads the same file in each of two epochs.
    each = Job(
        (
            replace(LOADER, values={**LOADER.values, "WORKERS": 4}),
            *(
                row(
                    "POSIX", "/set", rank, OPENS=2, READS=16, CONSEC_READS=14,
                    BYTES_READ=64 * MIB, MAX_BYTE_READ=32 * MIB - 1, F_READ_TIME=2.0,
                )
                for rank in range(1, 5)
            ),
        ),
        nprocs=5,
    )  # fmt: skip
    # Four workers that move the position of a file which the main process opened.
    inherited = Job(
        (
            replace(LOADER, values={**LOADER.values, "WORKERS": 4}),
            row("POSIX", "/set.tar", OPENS=1, READS=1, SEEKS=1, BYTES_READ=512),
            *(
                row("POSIX", "/set.tar", rank, READS=50, SEEKS=50, BYTES_READ=50 * 4096)
                for rank in range(1, 5)
            ),
        ),
        nprocs=5,
    )
    # Two lines with imports that take longer than an epoch.
    imports = Job(
        (
            LOADER,
            *(
                row(
                    "SITES", f"import;/work/train.py:{line}:{name}", FRAMES=1, PROCESSES=1,
                    OPENS=300, F_OPEN_TIME=0.2, F_GAP_SHORT_TIME=spent,
                )
                for line, name, spent in ((3, "<first>", 5.0), (4, "<second>", 2.0))
            ),
        ),
        command=b"python3 train.py",
    )  # fmt: skip
    # A file that is complete before the first epoch, and mapped in it.
    cache = Job(
        (
            LOADER,
            row(
                "TRAINING", "epoch 1",
                **{**LOADER.values, "KIND": 1, "LOADER": number_of(LOADER.name), "EPOCH": 1},
            ),
            row(
                "POSIX", "/cache.npy", OPENS=2, WRITES=32, BYTES_WRITTEN=32 * MIB,
                MAX_BYTE_WRITTEN=32 * MIB - 1, F_WRITE_TIME=0.5, F_WRITE_END_TIMESTAMP=0.9,
            ),
            row("POSIX_EXT", "/cache.npy", MMAP_BYTES=32 * MIB),
        ),
        command=b"python3 train.py",
    )  # fmt: skip
    return [
        ("long-imports", imports, imports.but(1, F_GAP_SHORT_TIME=1.0)),
        ("made-at-start", cache, cache.but(2, F_WRITE_END_TIMESTAMP=3.0)),
        ("shared-across-fork", inherited, inherited.but(WORKERS=1)),
        ("loader-bound-training", waits, waits.but(F_NEXT_TIME=0.7)),
        ("read-by-each-worker", each, each.but(WORKERS=1)),
    ]
