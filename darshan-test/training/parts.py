"""Batches whose parts are timed by the program itself. The arguments: the number of workers, and a
file. The last line of output is JSON: numbers of batches, samples and bytes, and seconds within
each part: `opening` and `reading` of files, `computing`, `transforming`, `collating`, `sleeping`,
and `making`, which is the whole time of samples and collate functions."""

import json
import os
import sys
import time

CLOCK = time.perf_counter
SAMPLES, BATCH, EPOCHS = 12, 4, 2
PARTS = ("opening", "reading", "computing", "transforming", "collating", "sleeping", "making")


def spin(seconds):
    """Computes until this thread has used so many seconds of processor time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Timed:
    """A dataset in which each sample is a dictionary with the seconds of each part of its work."""

    def __init__(self, path, transform):
        self.path = path
        self.transform = transform

    def __len__(self):
        return SAMPLES

    def __getitem__(self, place):
        told = dict.fromkeys(PARTS, 0.0)
        times = [CLOCK()]
        file = os.open(self.path, os.O_RDONLY)
        times.append(CLOCK())
        told["bytes"] = len(os.read(file, 1 << 16))
        times.append(CLOCK())
        os.close(file)
        begin = time.thread_time()
        spin(0.002)
        told["computing"] = time.thread_time() - begin
        begin = CLOCK()
        self.transform(told)
        told["sleeping"] = CLOCK() - begin - told["transforming"]
        time.sleep(0.001)
        told["opening"], told["reading"] = times[1] - times[0], times[2] - times[1]
        told["making"] = CLOCK() - times[0]
        return told


def slow(told):
    """Transforms a sample, which takes a millisecond: adds the seconds of `transforming` to the
    sample and returns it."""
    begin = CLOCK()
    time.sleep(0.001)
    told["transforming"] = CLOCK() - begin
    return told


def collate(samples):
    """Combines samples into a batch: the sums of their seconds, with the seconds that the
    combination takes."""
    begin = CLOCK()
    time.sleep(0.002)
    told = {name: sum(sample[name] for sample in samples) for name in samples[0]}
    told["samples"] = len(samples)
    told["collating"] = CLOCK() - begin
    told["making"] += told["collating"]
    return told


def main():
    """Trains for some epochs, and prints the sums over all batches as JSON."""
    from torch.utils.data import DataLoader

    try:
        from torchvision.transforms import Compose
    except ImportError:  # PyTorch alone
        Compose = lambda steps: steps[0]  # noqa: E731
    workers = int(sys.argv[1])
    loader = DataLoader(
        Timed(sys.argv[2], Compose([slow])), BATCH, num_workers=workers, collate_fn=collate
    )
    told, batches = {}, 0
    for _ in range(EPOCHS):
        for batch in loader:
            batches += 1
            for name, value in batch.items():
                told[name] = told.get(name, 0) + value
    print(json.dumps({**told, "batches": batches}))


if __name__ == "__main__":
    main()
