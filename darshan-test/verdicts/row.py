"""A row of the corpus."""

from __future__ import annotations

from dataclasses import dataclass

FAR, HERE = "far", "here"  # with slow.c, or in the page cache of this machine
RANKS = 4


@dataclass(frozen=True)
class Row:
    """A program with its expected findings, which a reader of its source would give."""

    program: str  # a file of programs/
    case: str
    finding: str = ""  # must come first; several: any of them; empty: no problem
    remedy: str = ""  # words; the remedy must contain one of them
    place: str = FAR
    input: int = 0  # size of the file "input" in MiB
    many: bool = False  # the program needs a folder "many" with 1,200 small files
    mpi: str = ""  # the MPI's name if the case is a job
    settings: tuple[tuple[str, str], ...] = ()  # additional settings of slow.c
    hosts: int = 0  # number of a job's hosts with one rank each; 0: all ranks are on this host
    tree: int = 0  # simultaneous processes, if the case is a run of several processes with one log
    says: tuple[str, ...] = ()  # patterns; each matches a finding of the program
    never: tuple[str, ...] = ()  # patterns that match no finding of the program or its fix

    @property
    def name(self) -> str:
        """Returns the name for tables and for selecting rows."""
        stem = self.program.replace(".", "-")
        return f"{stem}/{self.case}" + (f"/{self.mpi}" if self.mpi else "")

    @property
    def findings(self) -> frozenset[str]:
        """Returns the names of the right findings."""
        return frozenset(self.finding.split())

    @property
    def ranks(self) -> int:
        """Returns the number of processes."""
        return self.hosts or (RANKS if self.mpi else max(self.tree, 1))
