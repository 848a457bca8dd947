"""Typical calls of h5py, which opens datasets by H5Oopen and closes them by H5Idec_ref."""

from __future__ import annotations

import h5py
import numpy as np
from expectations import Expectations

wanted = Expectations()
GRID = "a.h5:/group/grid"
values = np.arange(100 * 200, dtype="f8").reshape(100, 200)

with h5py.File("a.h5", "w") as file:
    wanted.add("a.h5", H5F_OPENS=1)
    group = file.create_group("group")
    wanted.add("a.h5", H5_META_GROUP_CREATES=1)
    grid = group.create_dataset("grid", values.shape, "f4", chunks=(10, 50), compression="gzip")
    wanted.add(GRID, H5D_OPENS=1)
    grid[...] = values
    grid[5:7, ::2] = 1
    wanted.add(GRID, H5D_WRITES=2, H5D_BYTES_WRITTEN=4 * (values.size + 2 * 100))
    grid.attrs["unit"] = "m"
    wanted.at_least("a.h5", H5_META_ATTR_CREATES=1, H5_META_ATTR_WRITES=1)
    plain = file.create_dataset("plain", data=values[:3])
    wanted.add("a.h5:/plain", H5D_OPENS=1, H5D_WRITES=1, H5D_BYTES_WRITTEN=3 * 200 * 8)
    file.flush()
    wanted.add("a.h5", H5F_FLUSHES=1)

with h5py.File("a.h5", "r+") as file:
    wanted.add("a.h5", H5F_OPENS=1)
    grid = file["group"]["grid"]
    again = file["/group/grid"]
    wanted.add(GRID, H5D_OPENS=2)
    print(grid[...].sum(), again[3, 4], grid[[1, 5, 6], 7], grid[-1, :3])
    read = values.size + 1 + 3 + 3
    wanted.add(GRID, H5D_READS=4, H5D_BYTES_READ=4 * read, H5D_RW_SWITCHES=1)
    print(grid.attrs["unit"], "unit" in grid.attrs)
    wanted.at_least("a.h5", H5_META_ATTR_READS=1)
    del grid.attrs["unit"]
    wanted.add("a.h5", H5_META_ATTR_DELETES=1)
    filters, chunk = grid.id.read_direct_chunk((0, 0))
    wanted.add(GRID, H5D_READS=1, H5D_BYTES_READ=len(chunk))
    grid.id.write_direct_chunk((10, 0), chunk, filters)
    wanted.add(GRID, H5D_WRITES=1, H5D_BYTES_WRITTEN=len(chunk), H5D_RW_SWITCHES=1)
    wanted.add("a.h5", H5_META_CHUNK_READS=1, H5_META_CHUNK_WRITES=1)
    del file["plain"]
    print(sorted(file), "plain" in file, filters)
    file.create_dataset("grow", (4,), "i2", maxshape=(None,))[:] = 3
    wanted.add("a.h5:/grow", H5D_OPENS=1, H5D_WRITES=1, H5D_BYTES_WRITTEN=8)
    grow = file["grow"]
    wanted.add("a.h5:/grow", H5D_OPENS=1)
    grow.resize((10,))
    wanted.add("a.h5", H5_META_SET_EXTENTS=1)
    print(grow[:])
    wanted.add("a.h5:/grow", H5D_READS=1, H5D_BYTES_READ=20)

with h5py.File("assigned.h5", "w") as file:  # creates without a name, writes, links
    for n in range(3):
        file[f"deep/v{n}"] = values[: n + 1]
        wanted.add(f"assigned.h5:/deep/v{n}", H5D_OPENS=1, H5D_WRITES=1)
        wanted.add(f"assigned.h5:/deep/v{n}", H5D_BYTES_WRITTEN=(n + 1) * 200 * 8)
        wanted.fix(f"assigned.h5:/deep/v{n}", LAYERS_WRITE_CALLS=1)
        wanted.fix(f"assigned.h5:/deep/v{n}", LAYERS_BYTES_ASKED_WRITTEN=(n + 1) * 200 * 8)
    print(file["deep/v1"][1, 1])
    wanted.add("assigned.h5:/deep/v1", H5D_OPENS=1, H5D_READS=1, H5D_BYTES_READ=8)
    del file["deep/v2"]
    file["deep/v2"] = values[:1]  # the name has a record already

with h5py.File("groups.h5", "w") as file:
    for n in range(50):
        file.create_group(f"g{n}/sub")
with h5py.File("groups.h5", "a") as file:
    file["new"] = values  # the runtime does not search all groups for its name
    wanted.fix("groups.h5:/new", H5D_OPENS=1, LAYERS_OPEN_POSIX_READS=0)

with h5py.File("groups.h5", "a") as file:
    file.attrs["reference"] = file.create_dataset("referred", data=values).ref
with h5py.File("groups.h5") as file:
    print(file[file.attrs["reference"]][0, 0])
    wanted.fix("groups.h5:<by reference>", H5D_OPENS=1, H5D_READS=1, LAYERS_OPEN_POSIX_READS=0)

wanted.fix("assigned.h5:<anonymous>", H5D_OPENS=1, H5D_WRITES=1, H5D_BYTES_WRITTEN=200 * 8)
wanted.fix(GRID, H5D_DATASPACE_NDIMS=2, H5D_DATASPACE_NPOINTS=values.size, H5D_DATATYPE_SIZE=4)
wanted.fix(GRID, H5D_CHUNK_SIZE_D1=50, H5D_CHUNK_SIZE_D2=10, H5D_USE_DEPRECATED=0)
wanted.fix("a.h5:/grow", H5D_DATASPACE_NPOINTS=10, H5D_DATATYPE_SIZE=2)
wanted.say()
