"""The sums of findings: their cost, computed like ask/ready/losses.py, for each rule and, in rows
without a rule, for all findings. All findings of a log are in one file of the lake, because their
sum is limited to the time of the job."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

KEYS = ("day", "user", "program", "rule")
# Columns of the costliest finding, or of the job that loses most.
_FIRST = ("log", "number", "title", "sentence", "remedy", "example")
NAMES = (*KEYS, "jobs", "lost_seconds", "most_seconds", *_FIRST)
_TEXTS = ("log", "user", "program", "rule", "title", "sentence", "remedy", "example")
COLUMNS = (*KEYS, *_FIRST, "kind", "same_as", "stake_seconds", "of_seconds")
_AS_IT_IS = pc.ScalarAggregateOptions(skip_nulls=False)


def _claims(rows: pa.Table) -> pa.Table:
    """Returns the findings that count: problems whose time is not that of another finding. Adds the
    time that each loses (`lost`) and the time of its job (`had`)."""
    had = pc.if_else(pc.equal(rows["of_seconds"], 0.0), None, rows["of_seconds"])
    lost = pc.min_element_wise(rows["stake_seconds"], had)
    is_problem = pc.equal(pc.cast(rows["kind"], pa.string()), "problem")
    counts = pc.fill_null(pc.and_(is_problem, pc.is_null(rows["same_as"])), False)
    values: dict[str, Any] = {name: rows[name] for name in ("day", "number")}
    values |= {name: rows[name] for name in _TEXTS}
    found = pa.table({**values, "lost": lost, "had": had}).filter(counts)
    return pa.table({n: pc.cast(found[n], pa.string()) if n in _TEXTS else found[n]
                     for n in found.column_names})  # fmt: skip


def _ordered(rows: pa.Table) -> pa.Table:
    """Returns rows ordered by lost time, the costliest first, like losses.COSTLIEST in SQL."""
    order = [("lost", "descending"), ("log", "descending"), ("number", "descending")]
    return rows.sort_by(order)


def _of_jobs(rows: pa.Table) -> pa.Table:
    """Returns a row for each job and rule: the lost time of its findings, and the texts of the
    costliest one."""
    some = [name for name in _FIRST if name != "log"]
    made = _ordered(rows).group_by([*KEYS, "log"], use_threads=False)
    each = made.aggregate([("lost", "sum"), *((name, "first", _AS_IT_IS) for name in some)])
    names = [*KEYS, "log", "lost_sum", *(f"{name}_first" for name in some)]
    return each.select(names).rename_columns([*KEYS, "log", "lost", *some])


def _summed(rows: pa.Table) -> pa.Table:
    """Returns the sums of jobs by KEYS, in separate rows for jobs that lose time and for jobs whose
    findings cost bytes but no time. rows: one for each job and rule, or one for each job."""
    loses = pc.fill_null(pc.greater(rows["lost"], 0.0), False)
    ordered = _ordered(rows.append_column("loses", loses))
    made = ordered.group_by([*KEYS, "loses"], use_threads=False).aggregate([
        ("log", "count"), ("lost", "sum"), ("lost", "max"),
        *((name, "first", _AS_IT_IS) for name in _FIRST),
    ])  # fmt: skip
    names = ("log_count", "lost_sum", "lost_max", *(f"{name}_first" for name in _FIRST))
    return made.select([*KEYS, *names]).rename_columns(list(NAMES))


def sums_of(file: pq.ParquetFile) -> pa.Table:
    """Returns the sums of one file of the table findings: rows for each rule, and rows without a
    rule for all findings together."""
    groups = (file.read_row_group(n, list(COLUMNS)) for n in range(file.num_row_groups))
    rows = pa.concat_tables(map(_claims, groups))
    by_rule = _summed(_of_jobs(rows))
    costly = rows.filter(pc.fill_null(pc.greater(rows["lost"], 0.0), False))
    job = ["day", "user", "program", "log"]
    each = costly.group_by(job, use_threads=False).aggregate([("lost", "sum"), ("had", "max")])
    nothing = {name: pa.nulls(len(each), rows.schema.field(name).type)
               for name in ("rule", *_FIRST) if name != "log"}  # fmt: skip
    lost = pc.min_element_wise(each["lost_sum"], each["had_max"])
    jobs = pa.table({**{name: each[name] for name in job}, **nothing, "lost": lost})
    return pa.concat_tables([by_rule, _summed(jobs)])
