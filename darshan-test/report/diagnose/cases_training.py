"""Cases about training: loops over a DataLoader that wait long for data, and the same loops with
short waits. cases.py explains what a case is."""

from __future__ import annotations

from dataclasses import replace

from .build import MIB, Job, row

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
    return [
        ("shared-across-fork", inherited, inherited.but(WORKERS=1)),
        ("loader-bound-training", waits, waits.but(F_NEXT_TIME=0.7)),
        ("read-by-each-worker", each, each.but(WORKERS=1)),
    ]
