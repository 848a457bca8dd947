"""Divides the potential saving of findings by the epochs of a training."""

from __future__ import annotations

from dataclasses import replace

from ..facts import Facts
from ..finding import PROBLEM, Finding
from .loading import verdicts

# The starts of the names of findings on what a training does in each epoch: it loads samples,
# writes logs, and saves its state.
_IN_EPOCHS = (
    *("loader-bound-training", "read-by-each", "many-small-files", "opened-again"),
    *("hdf5-opened-again", "chunk-", "element-wise", "same-bytes-again-read", "small-accesses"),
    *("random-access", "mapped-faults", "syncs", "checkpoints-", "saved-by-each"),
)


def in_epochs(facts: Facts, finding: Finding) -> Finding:
    """Returns a finding whose saving has the number of epochs, if it is a problem in what a
    training with a DataLoader of PyTorch does in each epoch; any other finding as it is. The epochs
    are those of one process, in the loop with the longest epochs."""
    if finding.kind != PROBLEM or not finding.name.startswith(_IN_EPOCHS):
        return finding
    known = verdicts(facts)
    if not known:
        return finding
    return replace(finding, stake=replace(finding.stake, epochs=known[0].loader.epochs_of_each))
