"""The form of a row of the corpus: a case of a program, and how it runs."""

from __future__ import annotations

from dataclasses import dataclass

from lab.findings import Expected

FAR, HERE = "far", "here"  # with slow.c, or in the page cache of this machine
RANKS = 4


@dataclass(frozen=True)
class Row(Expected):
    """A case of a program of programs/, and how it is run."""

    place: str = FAR
    input: int = 0  # size of the file "input" in MiB
    many: bool = False  # the program needs a folder "many" with 1,200 small files
    mpi: str = ""  # the MPI's name if the case is a job
    settings: tuple[tuple[str, str], ...] = ()  # more environment variables
    hosts: int = 0  # number of a job's hosts with one rank each; 0: all ranks are on this host
    tree: int = 0  # simultaneous processes, if the case is a run of several processes with one log

    @property
    def name(self) -> str:
        """Returns the name of the row, with the name of the MPI library."""
        return super().name + (f"/{self.mpi}" if self.mpi else "")

    @property
    def ranks(self) -> int:
        """Returns the number of processes."""
        return self.hosts or (RANKS if self.mpi else max(self.tree, 1))
