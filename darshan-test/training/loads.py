"""Trainings with PyTorch that the program itself measures. The arguments are names of
configurations, as in configurations.py; the loop of each one is in code with a separate file name.
The last line of the output is JSON: for each configuration and epoch the number of batches
(`steps`), and seconds around iter() and next() (`wait`) and around the epoch (`whole`)."""

import contextlib
import json
import sys
import time
from unittest import mock

from torch.utils.data import DataLoader, Dataset, IterableDataset

CLOCK = time.perf_counter
SAMPLES, BATCH, EPOCHS = 48, 4, 3


def work(kind, seconds):
    """Takes as long as a sample or a step: "sleep" sleeps as if it waited for storage or a GPU, any
    other kind computes. seconds: how long."""
    end = CLOCK() + seconds
    if kind == "sleep":
        time.sleep(seconds)
    while CLOCK() < end:
        pass


class Samples(Dataset):
    """A dataset whose samples are accessed by index; each takes a given time."""

    def __init__(self, kind, seconds):
        self.cost = (kind, seconds)

    def __len__(self):
        return SAMPLES

    def __getitem__(self, place):
        work(*self.cost)
        return place


class Stream(IterableDataset):
    """The same samples as Samples, as a stream, of which each worker reads some."""

    def __init__(self, kind, seconds):
        self.cost = (kind, seconds)

    def __iter__(self):
        from torch.utils.data import get_worker_info

        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for place in range(first, SAMPLES, step):
            work(*self.cost)
            yield place


@contextlib.contextmanager
def pinned(options):
    """Within the context, DataLoaders start PyTorch's thread that copies batches to pinned memory,
    as if there were a GPU; this thread passes the batches on as they are."""
    as_on_gpu = (
        mock.patch("torch.cuda.is_available", lambda: True),
        mock.patch("torch.cuda.current_device", lambda: 0),
        mock.patch("torch.cuda.set_device", lambda _: None),
        mock.patch("torch.utils.data._utils.pin_memory.pin_memory", lambda data, _=None: data),
    )
    with contextlib.ExitStack() as stack:
        for one in as_on_gpu:
            stack.enter_context(one)
        options["pin_memory"] = True
        yield


# The loop is compiled for each configuration under its name, so that the log has each by itself.
LOOP = """
def epoch(loader, step):
    begin = CLOCK()
    iterator = iter(loader)
    wait, steps = CLOCK() - begin, 0
    while True:
        asked = CLOCK()
        batch = next(iterator, None)
        wait += CLOCK() - asked
        if batch is None:
            break
        steps += 1
        work("sleep", step)
    return {"steps": steps, "wait": wait, "whole": CLOCK() - begin}
"""


def train(name):
    """Trains with the configuration that the name describes:
    dataset-wWORKERS-pPREFETCH-persistence-load. Returns the times of each epoch, as the file's head
    says."""
    dataset, workers, prefetch, persistent, load = name.split("-")
    options = {"batch_size": BATCH, "num_workers": int(workers[1:])}
    if options["num_workers"]:
        options["prefetch_factor"] = int(prefetch[1:])
        options["persistent_workers"] = persistent == "kept"
    cost, step = {
        "slow": (("sleep", 0.004), 0.006),
        "decoding": (("spin", 0.003), 0.006),
        "steps": (("sleep", 0.001), 0.02),
    }[load]
    data = Stream(*cost) if dataset == "stream" else Samples(*cost)
    if dataset == "shuffled":
        options["shuffle"] = True
    loop = {"CLOCK": CLOCK, "work": work}
    exec(compile(LOOP, f"/training/{name}.py", "exec"), loop)
    with pinned(options) if dataset == "pinned" else contextlib.nullcontext():
        loader = DataLoader(data, **options)
        return [loop["epoch"](loader, step) for _ in range(EPOCHS)]


print(json.dumps({name: train(name) for name in sys.argv[1:]}))
