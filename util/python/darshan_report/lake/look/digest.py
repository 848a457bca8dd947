"""The weekly digest: programs that lose time, advice for their users, and file systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...units import amount, count, plural, share, time_spent
from .markup import Form, Part, name, path, strong, text
from .week import Loser, Row, Told

_REASONS = 5  # reasons why logs could not be read
_MOUNTS = 20
_FINDINGS, _OWNERS = 3, 3  # named per program

_SUMS: Sequence[tuple[str, str, Callable[[Any], str]]] = (
    ("Jobs", "jobs", count),
    ("Programs", "programs", count),
    ("Users", "users", count),
    ("Read", "bytes_read", amount),
    ("Written", "bytes_written", amount),
    ("Time in file I/O, all processes", "io_seconds", time_spent),
    ("Working time, all processes", "process_seconds", time_spent),
)


def _change(now: float | None, before: float | None) -> str:
    """Returns the change of a number as text: "+12 %", "same", "12 times" (from 10 times on); "new"
    if it was 0 or None before, "-" if it still is."""
    if not before:
        return "new" if now else "-"
    if (now or 0) >= 10 * before:
        return f"{(now or 0) / before:,.0f} times"
    percent = 100 * ((now or 0) - before) / before
    if abs(percent) < 0.05:
        return "same"
    return f"{percent:+,.0f} %" if abs(percent) >= 10 else f"{percent:+.1f} %"


def _totals(out: Form, told: Told) -> None:
    """Adds the table with the sums of the week and of the week before."""
    out.table(
        ["", told.week.name, told.week.before.name, "change"],
        [
            [
                text(title),
                text(show(told.sums[key])),
                text(show(told.sums_before[key])),
                text(_change(told.sums[key], told.sums_before[key])),
            ]
            for title, key, show in _SUMS
        ],
    )


def _listed(parts: Sequence[Sequence[Part]]) -> list[Part]:
    """Returns several pieces of text as one, with commas between them."""
    found: list[Part] = []
    for number, some in enumerate(parts):
        found += [text(", ")] * bool(number) + list(some)
    return found


def _tell(loser: Loser) -> list[Part]:
    """Returns the sentence that says which users to tell, and which remedy."""
    owners = _listed(
        [[name(o["user"]), text(f" ({plural(o['jobs'], 'job')})")] for o in loser.owners[:_OWNERS]]
    )
    left = len(loser.owners) - _OWNERS
    if left > 0:
        owners.append(text(f" and {plural(left, 'other')}"))
    remedy = next((f["remedy"] for f in loser.findings if f["remedy"]), "")
    said = remedy or "no remedy is known; the report of the job has the evidence."
    return [strong("Tell"), text(" "), *owners, text(f": {said}")]


def _job(worst: Row, hidden: bool) -> list[Part]:
    job = f" (job {worst['job_id']})" if worst.get("job_id") is not None else ""
    if hidden or not worst.get("path"):
        return [text("The job that lost most: log "), name(worst["log"]), text(f"{job}.")]
    return [text(f"The job that lost most{job}: darshan report --html "), path(worst["path"])]


def _loser(out: Form, number: int, loser: Loser, hidden: bool) -> None:
    """Adds a program that loses time: how much, its costliest findings, its users and its worst
    job. number: its place in the list."""
    out.head(3, text(f"{number}. "), name(loser.program))
    of = loser.process_seconds
    part = f", {share(loser.lost_seconds, of)} of the time of its processes" if of else ""
    out.paragraph(
        text(f"Loses at most {time_spent(loser.lost_seconds)}{part}, in {count(loser.costly)} of "),
        text(f"{plural(loser.jobs, 'job')}."),
    )
    for finding in loser.findings[:_FINDINGS]:
        lost, jobs = time_spent(finding["lost_seconds"]), plural(finding["jobs"], "job")
        out.item(strong(finding["title"]), text(f": at most {lost}, {jobs}"))
    left = len(loser.findings) - _FINDINGS
    if left > 0:
        out.item(text(f"{plural(left, 'finding')} more, each of which costs less"))
    out.item()
    out.paragraph(*_tell(loser))
    out.paragraph(*_job(loser.worst, hidden))


def _losers(out: Form, told: Told, top: int) -> None:
    """Adds the section about programs that lose time, or a sentence that there is none."""
    out.head(2, text("Programs that lose most"))
    if not told.losers:
        looked = told.sums["jobs"] - told.sums["not_looked"]
        out.paragraph(text(
            f"No finding costs a program time, in the {plural(looked, 'job')} that were looked at."
            if looked else "Findings were not computed for any job of this week."
        ))  # fmt: skip
        return
    out.paragraph(text(
        "Losses are upper bounds: seconds of all processes that would be gone if what a finding "
        "names were gone. A job loses no more than it had. Findings of one program overlap, so "
        f"theirs do not add up to its loss. At most {plural(top, 'program')}."
    ))  # fmt: skip
    for number, loser in enumerate(told.losers, 1):
        _loser(out, number, loser, told.hidden)


def _moved(row: Row) -> float:
    return float((row.get("bytes_read") or 0) + (row.get("bytes_written") or 0))


def _file_systems(out: Form, told: Told) -> None:
    """Adds the section about file systems: what was moved on each mount point, against the week
    before."""
    out.head(2, text("File systems"))
    if not told.file_systems:
        out.paragraph(text("No record of a file is of this week or the week before."))
        return
    heads = ["mount point", "type", "read", "written", "week before", "change", "time", "metadata"]
    lines: list[list[Part]] = []
    for now, before in told.file_systems[:_MOUNTS]:
        some = now or before
        lines.append([
            text("not known") if some["mount"] == "not known" else name(some["mount"]),
            text(some["file_system"] or "-"), text(amount(now.get("bytes_read") or 0)),
            text(amount(now.get("bytes_written") or 0)), text(amount(_moved(before))),
            text(_change(_moved(now), _moved(before))),
            text(time_spent(now.get("transfer_seconds") or 0)),
            text(time_spent(now.get("meta_seconds") or 0)),
        ])  # fmt: skip
    out.table(heads, lines)
    left = len(told.file_systems) - _MOUNTS
    more = f" {plural(left, 'mount point')} more moved less." if left > 0 else ""
    out.paragraph(text(
        "Week before: read and written together; change: of both. By POSIX and STDIO, all "
        f"processes.{more}"
    ))  # fmt: skip


def _reasons(out: Form, rows: Sequence[Row]) -> None:
    for row in rows[:_REASONS]:
        out.item(
            text(f"{plural(row['logs'], 'log')}: {row['problem']}; one is "), path(row["path"])
        )
    if len(rows) > _REASONS:
        left = sum(row["logs"] for row in rows[_REASONS:])
        out.item(text(f"{plural(left, 'log')} for {len(rows) - _REASONS} other reasons"))
    out.item()


def _lacking(out: Form, told: Told) -> None:
    """Writes the last section: which logs or findings the numbers lack. Writes nothing for a week
    without any log."""
    sums = told.sums
    if not sums["jobs"] and not told.broken and not told.undated:
        return
    out.head(2, text("What this does not know"))
    if sums["partial"]:
        out.paragraph(text(
            f"{count(sums['partial'])} of {plural(sums['jobs'], 'log')} are incomplete "
            "(their process was killed, their memory was full, or they are damaged): the numbers "
            "include only what these logs have."
        ))  # fmt: skip
    if sums["not_looked"]:
        out.paragraph(text(
            f"Findings were not computed for {plural(sums['not_looked'], 'job')}, so the lost time "
            "above does not include theirs."
        ))  # fmt: skip
    if told.broken:
        out.paragraph(text("Parts of logs of this week could not be read:"))
        _reasons(out, told.broken)
    if told.undated:
        out.paragraph(text(
            "Logs that do not say when they began, since they could not be read, are of no week; "
            "the lake has, since it began:"
        ))  # fmt: skip
        _reasons(out, told.undated)
    if not (sums["partial"] or sums["not_looked"] or told.broken or told.undated):
        out.paragraph(text("Nothing: every log was read in whole."))
    out.paragraph(text("Jobs are counted in the week in which they began, in UTC. What ran "
                       "without Darshan is not in any number."))  # fmt: skip


def write(out: Form, told: Told, top: int) -> str:
    """Returns the digest of a week as text. out: an empty Markdown or Mail. told: the numbers. top:
    largest number of programs that `told` has."""
    week = told.week
    out.head(1, text(f"I/O of week {week.name}, {week.first} to {week.last}"))
    if told.hidden:
        out.paragraph(text("The names in this lake are anonymized."))
    if not told.sums["jobs"]:
        out.paragraph(strong("The lake has no job of this week."))
        newest = told.newest
        out.paragraph(text(
            f"Its newest job began on {newest}. The week before has "
            f"{plural(told.sums_before['jobs'], 'job')}." if newest
            else "It has no job with a day at all."
        ))  # fmt: skip
        _lacking(out, told)
        return out.whole()
    _totals(out, told)
    _losers(out, told, top)
    _file_systems(out, told)
    _lacking(out, told)
    return out.whole()
