"""A training of several ranks, started by torchrun: each trains with different samples, and all
compute a step together. The samples of the last rank take ten times as long.

Each rank writes the numbers that it measured into RANK.json in the folder of the first argument:
batches (`steps`), and seconds around iter() and next() (`wait`) and around the epochs (`whole`)."""

import json
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler

CLOCK = time.perf_counter
SAMPLES, BATCH, EPOCHS = 64, 4, 3


class Samples(Dataset):
    """A dataset in which each sample takes a given time."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return SAMPLES

    def __getitem__(self, place):
        time.sleep(self.seconds)
        return torch.full((4,), float(place))


def epoch(loader, step):
    """Trains for an epoch, with `step` called on each batch. Returns the number of steps, the
    seconds of waiting for data, and the seconds of the whole epoch."""
    begin = CLOCK()
    iterator = iter(loader)
    wait, steps = CLOCK() - begin, 0
    while True:
        asked = CLOCK()
        batch = next(iterator, None)
        wait += CLOCK() - asked
        if batch is None:
            return {"steps": steps, "wait": wait, "whole": CLOCK() - begin}
        step(batch)
        steps += 1


def main():
    """Trains in this rank, and writes its sums to a file. The last rank has slow samples."""
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
    data = Samples(0.01 if rank == size - 1 else 0.001)
    loader = DataLoader(data, batch_size=BATCH, sampler=DistributedSampler(data))
    told = [epoch(loader, lambda batch: model(batch).sum().backward()) for _ in range(EPOCHS)]
    sums = {key: sum(one[key] for one in told) for key in told[0]}
    (Path(sys.argv[1]) / f"{rank}.json").write_text(json.dumps(sums))
    dist.destroy_process_group()


main()
