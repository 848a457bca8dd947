"""Prints all behaviour of PyTorch's DataLoader that a program can observe. The output must be the
same with the runtime and without it."""

import gc
import signal
import sys
import threading
import time
import traceback
import weakref

import torch.utils.data.dataloader as its_file
from torch.utils.data import DataLoader


class Numbers:
    """A dataset of the numbers below a limit; the sample with the number `bad` raises an error."""

    def __init__(self, number, bad=-1):
        self.number = number
        self.bad = bad
        self.depths = set()

    def __len__(self):
        return self.number

    def __getitem__(self, place):
        frame, depth = sys._getframe(), 0
        while frame:
            frame, depth = frame.f_back, depth + 1
        self.depths.add(depth)
        if place == self.bad:
            raise LookupError("sample %d" % place)
        return place


class Batch(list):
    """A batch for which a weak reference can be made."""


class Own(its_file._SingleProcessDataLoaderIter):
    """A program's own subclass of the loader's iterator, which overrides the method __next__ and
    calls the original."""

    def __next__(self):
        return ["own", super().__next__()]


def whole():
    """Runs complete epochs, and continues an iterator after its end."""
    loader = DataLoader(Numbers(7), batch_size=3)
    print([list(loader) for _ in range(2)])
    iterator = iter(loader)
    print(len(list(iterator)), next(iterator, "none"), next(iterator, "none"))
    try:
        next(iterator)
    except StopIteration as error:
        print(repr(error), error.__context__, len(traceback.extract_tb(error.__traceback__)))
    print(type(iterator).__name__, iter(iterator) is iterator)


def nested():
    """Iterates over one loader within the loop over another one, and over one loader within the
    loop over itself, and prints the batches."""
    one, two = DataLoader(Numbers(4), 2), DataLoader(Numbers(2), 1)
    print([(a, b) for a in one for b in two])
    print([(a, b) for a in one for b in one])


def ends():
    """Ends iterations early: by leaving the loop, by an error, and by starting again; prints what
    happens."""
    loader = DataLoader(Numbers(5, bad=3))
    for batch in loader:
        print(batch)
        break
    try:
        for batch in loader:
            print(batch)
    except LookupError as error:
        found = traceback.extract_tb(error.__traceback__)
        print(repr(error), [(line.name, line.lineno) for line in found])
    kept = DataLoader(Numbers(3), persistent_workers=True)
    print([list(kept) for _ in range(3)], iter(kept) is iter(kept))


def methods():
    """Uses the iterator's methods as attributes and prints the results: called on the class,
    overridden, replaced, and without arguments."""
    loader = DataLoader(Numbers(2))
    iterator = DataLoader.__iter__(loader)
    print(its_file._BaseDataLoaderIter.__next__(iterator), iterator.__next__())
    print(list(Own(loader)))
    for wrong in (lambda: DataLoader.__iter__(), lambda: its_file._BaseDataLoaderIter.__next__(3)):
        try:
            wrong()
        except (TypeError, AttributeError) as error:
            print(type(error).__name__)
    print(
        callable(DataLoader.__iter__), DataLoader.__iter__.__name__, "__iter__" in vars(DataLoader)
    )


def references():
    """Prints reference counts and which objects live: the runtime must hold no object and free none
    too early."""
    dataset = Numbers(3000)
    loader = DataLoader(dataset)
    before = sys.getrefcount(loader), sys.getrefcount(dataset)
    iterator = iter(loader)
    watched = weakref.ref(iterator)
    batches = [weakref.ref(Batch(batch)) for batch in iterator]
    print(len(batches), sum(batch() is not None for batch in batches))
    print(sys.getrefcount(iterator), watched() is iterator)
    del iterator
    gc.collect()
    print(watched(), (sys.getrefcount(loader), sys.getrefcount(dataset)) == before)
    marker = object()
    many = DataLoader([marker] * 5000)
    held = sys.getrefcount(marker)
    print(sum(len(batch) for batch in many), sys.getrefcount(marker) == held)
    print(sorted(dataset.depths))


class Stuck(Numbers):
    """A dataset that never returns a sample."""

    def __getitem__(self, place):
        while True:
            time.sleep(60)


def late(*_):
    """A signal handler that raises TimeoutError in the interrupted function."""
    raise TimeoutError("late")


def interrupted():
    """Raises an exception in a signal handler during a wait for data, twice, and prints it."""
    signal.signal(signal.SIGALRM, late)
    iterator = iter(DataLoader(Stuck(1)))
    for _ in range(2):
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            next(iterator)
        except TimeoutError as error:
            print(repr(error))


def threads():
    """Iterates over loaders in 24 threads at the same time, and prints the numbers of samples."""
    sums = []

    def loop(number):
        sums.append(sum(len(batch) for _ in range(20) for batch in DataLoader(Numbers(number), 3)))

    all_of_them = [threading.Thread(target=loop, args=(number,)) for number in range(24)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()
    print(sorted(sums))


def main():
    """Runs each part, then prints the exception that is being handled; there must be none."""
    for part in (whole, nested, ends, methods, references, interrupted, threads):
        print(part.__name__)
        part()
    print(repr(sys.exc_info()))


main()
