"""HDF5 spends most of a read or write on a selection of many pieces, not on the bytes. A selection
of rows that do not follow each other (in h5py an array of indices, or a mask) is a list of pieces.
HDF5 goes through this list for each chunk, which takes about ten microseconds per piece. Before the
call, the library adds the pieces one by one, which takes time that grows with the square of their
number. This time lies before the read or write, and no recorded call contains it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    stride. False for datasets with filters, because filters also take time inside HDF5."""
    table = facts.table("H5D")
    place = None if table is None else table.place(upper.id)
    if table is None or place is None or upper.counters["FILTERS"] > 0:
        return False
    some = sum(int(table[n][place]) for n in ("IRREGULAR_HYPERSLAB_SELECTS", "POINT_SELECTS"))
    return some > 0 and some >= _HALF * sum(int(table[n][place]) for n in ("READS", "WRITES"))


def _made_before(facts: Facts, hits: Sequence[tuple[Upper, object]], kind: str) -> float:
    """Returns the seconds between calls, before those with very many pieces, in which the program
    made the selections or computed; 0 without call sites. hits: datasets. kind: READ or WRITE."""
    known = loops_of(facts)
    calls = f"{kind}_CALLS"
    many = {u.id for u, _ in hits if u.own_time((kind,)) >= _MANY * max(u.counters[calls], 1)}
    called = "H5Dread" if kind == "READ" else "H5Dwrite"
    sites = [site for loop in known.groups for site in loop.sites] if known and many else []
    spent = sum(
        site.sums.gaps[MEDIUM] + site.sums.gaps[LONG]
        for site in sites
        if site.stack.called == called and many & set(site.sums.files.calls)
    )
    return spent * known.overlap if known is not None else 0.0


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if reads of selections of many pieces spend at least half of their time
    inside HDF5, and another if writes do; otherwise nothing."""
    if facts.table("H5D") is None:
        return
    scattered = [upper for upper in facts.datasets if _is_scattered(facts, upper)]
    for kind, word in _KINDS:
        asked = f"BYTES_ASKED_{'READ' if kind == 'READ' else 'WRITTEN'}"
        hits = [
            (upper, facts.lost(upper.own_time((kind,)), upper.counters[asked]))
            for upper in scattered
            if upper.own_time((kind,)) >= _HALF * max(upper.time((kind,)), 1e-9)
        ]
        lost = float(sum(time for _, time in hits))
        made = _made_before(facts, hits, kind)
        basis = f"time of these {word} inside HDF5, beyond what the bytes would take"
        stake = facts.stake(
            lost, basis + (", and the time before them" if made else ""), between=made
        )
        if not hits or not facts.worth(stake):
            continue
        first = max(hits, key=lambda hit: hit[1])[0]
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
                f" Before these {word}, {seconds(made)} passed: making such a selection takes time "
                "that grows with the square of the number of its pieces. What the program computes "
                "there is part of this time."
                if made
                else ""
            ),
            stake=stake,
            evidence=facts.upper_rows(
                first, f"{kind}_CALLS", asked, f"F_{kind}_TIME", f"F_{kind}_POSIX_TIME"
            ),
            remedy=_REMEDIES[kind],
            limits=("stake.seconds", "stake.share", "stake.large"),
            covers=with_files(facts, [upper for upper, _ in hits]),
        )
