"""A training that prints when each process worked and waited. Worker 0 sleeps, worker 1 reads a
file, and others compute; without workers, the batches sleep, read and compute in turn. One sample
of the second epoch sleeps for long, so that the program has to wait.

The arguments: the number of workers, 1 if they persist over epochs, and a file. The last line of
output is JSON: a list of [worker or null, state, begin, end] in seconds since 1970."""

import json
import os
import sys
import time

SAMPLES, BATCH, EPOCHS = 24, 2, 2
# Reads of a sample.
READS = 8
# Index of the long sample, which worker 0 makes if there are two, and its seconds.
STALLED, STALL = 8, 0.8
# Seconds of a step.
STEP = 0.01


def spin(seconds):
    """Computes until this thread has used so many seconds of processor time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Data:
    """A dataset in which each sample is a list of the times of its own work, as in the file's
    head."""

    def __init__(self, path):
        self.path = path

    def __len__(self):
        return SAMPLES

    def __getitem__(self, place):
        from torch.utils.data import get_worker_info

        info = get_worker_info()
        worker = None if info is None else info.id
        kind = place // BATCH % 3 if worker is None else min(worker, 2)
        spans = []
        if kind == 0:
            begin = time.time()
            long = place == STALLED and os.path.exists(self.path + ".second")
            time.sleep(STALL if long else 0.015)
            spans.append([worker, "waiting", begin, time.time()])
        elif kind == 1:
            file = os.open(self.path, os.O_RDONLY)
            for _ in range(READS):
                os.lseek(file, 0, 0)
                begin = time.time()
                os.read(file, 1 << 24)
                spans.append([worker, "files", begin, time.time()])
            os.close(file)
        else:
            begin = time.time()
            spin(0.015)
            spans.append([worker, "computing", begin, time.time()])
        return spans


def together(samples):
    """Makes a batch from samples: one list with the times of all of them."""
    return [span for sample in samples for span in sample]


def main():
    """Trains for some epochs, and prints the times of all samples and of the program's own waits as
    JSON."""
    from torch.utils.data import DataLoader

    workers, stay, path = int(sys.argv[1]), sys.argv[2] == "1", sys.argv[3]
    more = {"persistent_workers": True} if stay else {}
    loader = DataLoader(Data(path), BATCH, num_workers=workers, collate_fn=together, **more)
    told = []
    for epoch in range(EPOCHS):
        if epoch:
            with open(path + ".second", "w"):
                pass
        begin = time.time()
        iterator = iter(loader)
        told.append([None, "stall", begin, time.time()])
        while True:
            begin = time.time()
            batch = next(iterator, None)
            told.append([None, "stall", begin, time.time()])
            if batch is None:
                break
            told += batch
            begin = time.time()
            time.sleep(STEP)
            told.append([None, "step", begin, time.time()])
        time.sleep(0.3)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
