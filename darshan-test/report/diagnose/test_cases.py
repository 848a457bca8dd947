"""Every diagnosis applies to its smallest log, and not to the most similar log without it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report import open_log
from darshan_report.diagnose import rules
from darshan_report.diagnose.blame import WITHOUT, about_of
from darshan_report.diagnose.finding import GOOD, PROBLEM, Finding
from darshan_report.diagnose.run import diagnose
from darshan_report.diagnose.thresholds import LIMITS

from .build import Job, write
from .cases import CASES
from .describe import PAGE, page

RULES = rules.modules()


def findings(job: Job, path: Path) -> list[Finding]:
    """Returns the findings of a job. path: for its log."""
    with open_log(write(job, path)) as log:
        return diagnose(log)


@pytest.mark.parametrize(("name", "having", "without"), CASES, ids=[name for name, _, _ in CASES])
def test_one(name: str, having: Job, without: Job, tmp_path: Path) -> None:
    """The log of the case has the finding, with all its parts, and a similar log without the
    problem does not. name: of the finding."""
    found = {f.name: f for f in findings(having, tmp_path / "with.darshan")}
    assert name in found, sorted(found)
    assert name not in {f.name for f in findings(without, tmp_path / "without.darshan")}
    finding = found[name]
    assert finding.title and finding.sentence
    known = {limit.name for limit in LIMITS}
    assert set(finding.limits) <= known
    if finding.kind == PROBLEM:
        assert finding.evidence and finding.limits and finding.remedy.text
        assert finding.remedy.example and finding.stake.basis
        assert 0 < finding.stake.seconds <= finding.stake.of_seconds


def test_mapped_on_a_network(tmp_path: Path) -> None:
    """The finding about a mapped file says that the file is on a network file system, and how to
    read it by calls, exactly if the mount is of such a type."""
    having = next(job for name, job, _ in CASES if name == "mapped-faults")
    for mount, expected in ((b"nfs4", True), (b"lustre", True), (b"ext4", False)):
        job = replace(having, mount=mount)
        every = findings(job, tmp_path / "log")
        (found,) = (f for f in every if f.name == "mapped-faults")
        assert ("network file system" in found.sentence) == expected
        assert ("read the file by calls" in found.remedy.text) == expected


def test_every_rule_has_a_case() -> None:
    """Each rule of the diagnosis has at least one case."""
    names = [name for name, _, _ in CASES]
    for module, rule in RULES.items():
        assert any(n == rule.NAME or n.startswith(f"{rule.NAME}-") for n in names), module
    assert len(names) == len(set(names))


def test_every_finding_has_a_line_or_none(tmp_path: Path) -> None:
    """Each finding of the cases names the kind of call whose line of code a report shows, except
    those listed as having no line (diagnose/blame.py)."""
    for name, having, _ in CASES:
        [found] = [f for f in findings(having, tmp_path / name) if f.name == name][:1]
        has_none = name.startswith(WITHOUT) or found.kind == GOOD
        assert (about_of(name) is None) == has_none, name


def test_every_rule_is_run() -> None:
    """The lists of rules that a report runs contain each rule of the diagnosis."""
    run = {*rules.CAUSES, *rules.SYMPTOMS, *rules.REMARKS}
    run |= {
        RULES[name]
        for name in (
            "between_calls",
            "costly",
            "conversion",
            "old_pickle",
            "fine",
            "kernel_work",
            "pieces_rewritten",
            "ranks_wait",
            "slow_text",
            "time_between",
        )
    }
    assert run == set(RULES.values())


def test_every_threshold_decides() -> None:
    """Each threshold is read somewhere in the report's code; otherwise a user would change it
    without effect."""
    folder = Path(rules.__path__[0]).parents[1]
    text = "\n".join(p.read_text("utf-8") for p in folder.rglob("*.py") if p.name != "limits.py")
    read = ('["{}"]', 'rate="{}"')  # the second one is a limit of one kind of conversion
    names = [limit.name for limit in LIMITS]
    assert not [name for name in names if not any(form.format(name) in text for form in read)]


def test_page_is_of_today() -> None:
    """doc/diagnoses.md is the page that ./dev describe would write now."""
    assert PAGE.read_text("utf-8") == page(), "run ./dev describe"
    assert [line for line in page().splitlines() if not line.isprintable()] == []
