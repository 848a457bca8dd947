"""The description of a program with the findings that a report should have for it, and the
comparison with the findings that it has.

The small programs of verdicts/ and the studies of studies/ use it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

# Outcomes of judged(): as expected; another finding comes first, or its remedy is another one; no
# problem is found; the repaired version still has the finding.
RIGHT, WRONG, SILENT, CURE = "right", "wrong", "silent", "cure accused"
# Further outcomes: a problem of a program without one; a text that must or must not occur.
FALSE_ALARM, TEXT = "false alarm", "wrong words"


@dataclass(frozen=True)
class Expected:
    """A program, and the findings that a person who reads its source would expect."""

    program: str  # a source file, or the folder of a study
    case: str  # the variant of the program, usually its argument
    # Names, separated by blanks: the first problem found must have one of them. "": no problem.
    finding: str = ""
    remedy: str = ""  # a text that the remedy or its example must contain
    says: tuple[str, ...] = ()  # regular expressions; each matches a finding of the program
    never: tuple[str, ...] = ()  # regular expressions; match no finding of the program or its fix

    @property
    def name(self) -> str:
        """Returns "program/case", for tables and for selecting programs."""
        return f"{self.program.replace('.', '-')}/{self.case}"

    @property
    def findings(self) -> frozenset[str]:
        """Returns the names of the expected findings."""
        return frozenset(self.finding.split())


def open_report(build: Path) -> tuple[Any, Any, Any]:
    """Returns three objects of the report of a build: the function that applies the rules to a log,
    the class of the rules' thresholds, and the function that opens a log."""
    sys.path.insert(0, str(build / "python"))
    os.environ.setdefault("DARSHAN_READ_LIB", str(build / "libdarshan-read.so.0"))
    from darshan_report import open_log  # noqa: PLC0415
    from darshan_report.diagnose.limits import Limits  # noqa: PLC0415 - the path is known only here
    from darshan_report.diagnose.run import diagnose  # noqa: PLC0415

    return diagnose, Limits, open_log


def findings_of(build: Path, log: Path, limits: dict[str, float] | None = None) -> list[Any]:
    """Returns all findings of a log: problems first, in order of their potential saving. limits:
    thresholds by name that replace those of the report."""
    diagnose, limits_of, open_log = open_report(build)
    with open_log(log) as opened:
        return list(diagnose(opened, limits_of(limits)) if limits else diagnose(opened))


def problems(found: list[Any]) -> list[Any]:
    """Returns the findings that are problems."""
    return [f for f in found if f.kind == "problem"]


def judged(
    row: Expected, found: list[Any], cure: Callable[[], list[Any]], *, among: int = 1
) -> tuple[str, str]:
    """Compares the findings of a program, and of its repaired version, with the expected ones.

    cure: returns the findings of the repaired version; it is called only if a finding is expected,
    and if the program has it with the expected remedy. among: the expected finding must be among
    the first `among` problems. Returns the outcome, one of the constants at the top of this file,
    and the name of the finding or a description of the error."""
    words = words_wrong(row, found)
    accused = problems(found)
    if not row.finding:
        names = " ".join(f.name for f in accused)
        return FALSE_ALARM if names else TEXT if words else RIGHT, names or words
    outcome, said = _held(row, found, cure, among)
    return (TEXT, words) if outcome == RIGHT and words else (outcome, said)


def _held(
    row: Expected, found: list[Any], cure: Callable[[], list[Any]], among: int
) -> tuple[str, str]:
    """Returns the verdict about a program with a problem, and the reason for it. found: the
    findings on its log. cure: returns those on the program without the problem. among: number of
    problems of which one must be the expected one, with the expected remedy."""
    accused = problems(found)
    if not accused:
        return SILENT, ""
    first = next((f for f in accused[:among] if f.name in row.findings), accused[0])
    if first.name not in row.findings:
        return WRONG, first.name
    if row.remedy not in f"{first.remedy.text}\n{first.remedy.example}":
        return WRONG, f"{first.name} without {row.remedy}"
    cured = cure()
    if row.findings & {f.name for f in problems(cured)}:
        return CURE, first.name
    # A fix whose I/O is invisible to the log does not count as a fix.
    if _mapped(cured) and not _mapped(found):
        return CURE, "mapped instead of read"
    words = words_wrong(replace(row, says=()), cured)
    return (TEXT, f"of the cure: {words}") if words else (RIGHT, first.name)


def _mapped(found: list[Any]) -> bool:
    """Returns whether the report says that files were mapped."""
    return any(f.name == "unseen-mapped" for f in found)


def text_of(finding: Any) -> str:
    """Returns a finding's name, title, sentence, remedy and example as one text."""
    remedy = finding.remedy
    return f"{finding.name}: {finding.title}. {finding.sentence} {remedy.text}\n{remedy.example}"


def words_wrong(row: Expected, found: list[Any]) -> str:
    """Returns the first expected pattern that the texts of no finding match, or the first words
    that match a forbidden pattern; "" if the texts are right."""
    texts = [text_of(finding) for finding in found]
    for pattern in row.says:
        if not any(re.search(pattern, text) for text in texts):
            return f"nothing says {pattern!r}: {' | '.join(texts)}"
    for pattern in row.never:
        for text in texts:
            if match := re.search(pattern, text):
                return f"{match[0]!r} in: {text}"
    return ""
