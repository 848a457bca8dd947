"""Epochs of a training that the program itself measures. The first argument names the scenario, a
function of this file. The last line of output is JSON: for each epoch the number of batches
(`steps`), and seconds: `inside` the dataset, which are part of the wait for data; `wait`, around
iter() and next(); `whole`, around the epoch."""

import json
import os
import sys
import threading
import time

CLOCK = time.perf_counter


class Slow:
    """A dataset in which each sample takes some time, and which adds up the seconds spent in it
    (`inside`)."""

    def __init__(self, number, seconds):
        self.number = number
        self.seconds = seconds
        self.inside = 0.0

    def __len__(self):
        return self.number

    def __getitem__(self, place):
        begin = CLOCK()
        time.sleep(self.seconds)
        self.inside += CLOCK() - begin
        return place


def epoch(loader, most=None, step=0.001):
    """Runs an epoch of a loader, or only its first `most` steps, of `step` seconds each. Returns
    its number of steps and the seconds that it measured: inside the dataset, waiting for data, and
    the whole epoch."""
    begin = CLOCK()
    loader.dataset.inside = 0.0
    iterator = iter(loader)
    wait, steps = CLOCK() - begin, 0
    while steps != most:
        asked = CLOCK()
        batch = next(iterator, None)
        wait += CLOCK() - asked
        if batch is None:
            break
        steps += 1
        time.sleep(step)
    inside = loader.dataset.inside
    return {"steps": steps, "inside": inside, "wait": wait, "whole": CLOCK() - begin}


def plain():
    """Runs three epochs of one loader. Returns the times of each."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Slow(10, 0.001), batch_size=4)
    return [epoch(loader) for _ in range(3)]


def waiting():
    """Runs two epochs of short steps, which wait for their data. Returns the times of each."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Slow(20, 0.01))
    return [epoch(loader) for _ in range(2)]


class Made(Slow):
    """A dataset whose samples are computed and not read from a file."""

    def __getitem__(self, place):
        begin = CLOCK()
        while CLOCK() - begin < self.seconds:
            pass
        self.inside += CLOCK() - begin
        return place


def memory():
    """Runs two epochs of short steps, which wait for samples that the process computes. Returns the
    times of each."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Made(20, 0.01))
    return [epoch(loader) for _ in range(2)]


def computing():
    """Runs two epochs of long steps, whose data is available immediately. Returns the times of
    each."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Slow(10, 0.0))
    return [epoch(loader, step=0.02) for _ in range(2)]


def left():
    """Leaves the loop over a loader after two steps, three times. Returns the times of each."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Slow(10, 0.001), batch_size=2)
    return [epoch(loader, 2) for _ in range(3)]


def many():
    """Runs 70 epochs, more than have separate records. Returns the times of each."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Slow(1, 0.0))
    return [epoch(loader) for _ in range(70)]


def thread():
    """Imports PyTorch's module in another thread, while the main thread runs Python code; then as
    `plain`."""
    done = []

    def load():
        import torch.utils.data  # noqa: F401

        done.append(1)

    other = threading.Thread(target=load)
    other.start()
    while not done:
        time.sleep(0.001)
    other.join()
    return plain()


def again():
    """Imports PyTorch's module after an import of it that failed; then as `plain`."""
    import builtins

    builtins.no_time = True
    try:
        import torch.utils.data.dataloader  # noqa: F401
    except ImportError:
        del builtins.no_time
    return plain()


def read():
    """Reads the source file of PyTorch's module, as a debugger does, before the module is imported;
    then as `plain`."""
    folder = next(path for path in sys.path if os.path.isdir(os.path.join(path, "torch")))
    for _ in range(3):
        with open(os.path.join(folder, "torch", "utils", "data", "dataloader.py"), "rb") as file:
            file.read()
    return plain()


def child():
    """Runs one epoch, and two more of the same loader in a forked child. Returns the times of all
    three."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Slow(4, 0.001), batch_size=2)
    told = [epoch(loader)]
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, json.dumps([epoch(loader), epoch(loader)]).encode())
        os._exit(0)
    os.wait()
    return told + json.loads(os.read(reader, 65536).decode())


print(json.dumps(globals()[sys.argv[1]]()))
