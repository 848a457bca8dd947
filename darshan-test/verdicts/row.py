"""A row of the corpus."""

from __future__ import annotations

from dataclasses import dataclass

FAR, HERE = "far", "here"  # behind slow.c, or in the page cache of this machine
RANKS = 4


@dataclass(frozen=True)
class Row:
    """One program with what a reader of its source would say."""

    program: str  # a file of programs/
    case: str
    finding: str = ""  # that must come first, or several that are as right; none: healthy
    remedy: str = ""  # words, one of which the remedy has
    place: str = FAR
    input: int = 0  # MiB of the file "input"
    many: bool = False  # whether there is a folder "many" with 1,200 small files
    mpi: str = ""  # name of the MPI, where it is a job
    settings: tuple[tuple[str, str], ...] = ()  # of slow.c, beside the usual ones
    hosts: int = 0  # of a job with a rank on each; 0: all are on this one
    tree: int = 0  # processes at a time, where it is a run of several with one log
    says: tuple[str, ...] = ()  # patterns; each matches some finding of the program
    never: tuple[str, ...] = ()  # patterns that match no finding, nor one of the cure

    @property
    def name(self) -> str:
        """For tables, and to choose by."""
        stem = self.program.replace(".", "-")
        return f"{stem}/{self.case}" + (f"/{self.mpi}" if self.mpi else "")

    @property
    def findings(self) -> frozenset[str]:
        """The names that are right."""
        return frozenset(self.finding.split())

    @property
    def ranks(self) -> int:
        """Processes."""
        return self.hosts or (RANKS if self.mpi else max(self.tree, 1))
