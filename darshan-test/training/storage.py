"""Epochs that read files from storage or from memory. Before each epoch but the second, the files'
pages leave the cache. The last line is JSON: for each epoch, the bytes that the samples read, and
the bytes that the kernel read from storage for them. The arguments: number of workers, 1 if they
stay between epochs, and the files."""

import json
import os
import resource
import sys

BLOCK = 512  # bytes of a block of getrusage
EPOCHS = 3


def from_storage():
    """Returns the bytes that the kernel has read from storage for this thread."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_inblock * BLOCK


class Files:
    """A data set of which each sample is a file."""

    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, place):
        before = from_storage()
        with open(self.paths[place], "rb", buffering=0) as file:
            read = len(file.readall())
        return read, from_storage() - before


def drop(paths):
    """Removes the files' pages from the cache."""
    for path in paths:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main():
    """Trains for some epochs."""
    from torch.utils.data import DataLoader

    workers, stay, paths = int(sys.argv[1]), sys.argv[2] == "1", sys.argv[3:]
    loader = DataLoader(
        Files(paths), 2, num_workers=workers, persistent_workers=stay, collate_fn=list
    )
    told = []
    for epoch in range(EPOCHS):
        if epoch != 1:
            drop(paths)
        samples = [sample for batch in loader for sample in batch]
        told.append([sum(column) for column in zip(*samples)])
    print(json.dumps(told))


if __name__ == "__main__":
    main()
