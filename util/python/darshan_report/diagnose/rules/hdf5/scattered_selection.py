"""HDF5 spends most of a read or write on a selection of many pieces, not on the bytes. A selection
of rows that do not follow each other (in h5py an array of indices, or a mask) is a list of pieces.
HDF5 goes through this list for each chunk, which takes about ten microseconds per piece. Before the
call, the library adds the pieces one by one, which takes time that grows with the square of their
number. This time lies before the read or write, and no recorded call contains it. It may be nearly
all of the time, also of a single read.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....call_sites.measured import LONG, MEDIUM
from ....measure.layers.attribution import Upper
from ....units import amount, plural, seconds
from ...accesses.objects import with_files
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...times.loops import loops_of

NAME = "scattered-selection"
ROLE = CAUSE
_HALF = 0.5  # smallest share of calls with such a selection, and of their time inside HDF5
_KINDS = (("READ", "reads"), ("WRITE", "writes"))
_MANY = 1e-3  # seconds inside HDF5 of a call with so many pieces that making them takes long
# Seconds of making a selection for each pair of its pieces. Measured with HDF5 1.10.8: 1.4 s for
# 9,000 pieces, 260 ms for 4,000; on slower machines up to four times as many.
_PAIR = 7e-8
_REMEDIES = {
    "READ": Remedy(
        "Read the range that contains the rows with one call, or the whole dataset, and pick the "
        "rows in memory. If the range does not fit into memory, read it block by block.",
        "Python: part = file['x'][rows.min() : rows.max() + 1];  part[rows - rows.min()]\n"
        "C: H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL);  // one block\n"
        'Julia: part = file["x"][:, minimum(rows):maximum(rows)]',
    ),
    "WRITE": Remedy(
        "Collect the rows in memory and write the range that contains them with one call; read "
        "this range first if other rows of it stay.",
        "Python: part = x[low:high];  part[rows - low] = values;  x[low:high] = part\n"
        "C: H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL);  // one block",
        alone=True,
    ),
}


def _is_scattered(facts: Facts, upper: Upper) -> bool:
    """Returns whether most calls on a dataset select single points, or pieces without a common
    stride."""
    table = facts.table("H5D")
    place = None if table is None else table.place(upper.id)
    if table is None or place is None:
        return False
    some = sum(int(table[n][place]) for n in ("IRREGULAR_HYPERSLAB_SELECTS", "POINT_SELECTS"))
    return some > 0 and some >= _HALF * sum(int(table[n][place]) for n in ("READS", "WRITES"))


def _long_inside(upper: Upper, kind: str) -> bool:
    """Returns whether calls on a dataset spend at least half of their time inside HDF5. Leaves
    filtered datasets out, because filters also take time there."""
    return upper.counters["FILTERS"] <= 0 and upper.own_time((kind,)) >= _HALF * max(
        upper.time((kind,)), 1e-9
    )


def _before(facts: Facts, kind: str) -> dict[int, float]:
    """Returns the seconds before reads or writes of datasets, by the record id of the dataset, if
    the site of the calls used no other one; empty without call sites."""
    known = loops_of(facts)
    called = "H5Dread" if kind == "READ" else "H5Dwrite"
    found: dict[int, float] = {}
    for site in (site for loop in known.groups for site in loop.sites) if known else ():
        sums = site.sums
        if site.stack.called == called and len(sums.files.calls) == 1:
            [one] = sums.files.calls
            spent = (sums.gaps[MEDIUM] + sums.gaps[LONG]) * (known.overlap if known else 1.0)
            found[one] = found.get(one, 0.0) + spent
    return found


def _made(upper: Upper, kind: str, before: float) -> float:
    """Returns the seconds in which the selections of a dataset's calls were made: at most those
    `before` these calls, and what HDF5 takes for so many pieces. If the log does not have this
    number, returns `before` if each call spends so long inside HDF5 that it must have many pieces,
    otherwise 0."""
    calls, pieces = max(1, upper.counters[f"{kind}_CALLS"]), upper.counters["SELECTED_PIECES"]
    if pieces < 0:
        return before if upper.own_time((kind,)) >= _MANY * calls else 0.0
    return min(before, _PAIR * pieces * pieces / calls)


def _pieces(upper: Upper, kind: str) -> str:
    """Returns words on the number of pieces in a selection, with a space before; "" if unknown."""
    calls, pieces = max(1, upper.counters[f"{kind}_CALLS"]), upper.counters["SELECTED_PIECES"]
    each = round(pieces / calls)
    return f" of {'about ' if calls > 1 else ''}{plural(each, 'piece')}" if each > 1 else ""


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if reads of selections of many pieces spend at least half of their time
    inside HDF5, and another if writes do; otherwise nothing."""
    if facts.table("H5D") is None:
        return
    scattered = [upper for upper in facts.datasets if _is_scattered(facts, upper)]
    for kind, word in _KINDS:
        asked = f"BYTES_ASKED_{'READ' if kind == 'READ' else 'WRITTEN'}"
        before = _before(facts, kind) if scattered else {}
        hits = [
            (upper, facts.lost(upper.own_time((kind,)), upper.counters[asked]) * inside, spent)
            for upper in scattered
            for inside in (_long_inside(upper, kind),)
            for spent in (_made(upper, kind, before.get(upper.id, 0.0)),)
            if inside or spent > 0
        ]
        lost = float(sum(time for _, time, _ in hits))
        made = sum(spent for _, _, spent in hits)
        basis = f"time of these {word} inside HDF5, beyond what the bytes would take"
        stake = facts.stake(
            lost, basis + (", and the time before them" if made else ""), between=made
        )
        if not hits or not facts.worth(stake):
            continue
        first = max(hits, key=lambda hit: hit[1] + hit[2])[0]
        calls = first.counters[f"{kind}_CALLS"]
        own = first.own_time((kind,))
        others = f" and {plural(len(hits) - 1, 'more dataset')}" if len(hits) > 1 else ""
        yield Finding(
            f"{NAME}-{word}",
            "HDF5 spends its time on selections of many pieces",
            f"{plural(calls, word[:-1])} of {facts.name(first.id)}{others} selected single "
            "elements, or rows that do not follow each other: "
            f"{amount(first.counters[asked])} took {seconds(own)} inside HDF5, and "
            f"{seconds(first.lower_time((kind,)))} in the calls on the file."
            + (
                f" Before {f'these {word}' if calls > 1 else f'this {word[:-1]}'}, "
                f"{seconds(made)} passed: making such a selection"
                f"{_pieces(first, kind)} takes time that grows with the square of the number of "
                "its pieces. What the program computes there is part of this time."
                if made
                else ""
            ),
            stake=stake,
            evidence=facts.upper_rows(
                first, f"{kind}_CALLS", asked, f"F_{kind}_TIME", f"F_{kind}_POSIX_TIME"
            ),
            remedy=_REMEDIES[kind],
            limits=("stake.seconds", "stake.share", "stake.large"),
            covers=with_files(facts, [upper for upper, _, _ in hits]),
        )
