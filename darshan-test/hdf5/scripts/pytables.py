"""Writes and reads arrays and a table through PyTables, whose wheel contains HDF5."""

from __future__ import annotations

import numpy as np
import tables
from expectations import Expectations

wanted = Expectations()
BARE = {"track_times": False}  # two runs write the same bytes
ROW = np.dtype([("a", "i4"), ("b", "f8")])
with tables.open_file("a.h5", "w") as file:
    wanted.add("a.h5", H5F_OPENS=1)
    file.create_array("/", "plain", np.arange(1000, dtype="i8"), **BARE)
    wanted.add("a.h5:/plain", H5D_WRITES=1, H5D_BYTES_WRITTEN=8000)
    group = file.create_group("/", "group")
    rows = file.create_table(group, "rows", np.zeros(100, ROW), chunkshape=(64,), **BARE)
    rows.append(np.ones(28, ROW))
    grow = file.create_earray(group, "grow", tables.Int16Atom(), (0, 7), chunkshape=(16, 7), **BARE)
    for i in range(5):
        grow.append(np.full((3, 7), i, "i2"))
        wanted.add("a.h5:/group/grow", H5D_WRITES=1, H5D_BYTES_WRITTEN=3 * 7 * 2)
with tables.open_file("a.h5") as file:
    wanted.add("a.h5", H5F_OPENS=1)
    print(int(file.root.plain[:].sum()), int(file.root.group.grow[:].sum()))
    wanted.add("a.h5:/plain", H5D_READS=1, H5D_BYTES_READ=8000)
    wanted.add("a.h5:/group/grow", H5D_READS=1, H5D_BYTES_READ=15 * 7 * 2)
    print(float(file.root.group.rows[:]["b"].sum()))
wanted.fix("a.h5:/group/grow", H5D_DATASPACE_NPOINTS=15 * 7, H5D_CHUNK_SIZE_D2=16)
wanted.add("a.h5:/group/rows", H5D_BYTES_WRITTEN=128 * ROW.itemsize)
wanted.fix("a.h5:/group/rows", H5D_DATASPACE_NPOINTS=128, H5D_DATATYPE_SIZE=ROW.itemsize)
wanted.at_least("a.h5", H5_META_ATTR_CREATES=1, H5_META_GROUP_CREATES=1)
wanted.say()
