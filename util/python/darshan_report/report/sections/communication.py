"""The section about MPI communication: its percentage of the run time, the calls, and the time that
ranks waited."""

from __future__ import annotations

from ...measure.mpi.communication import Call, Talk
from ...show.model import Block, Column, Heading, Paragraph, Table
from ...units import NONE, amount, plural, seconds, share
from ..context import Context

TOP = 12
# shares of the ranks' time, and of communication, from which on waiting is reported
_MUCH, _MOST = 0.1, 0.5


def _row(call: Call, ranks: int, whole: float) -> tuple[str, ...]:
    return (
        call.name,
        f"{call.calls:,}",
        NONE if call.bytes is None else amount(call.bytes),
        seconds(call.seconds / ranks),
        share(call.seconds, whole),
        seconds(call.longest),
    )


def _table(talk: Talk, whole: float) -> Table:
    ranks = len(talk.ranks)
    shown, others = talk.calls[:TOP], talk.calls[TOP:]
    rows = [_row(call, ranks, whole) for call in shown]
    if others:
        rest = Call(
            f"{plural(len(others), 'other')}",
            sum(call.calls for call in others),
            sum(call.bytes or 0 for call in others),
            sum(call.seconds for call in others),
            max(call.longest for call in others),
        )
        rows.append(_row(rest, ranks, whole))
    columns = (
        Column("Call", code=True),
        Column("Calls", right=True),
        Column("Bytes", right=True),
        Column("Time", right=True),
        Column("Share of run", right=True),
        Column("Longest", right=True),
    )
    note = (
        "Calls and bytes: sums over ranks; bytes according to the calls' arguments. Time: sum over "
        f"ranks divided by their number ({ranks:,}). Messages that MPI-IO sends itself are not "
        "counted; waiting for the transfer of a file is counted."
    )
    return Table(columns, tuple(rows), note)


def _sentences(talk: Talk, whole: float) -> str:
    text = (
        f"MPI's communication took {seconds(talk.seconds / len(talk.ranks))} of each rank on "
        f"average, {share(talk.seconds, whole)} of the run"
    )
    if len(talk.ranks) > 1:
        text += (
            f": from {seconds(talk.least[1])} (rank {talk.least[0]:,}) to "
            f"{seconds(talk.most[1])} (rank {talk.most[0]:,})"
        )
    return text + "."


def _waiting(talk: Talk, whole: float) -> str:
    """Returns sentences on the time in which ranks waited for each other in MPI, which is not I/O
    time; "" if this time is short. whole: run time in seconds times the number of ranks."""
    waited = talk.waiting
    if talk.is_measured and waited:
        return (
            f"Before collectives the ranks waited {seconds(waited)} in total "
            f"({share(waited, whole)} of their time) for late ranks. Barriers, which "
            "DARSHAN_APMPI_COLL_SYNC switched on, measured this; the times above do not include it."
        )
    if not waited or waited < _MUCH * whole or waited < _MOST * talk.seconds:
        return ""
    return (
        "Most of it is waiting: in barriers and other collectives that need every rank, the ranks "
        f"spent {seconds(waited)} in total ({share(waited, whole)} of their time) more than the "
        "fastest rank, so they waited at least that long for late ranks. The log shows the "
        "reason for a rank's delay only if it was the rank's own I/O."
    )


def summary(context: Context) -> list[str]:
    """Returns the section's paragraphs as text; [] if communication was not recorded."""
    talk = context.talk
    if talk is None or not talk.calls:
        return []
    whole = context.run_time * len(talk.ranks)
    return list(filter(None, (_sentences(talk, whole), _waiting(talk, whole))))


def blocks(context: Context) -> list[Block]:
    """Returns the section; [] if communication was not recorded or did not take place."""
    talk = context.talk
    if talk is None or not talk.calls:
        return []
    whole = context.run_time * len(talk.ranks)
    return [
        Heading("Communication of MPI"),
        *map(Paragraph, summary(context)),
        _table(talk, whole),
    ]
