"""The text of `darshan stat` about each diagnosis is shortened at the end of a sentence or a
clause."""

from __future__ import annotations

from pathlib import Path

from darshan_report import open_log
from darshan_report.diagnose.finding import GOOD, Finding
from darshan_report.diagnose.run import diagnose
from darshan_report.report.terminal import brief
from darshan_report.show.sentences import first_fitting, fitting

from .build import write
from .cases import CASES

PLACE = (
    "At model.f90:15, in a_subroutine (through _gfortran_st_open): all such calls on these files."
)


def test_no_line_is_cut(tmp_path: Path) -> None:
    """No finding is cut in the middle of a sentence; it has at most 8 lines of 80 columns."""
    for number, (name, job, _) in enumerate(CASES):
        with open_log(write(job, tmp_path / f"{number}.darshan")) as log:
            lines = list(brief([[(finding, PLACE, []) for finding in diagnose(log)]], 8))
        assert all(len(line) <= 80 and not line.endswith("...") for line in lines), (name, lines)
        assert len(lines) <= 8, (name, lines)
        remedy = "\n".join(lines).partition("remedy: ")[2]
        for end in ("\n  darshan report", "\n  work: ", "\n!"):
            remedy = remedy.partition(end)[0]
        assert not remedy or remedy.endswith((".", ")", ":")), (name, lines)


def test_no_problem_says_why() -> None:
    """The title of a run without a problem is followed by the reason, even if the reason is
    long."""
    for sentence in (
        "File I/O took 2 ms, 0.4 % of the run: faster calls would gain no more than that. More.",
        "File I/O took 778 ms (for 417 ms of that the processes waited for a processor, which "
        "other processes had), " + "and none of the patterns that are known to be slow was found, "
        * 4 + "at all. More.",
    ):  # fmt: skip
        said = [*brief([[(Finding("fine", "No known problem", sentence, GOOD), "", [])]], 8)]
        assert said[0].startswith("  No known problem. File I/O took ") and len(said) <= 4, said
        assert "More" not in "".join(said)


def test_where_a_text_ends() -> None:
    """A text that is too long is shortened to its last sentence that fits, otherwise to the last
    clause that fits; a text without either stays whole."""
    text = "Open it once; keep what was read in memory. Or read larger blocks."
    assert fitting(text, 80, 1) == [text]
    assert fitting(text, 50, 1) == ["Open it once; keep what was read in memory."]
    clauses = "Keep what was read from the file; read it in blocks of a megabyte"
    assert fitting(clauses, 40, 1) == ["Keep what was read from the file."]
    assert " ".join(fitting("word " * 30, 40, 1)).split() == ["word"] * 30
    assert first_fitting(("a long form of it", "short"), 8) == ["short"]


def test_what_was_not_recorded(tmp_path: Path) -> None:
    """`darshan stat` says of a run whose I/O was only partly recorded what is missing, and what to
    do."""
    (job,) = (job for name, job, _ in CASES if name == "unseen-storage")
    with open_log(write(job, tmp_path / "a.darshan")) as log:
        said = " ".join(
            " ".join(brief([[(finding, "", []) for finding in diagnose(log)]], 8)).split()
        )
    assert said.startswith("Part of the I/O was not recorded. ")
    assert "B outside of calls" in said and "Run it again" in said
