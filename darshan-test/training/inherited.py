"""Workers of a DataLoader read a file: by a position that all of them share, because the main
process opened the file before they started (argument `position`), or so through HDF5 (`hdf5`). With
`position-own` and `hdf5-own`, each of them opens it."""

import os
import sys

from torch.utils.data import DataLoader

# Number of samples, and bytes of each.
SAMPLES, SIZE = 64, 4096
KIND, _, OWN = sys.argv[1].partition("-")


class Samples:
    """Fixed-size samples of one file."""

    def __init__(self):
        self.file = None if OWN else self.open()

    def open(self):
        if KIND == "hdf5":
            import h5py

            return h5py.File("samples.h5", "r")["x"]
        return os.open("samples.bin", os.O_RDONLY)

    def __len__(self):
        return SAMPLES

    def __getitem__(self, place):
        self.file = self.file or self.open()
        if KIND == "hdf5":
            return bytes(self.file[place])
        os.lseek(self.file, place * SIZE, os.SEEK_SET)
        return os.read(self.file, SIZE)


if KIND == "hdf5":
    import h5py
    import numpy

    with h5py.File("samples.h5", "w") as made:
        made["x"] = numpy.zeros((SAMPLES, SIZE), "u1")
else:
    with open("samples.bin", "wb") as made:
        made.write(bytes(SAMPLES * SIZE))
for batch in DataLoader(Samples(), batch_size=4, num_workers=2):
    assert len(batch) == 4
