"""The rows of findings for a lake, which equal those in the report of a log, and rows of other
tables that are computed from the same records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...diagnose.facts import Facts
from ...diagnose.finding import PROBLEM, Finding
from ...diagnose.limits import Limits
from ...diagnose.run import diagnose_facts
from ...library import LogError
from ...log import Log, open_log
from ...measure.processes.processes import processes
from .. import columns
from .hide import Hide
from .jobs import Job
from .trainings import checkpoint_rows, epoch_rows

# Largest size of a log's records for which a worker makes the findings itself. All these records
# and their aggregates are then in memory, and the memory of a worker is limited.
# subprocess_findings.py makes the findings of larger logs.
MOST_BYTES = 48 << 20
# Rows by table, and columns of the job.
Made = tuple[dict[str, list[dict[str, Any]]], dict[str, Any]]
_DATASETS = frozenset(("H5D", "LAYERS", "PNETCDF_VAR"))


class _HiddenLog(Log):
    """A log whose names are anonymized, so that the sentences of its findings have no real names.
    hide: anonymizes them."""

    hide: Hide

    def name(self, record: int) -> str | None:
        found = super().name(record)
        return None if found is None else self.hide.text(found)


def _open(path: str, hide: Hide) -> Log:
    if not hide:
        return open_log(path)
    log = _HiddenLog(path)
    log.hide = hide
    return log


def _place(finding: Finding) -> tuple[str | None, str | None]:
    """Returns the file that a finding is about, and the dataset in the file. Both come from the
    first evidence that names a record. The file is None if there is none, the dataset if the
    finding is not about a dataset."""
    for evidence in finding.evidence:
        if not evidence.record:
            continue
        if evidence.module in _DATASETS:
            file, colon, dataset = evidence.record.rpartition(":")
            return (file, dataset) if colon else (evidence.record, None)
        return evidence.record, None
    return None, None


def _row(job: Job, number: int, finding: Finding) -> dict[str, Any]:
    """Returns the row of the table findings for one finding. number: its place among the log's
    findings, from 1."""
    file, dataset = _place(finding)
    stake = finding.stake
    return {
        **job.whose,
        "number": number,
        "kind": finding.kind,
        "rule": finding.name,
        "title": finding.title,
        "sentence": finding.sentence,
        "remedy": finding.remedy.text,
        "example": finding.remedy.example,
        "stake_seconds": stake.seconds,
        "of_seconds": stake.of_seconds,
        "stake_bytes": stake.bytes,
        "of_bytes": stake.of_bytes,
        "same_as": stake.same_as or None,
        "file": file,
        "dataset": dataset,
        "evidence": [
            {"module": e.module, "record": e.record, "counter": e.counter, "value": float(e.value)}
            for e in finding.evidence
        ],
        "programs": finding.programs or None,
    }


class Findings:
    """Runs the rules on logs, one log after another. hide: anonymizes names."""

    def __init__(self, limits: Limits, hide: Hide) -> None:
        self._limits = limits
        self._hide = hide

    def of(self, job: Job) -> Made:
        """Returns the rows of the tables findings, epochs and checkpoints for a log, and the
        columns that findings add to the job's row. Raises LogError if the log cannot be read."""
        with _open(job.found.path, self._hide) as log, np.errstate(all="ignore"):
            try:
                known = processes(log)
            except LogError:
                known = None
            facts = Facts(log, self._limits, known)
            found = diagnose_facts(facts, nearest=False)
            problems = [f for f in found if f.kind == PROBLEM]
            more = {
                "problems": len(problems),
                "stake_seconds": max((f.stake.seconds for f in problems), default=0.0),
                "process_seconds": facts.shares.work if job.info["ranks"] is not None else None,
                "io_seconds": facts.shares.files,
                "all_layers_seconds": facts.shares.all,
            }
            rows = {
                columns.FINDINGS.name: list(_rows(job, found)),
                columns.EPOCHS.name: epoch_rows(job, facts),
                columns.CHECKPOINTS.name: checkpoint_rows(job, facts),
            }
            return rows, more


def _rows(job: Job, found: list[Finding]) -> Iterator[dict[str, Any]]:
    for number, finding in enumerate(found, 1):
        yield _row(job, number, finding)
