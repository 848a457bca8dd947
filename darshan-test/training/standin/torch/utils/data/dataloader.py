"""A stand-in for PyTorch's DataLoader, which needs no PyTorch: it has only the names that the
runtime looks for. Its workers are forked processes that send their batches through pipes."""

import builtins
import os
import pickle
import time

if getattr(builtins, "no_time", False):
    raise ImportError("as a test wants it")


class _Worker:
    """The number of the worker in whose process this code runs, as `this`; None in the process that
    iterates."""

    this = None  # of this process

    def __init__(self, number):
        self.id = number


def get_worker_info():
    """Returns the information about this worker; None in the process that iterates."""
    return _Worker.this


class DataLoader:
    """Iterates over batches of the elements of a sequence, with the arguments of PyTorch's class
    that the tests use."""

    def __init__(
        self, dataset, batch_size=1, persistent_workers=False, num_workers=0, collate_fn=list
    ):
        self.dataset = dataset
        self.batch_size = batch_size
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.prefetch_factor = None
        self.persistent_workers = persistent_workers
        self._iterator = None

    def __iter__(self):
        kind = _MultiProcessingDataLoaderIter if self.num_workers else _SingleProcessDataLoaderIter
        if not self.persistent_workers:
            return kind(self)
        if self._iterator is None:
            self._iterator = kind(self)
        else:
            self._iterator._reset()
        return self._iterator


class _Fetcher:
    def __init__(self, dataset, collate_fn):
        self.dataset = dataset
        self.collate_fn = collate_fn

    def fetch(self, places):
        return self.collate_fn([self.dataset[place] for place in places])


class _DatasetKind:
    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        return _Fetcher(dataset, collate_fn)


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._loader = loader
        self._reset()

    def _reset(self):
        self._place = 0

    def __iter__(self):
        return self

    def __next__(self):
        size, number = self._loader.batch_size, len(self._loader.dataset)
        places = list(range(self._place, min(self._place + size, number)))
        if not places:
            raise StopIteration
        batch = self._next_data(places)
        self._place += len(places)
        return batch

    def _next_data(self, places):
        raise NotImplementedError


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def _reset(self):
        super()._reset()
        self._fetcher = _DatasetKind.create_fetcher(
            0, self._loader.dataset, True, self._loader.collate_fn, drop_last=False
        )

    def _next_data(self, places):
        return self._fetcher.fetch(places)


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    def _reset(self):
        super()._reset()
        self._pipes = [self._start(number) for number in range(self._loader.num_workers)]

    def _start(self, number):
        (batches, writer), (reader, asks) = os.pipe(), os.pipe()
        if os.fork() == 0:
            os.close(asks)
            _Worker.this = _Worker(number)
            fetcher = _DatasetKind.create_fetcher(
                0, self._loader.dataset, True, self._loader.collate_fn, False
            )
            with os.fdopen(reader, "rb") as asked, os.fdopen(writer, "wb") as sent:
                while True:
                    try:
                        places = pickle.load(asked)
                    except EOFError:
                        os._exit(0)
                    pickle.dump(fetcher.fetch(places), sent)
                    sent.flush()
        os.close(reader)
        os.close(writer)
        return os.fdopen(batches, "rb"), os.fdopen(asks, "wb")

    def _next_data(self, places):
        batches, asks = self._pipes[self._place // self._loader.batch_size % len(self._pipes)]
        pickle.dump(places, asks)
        asks.flush()
        return pickle.load(batches)

    def __next__(self):
        try:
            return super().__next__()
        except StopIteration:
            for _, asks in self._pipes:
                asks.close()
            for batches, _ in self._pipes:
                batches.read()  # until the worker has ended
                batches.close()
            raise


time.sleep(0)
