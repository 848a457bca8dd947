"""A training of ranks that do not communicate: in each epoch, each rank reads all files *.bin of
the current folder (argument `whole`), or its part of them (`part`)."""

import os
import sys
import time
from pathlib import Path

from torch.utils.data import DataLoader

RANK, SIZE = (int(os.environ[name]) for name in ("RANK", "WORLD_SIZE"))


class Files:
    """A dataset in which each sample is the size of a file, which is read."""

    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, place):
        size = 0
        with open(self.paths[place], "rb", buffering=0) as file:
            while data := file.read(1 << 20):
                time.sleep(0.005)  # as slow storage does
                size += len(data)
        return size


every = sorted(Path().glob("*.bin"))
for _ in range(2):
    list(DataLoader(Files(every if sys.argv[1] == "whole" else every[RANK::SIZE])))
