"""Trains on the files in its arguments, each of which is a sample. It maps .npy files and reads
others."""

import mmap
import os
import sys


class Files:
    """A data set whose samples are files."""

    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, place):
        path = self.paths[place]
        with open(path, "rb", 0) as file:
            if not path.endswith(".npy"):
                return len(file.read())
            with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
                return sum(mapped[:: mmap.PAGESIZE])


def main():
    """Trains for an epoch, also on a file that it makes, and writes a file that is not a sample."""
    from torch.utils.data import DataLoader

    with open("cache.arrow", "wb") as file:
        file.write(bytes(2000))
    for _ in DataLoader(Files([*sys.argv[1:], "cache.arrow"])):
        pass
    with open("model.pt", "wb") as file:
        file.write(bytes(1000))
    os.replace("model.pt", "last.pt")


main()
