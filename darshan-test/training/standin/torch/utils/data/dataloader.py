"""A stand-in for PyTorch's DataLoader: the names that the runtime looks for, and nothing else of
it.  It loads in the process itself, so that the tests of the runtime need no PyTorch."""

import builtins
import time

if getattr(builtins, "no_time", False):
    raise ImportError("as a test wants it")


class DataLoader:
    """Iterates over batches of a sequence."""

    def __init__(self, dataset, batch_size=1, persistent_workers=False):
        self.dataset = dataset
        self.batch_size = batch_size
        self.num_workers = 0
        self.prefetch_factor = None
        self.persistent_workers = persistent_workers
        self._iterator = None

    def __iter__(self):
        if not self.persistent_workers:
            return _SingleProcessDataLoaderIter(self)
        if self._iterator is None:
            self._iterator = _SingleProcessDataLoaderIter(self)
        else:
            self._iterator._reset()
        return self._iterator


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._loader = loader
        self._reset()

    def _reset(self):
        self._place = 0

    def __iter__(self):
        return self

    def __next__(self):
        batch = self._next_data()
        self._place += len(batch)
        return batch

    def _next_data(self):
        raise NotImplementedError


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def _next_data(self):
        end = min(self._place + self._loader.batch_size, len(self._loader.dataset))
        if self._place == end:
            raise StopIteration
        return [self._loader.dataset[place] for place in range(self._place, end)]


time.sleep(0)
