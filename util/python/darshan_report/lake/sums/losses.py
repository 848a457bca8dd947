"""The sums of findings: what they cost, by the rules of ask/ready/losses.py, for each finding's
rule and, in rows without a rule, for all of them. All findings of a log are in one file, because no
job loses more than it had."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

KEYS = ("day", "user", "program", "rule")
# Columns of the costliest finding, or of the job that loses most.
_FIRST = ("log", "number", "title", "remedy")
NAMES = (*KEYS, "jobs", "lost_seconds", "most_seconds", *_FIRST)
_TEXTS = ("log", "user", "program", "rule", "title", "remedy")
COLUMNS = (*KEYS, *_FIRST, "kind", "same_as", "stake_seconds", "of_seconds")


def _claims(rows: pa.Table) -> pa.Table:
    """Returns the findings that lose time, and what their jobs had."""
    had = pc.if_else(pc.equal(rows["of_seconds"], 0.0), None, rows["of_seconds"])
    lost = pc.min_element_wise(rows["stake_seconds"], had)
    lost = pc.if_else(pc.is_null(rows["stake_seconds"]), had, lost)
    is_problem = pc.equal(pc.cast(rows["kind"], pa.string()), "problem")
    counts = pc.and_(pc.and_(is_problem, pc.is_null(rows["same_as"])), pc.greater(lost, 0.0))
    values: dict[str, Any] = {name: rows[name] for name in ("day", "number")}
    values |= {name: pc.cast(rows[name], pa.string()) for name in _TEXTS}
    return pa.table({**values, "lost": lost, "had": had}).filter(pc.fill_null(counts, False))


def _summed(rows: pa.Table, keys: list[str]) -> pa.Table:
    order = [("lost", "descending"), ("log", "descending"), ("number", "descending")]
    first = pc.ScalarAggregateOptions(skip_nulls=False)
    made = rows.sort_by(order).group_by(keys, use_threads=False)
    return made.aggregate([
        ("log", "count_distinct"), ("lost", "sum"), ("lost", "max"),
        *((name, "first", first) for name in _FIRST),
    ])  # fmt: skip


def sums_of(file: pq.ParquetFile) -> pa.Table:
    """Returns the sums of a file of findings."""
    groups = (file.read_row_group(n, list(COLUMNS)) for n in range(file.num_row_groups))
    rows = pa.concat_tables(map(_claims, groups))
    by_rule = _summed(rows, list(KEYS))
    job = ["day", "user", "program", "log"]
    each = rows.group_by(job, use_threads=False).aggregate([("lost", "sum"), ("had", "max")])
    nothing = {name: pa.nulls(len(each), rows.schema.field(name).type)
               for name in ("rule", "number", "title", "remedy")}  # fmt: skip
    lost = pc.min_element_wise(each["lost_sum"], each["had_max"])
    jobs = pa.table({**{name: each[name] for name in job}, **nothing, "lost": lost})
    both = [by_rule, _summed(jobs, list(KEYS))]
    names = ("log_count_distinct", "lost_sum", "lost_max", *(f"{name}_first" for name in _FIRST))
    return pa.concat_tables(
        [part.select([*KEYS, *names]).rename_columns(list(NAMES)) for part in both]
    )
