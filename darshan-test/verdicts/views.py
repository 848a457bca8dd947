"""Rows about file views of MPI-IO that are used without collective calls."""

from __future__ import annotations

from row import HERE, Row


def rows() -> list[Row]:
    """Returns the rows about file views of the program words_jobs.c."""
    # The ROMIO of MPICH moves the gaps between the pieces, too (read-modify-write).
    cyclic = Row(
        "words_jobs.c",
        "cyclic-view",
        "independent-shared-write",
        "MPI_Alltoallv",
        place=HERE,
        mpi="openmpi",
        says=(r"MPI-IO made 160,000 POSIX writes of 8 B of them",),
        never=("setvbuf", "flush after each line"),
    )
    blocks = (Row("words_jobs.c", "view-of-blocks", mpi=mpi) for mpi in ("openmpi", "mpich"))
    return [cyclic, *blocks]
