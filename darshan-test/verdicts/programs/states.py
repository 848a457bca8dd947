"""Programs that save their state: states.py CASE [cured]."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

MIB = 1 << 20
STEPS = 8


def save_each_step(cured: bool) -> None:
    """Saves the whole model after each step, and keeps the last two."""
    model = {"weights": bytes(8 * MIB)}
    for step in range(STEPS):
        time.sleep(0.01)
        if cured and step < STEPS - 1:
            continue
        with open(f"model-{step}.ckpt", "wb") as file:
            pickle.dump(model, file)
        if not cured and step >= 2:
            os.remove(f"model-{step - 2}.ckpt")


def parts_of_a_tensor(cured: bool) -> None:
    """Saves rows of a table, each with the whole table, as torch.save does with a view."""
    for part in range(30):
        with open(f"rows-{part}.pt", "wb") as file:
            pickle.dump(bytes(MIB // 30 if cured else MIB), file)


def _rank(saves: bool, rank: int, size: int) -> None:
    """Trains as one rank, and saves twice."""
    for step in range(2):
        time.sleep(0.05)
        if saves:
            with open(f"rank{rank}-{step}.pt", "wb") as file:
                pickle.dump({"step": step, "weights": bytes(size)}, file)


def _launch(case: str, *arguments: str) -> None:
    """Starts two ranks of a case, as torchrun does."""
    ranks = [
        subprocess.Popen(
            [sys.executable, __file__, case, *arguments], env={**os.environ, "RANK": str(rank)}
        )
        for rank in range(2)
    ]
    assert all(rank.wait() == 0 for rank in ranks)


def each_rank_saves(cured: bool) -> None:
    """Saves the whole model in each rank, which all have a copy."""
    rank = os.environ.get("RANK")
    if rank is None:
        _launch("each-rank-saves", *["cured"][: int(cured)])
    else:
        _rank(not cured or rank == "0", int(rank), 16 * MIB)


def parts_by_rank(_: bool) -> None:
    """Each rank saves its own part of a state, and the parts are not alike."""
    rank = os.environ.get("RANK")
    if rank is None:
        _launch("parts-by-rank")
    else:
        _rank(True, int(rank), (16 + 4 * int(rank)) * MIB)


def results_each_step(_: bool) -> None:
    """Writes the result of each step, which the next program reads."""
    for step in range(STEPS):
        time.sleep(0.1)
        Path(f"result-{step}.npy").write_bytes(bytes(4 * MIB))


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](sys.argv[2:] == ["cured"])
