"""Each worker of a PyTorch DataLoader, or each rank, reads the whole data set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....measure.training import MODULE
from ....units import amount, plural, seconds
from ...facts import Facts, leading
from ...finding import CAUSE, NOTICE, PROBLEM, Evidence, Finding, Remedy, Stake
from ...reached import needs
from ...table import Table
from ...training.loading import NOTHING, verdicts
from ...training.whole_set import WORKERS, WholeSet, whole_set

NAME = "read-by-each-worker"
ROLE = CAUSE
_SHARDS = (
    "info = torch.utils.data.get_worker_info()  # in __iter__; None without workers\n"
    "files = self.files[info.id::info.num_workers] if info else self.files"
)
_RANKS = (
    "DataLoader(..., sampler=DistributedSampler(dataset))  # a Dataset with __getitem__\n"
    "datasets.distributed.split_dataset_by_node(dataset, rank, world_size)\n"
    "files = self.files[rank::world_size]  # in __iter__, before the workers' parts"
)


def _stake(facts: Facts, table: Table, found: WholeSet) -> Stake:
    """Returns the potential saving: the share of the waits for data (or, if unknown, of the time in
    calls on files) that goes into reading the same bytes by several workers. found: the data set
    that each worker reads."""
    wait = found.loader.sums.wait * found.loader.part_of_run
    is_bound = verdicts(facts)[0].why != NOTHING
    each = min(found.spent / found.number, wait) if is_bound and found.by_sites else 0.0
    read = int(found.read * found.again)
    basis = "waits for data, multiplied by the share of the bytes that are read again"
    stake = facts.stake(
        0.0 if each else found.spent * found.again,
        basis if each else "time for these files, multiplied by the share of bytes read again",
        read,
        int(table.sum("BYTES_READ")),
        between=each * found.again * found.loader.processes,
    )
    if not each:
        return stake
    return replace(stake, run=each * found.again, of_run=facts.run_time, idle=False, crowded=False)


def _readers(found: WholeSet) -> str:
    """Returns text on the workers, or ranks, that read everything."""
    if found.readers != WORKERS:
        return f"Each of the {found.number} ranks"
    if (ranks := len(found.loader.ranks)) > 1:
        return f"Each of the {found.number // ranks} workers of each of the {ranks} ranks"
    return f"Each of the {found.number} workers"


def _sentence(facts: Facts, table: Table, found: WholeSet) -> str:
    """Returns the sentences of the finding."""
    files = int(found.mask.sum())
    (first,) = leading(found.mask, table["BYTES_READ"], 1)
    name = facts.name(table.ids[first])
    what = f"{plural(files, 'file')} like {name}" if files > 1 else name
    loop = f" of {found.loader.line}" if found.loader.line else ""
    between = ", with what the readers did in between" if found.by_sites else ""
    return (
        f"{_readers(found)} of the training loop{loop} read all of {what}, {amount(found.size)}, "
        f"in each epoch: {amount(found.read)} in {plural(round(found.epochs), 'epoch')}. That took "
        f"{seconds(found.spent)}{facts.over_all}{between}. If each of them also yields all that it "
        f"reads, the program gets every sample {found.number} times in an epoch, which then takes "
        f"{found.number} times as long as it should."
    )


def _evidence(facts: Facts, table: Table, found: WholeSet) -> tuple[Evidence, ...]:
    """Returns the reads of the largest file, and the counts of the loop, as evidence."""
    (first,) = leading(found.mask, table["BYTES_READ"], 1)
    values = {"EPOCHS": found.loader.sums.epochs, "WORKERS": found.loader.workers or 0}
    return facts.rows(table, first, "BYTES_READ", "MAX_BYTE_READ", "OPENS") + tuple(
        Evidence(MODULE, found.loader.name, f"{MODULE}_{name}", value, found.loader.id)
        for name, value in values.items()
    )


@needs("TRAINING")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding if the readers of a data set do not divide the work: a problem if this
    delays the training steps, otherwise a notice, because the program may still get each sample
    several times. Yields nothing if they divide it."""
    found, table = whole_set(facts), facts.table("POSIX")
    if found is None or table is None:
        return
    stake = _stake(facts, table, found)
    again = found.read * found.again / max(1.0, found.epochs)
    is_worth = stake.run >= max(
        facts.limits["stake.seconds"], facts.limits["stake.share"] * facts.run_time
    )
    if not is_worth and again < facts.limits["training.again"]:
        return
    by_worker = found.readers == WORKERS
    both = by_worker and len(found.loader.ranks) > 1
    examples = [_SHARDS] if by_worker else []
    examples += [_RANKS] if both or not by_worker else []
    yield Finding(
        NAME,
        f"Each {'worker' if by_worker else 'rank'} reads the whole data set",
        _sentence(facts, table, found),
        PROBLEM if is_worth else NOTICE,
        stake=stake if is_worth else Stake(),
        evidence=_evidence(facts, table, found),
        remedy=Remedy(
            ("Give each worker its part of the files" if by_worker else "Give each rank its part")
            + ", so that together they read the set once in an epoch. A library such as webdataset "
            "or datasets does so if the set has at least as many shards as there are readers.",
            "\n".join(examples),
        ),
        limits=("training.again",),
        covers=frozenset(int(one) for one in table.ids[found.mask]),
    )
