"""Two workers of a DataLoader, which are started again for each epoch, read each file once per
epoch (argument `once`), or each sample reads a file that all samples need (`common`). The files are
0.bin and so on."""

import sys
import time

from torch.utils.data import DataLoader

# Files (one per sample), bytes of a read, and epochs.
FILES, PIECE, EPOCHS = 16, 1 << 10, 5


class Samples:
    """A dataset whose samples are files that are read in small pieces, with some computation on
    each."""

    def __len__(self):
        return FILES

    def __getitem__(self, place):
        total = 0
        with open(f"{place}.bin" if sys.argv[1] == "once" else "0.bin", "rb", buffering=0) as file:
            while piece := file.read(PIECE):
                end = time.perf_counter() + 6e-5
                while time.perf_counter() < end:
                    pass
                total += len(piece)
        return total


for _ in range(EPOCHS):
    for batch in DataLoader(Samples(), batch_size=4, num_workers=2):
        assert len(batch) == 4
