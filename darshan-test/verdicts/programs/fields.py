"""Arrays in HDF5 and netCDF files from Python: fields.py CASE [cured|prepare]."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

# Each case uses only one library, because each library brings its own HDF5.
if sys.argv[1].startswith(("nc-", "healthy-records", "healthy-synced")):
    import netCDF4
elif sys.argv[1] in ("table-flush", "many-leaves", "healthy-table"):
    import tables
else:
    import h5py


def fill_many(cured: bool) -> None:
    """Makes 200 datasets that are filled at creation, and then writes them."""
    with h5py.File("f.h5", "w") as file:
        for i in range(200):
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            plist.set_fill_value(np.array(1.0))
            plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER if cured else h5py.h5d.FILL_TIME_ALLOC)
            space = h5py.h5s.create_simple((65536,))
            # blame: fill-many
            made = h5py.h5d.create(file.id, b"x%d" % i, h5py.h5t.IEEE_F64LE, space, plist)
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ones(65536))


def open_each(cured: bool) -> None:
    """Opens the file for each value."""
    if cured:
        with h5py.File("in.h5") as file:
            for _ in range(300):
                file["x"][3]
        return
    for _ in range(300):
        with h5py.File("in.h5") as file:  # blame: open-each
            file["x"][3]


def many_attributes(cured: bool) -> None:
    """Stores each value as an attribute."""
    with h5py.File("f.h5", "w", libver="latest") as file:
        if cured:
            file["values"] = np.arange(3000.0)
            return
        for i in range(3000):
            file.attrs[f"value{i}"] = float(i)  # blame: many-attributes


def many_datasets(cured: bool) -> None:
    """Stores each value as a dataset."""
    with h5py.File("f.h5", "w") as file:
        if cured:
            file["values"] = np.arange(1000.0)
            return
        for i in range(1000):
            file[f"value{i}"] = float(i)  # blame: many-datasets


def element_writes(cured: bool) -> None:
    """Writes in a loop over elements."""
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset("x", (5000,), "f8")
        if cured:
            made[:] = np.arange(5000.0)
            return
        for i in range(5000):
            made[i] = i  # blame: element-writes


def element_reads(cured: bool) -> None:
    """Reads in a loop over elements."""
    with h5py.File("in.h5") as file:
        if cured:
            file["x"][:]
            return
        for i in range(5000):
            file["x"][i]  # blame: element-reads


def flush_steps(cured: bool) -> None:
    """Appends a row to 20 datasets in each step, and flushes the file."""
    with h5py.File("f.h5", "w") as file:
        made = [
            file.create_dataset(f"x{i}", (0, 16), "f8", maxshape=(None, 16), chunks=(256, 16))
            for i in range(20)
        ]
        for step in range(150):
            for one in made:
                one.resize(step + 1, 0)
                one[step] = step
            if not cured:
                file.flush()  # blame: flush-steps


def flush_dataset(cured: bool) -> None:
    """Flushes a dataset after each row of a chunk of 1,024 rows."""
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset("x", (1024, 64), "f8", chunks=(1024, 64))
        for step in range(1000):
            made[step] = step
            if not cured:
                made.flush()  # blame: flush-dataset


def append_flush(cured: bool) -> None:
    """Extends a dataset by a row, writes it and flushes; cured: by 500 rows."""
    size = 500 if cured else 1
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset("x", (0, 64), "f4", maxshape=(None, 64), chunks=(512, 64))
        for i in range(0, 2500, size):
            made.resize(i + size, 0)
            made[i : i + size] = i
            file.flush()  # blame: append-flush


def small_chunks(cured: bool) -> None:
    """Chunks of a row of 32 values."""
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset("x", (8000, 32), "f8", chunks=(4000 if cured else 1, 32))
        made[:] = 1.0  # blame: small-chunks


def append_rows(cured: bool) -> None:
    """Extends a dataset row by row, with a chunk for each row."""
    with h5py.File("f.h5", "w") as file:
        size = 2000 if cured else 1
        made = file.create_dataset("x", (0,), "f8", maxshape=(None,), chunks=(size,))
        for i in range(0, 2000, size):
            made.resize((i + size,))
            made[i : i + size] = i  # blame: append-rows


def one_of_a_chunk(cured: bool) -> None:
    """Reads small windows of large compressed chunks; cured: reads all at once."""
    with h5py.File("windows.h5", rdcc_nbytes=1 << 16) as file:
        x = file["x"][...] if cured else file["x"]
        for i in range(60):
            x[i * 16, i * 16 : i * 16 + 16]  # blame: one-of-a-chunk


def prepare_one_of_a_chunk() -> None:
    """Writes 8 MiB in two chunks."""
    values = np.arange(1024 * 1024, dtype="f8").reshape(1024, 1024)
    with h5py.File("windows.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(1024, 512), compression=1)


def cache_misses(cured: bool) -> None:
    """Rows of compressed chunks that go over all rows."""
    with h5py.File("columns.h5", rdcc_nbytes=(64 << 20) if cured else (1 << 20)) as file:
        x = file["x"]
        for i in range(16):
            x[i]  # blame: cache-misses


def prepare_cache_misses() -> None:
    """Writes 16 MB in compressed chunks of 512 KiB."""
    values = np.random.default_rng(1).integers(0, 9, (1024, 2048)).astype("f8")
    with h5py.File("columns.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(1024, 64), compression=1)


def names_shuffled(cured: bool) -> None:
    """f['x'][i] of rows in random order; cured: reads the values once."""
    with h5py.File("columns.h5") as file:
        x = file["x"][:] if cured else None
        for i in np.random.default_rng(1).integers(0, 1024, 300):
            assert (file["x"] if x is None else x)[i].any()  # blame: names-shuffled


def prepare_names_shuffled() -> None:
    """Writes 16 MB in compressed chunks of 512 KiB, of whole rows."""
    values = np.random.default_rng(1).integers(0, 9, (1024, 2048)).astype("f8")
    with h5py.File("columns.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(32, 2048), compression=1)


def _opened(path: str, cured: bool) -> h5py.File:
    """Opens a file for changes; cured: with a sieve buffer of 4 KiB."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    if cured:
        access.set_sieve_buf_size(4096)
    return h5py.File(h5py.h5f.open(path.encode(), fapl=access))


def sieved_reads(cured: bool) -> None:
    """Parts of rows in any order: HDF5 reads 64 KiB around each, 4 KiB in the cured program."""
    order = np.random.default_rng(1).permutation(10000)
    with _opened("rows.h5", cured) as file:
        x = file["x"]
        for i in order:
            x[i, :500]  # blame: sieved-reads


def sieved_writes(cured: bool) -> None:
    """Parts of rows in any order: HDF5 reads and writes 64 KiB around each."""
    values = np.ones(500, "f4")
    with _opened("rows.h5", cured) as file:
        x = file["x"]
        for i in np.random.default_rng(1).permutation(10000):
            x[i, :500] = values  # blame: sieved-writes


def prepare_sieved_reads() -> None:
    """Writes 10,000 rows of 4,000 bytes, without chunks."""
    with h5py.File("rows.h5", "w") as file:
        file.create_dataset("x", data=np.zeros((10000, 1000), "f4"))


prepare_sieved_writes = prepare_sieved_reads


def text_values(cured: bool) -> None:
    """Texts of variable length; cured: of a fixed one."""
    names = [b"gene-%08d" % n for n in range(300_000)]
    kind = "S16" if cured else h5py.string_dtype()
    with h5py.File("names.h5", "w") as file:
        file.create_dataset("names", data=names, dtype=kind)  # blame: text-values
    with h5py.File("names.h5") as file:
        file["names"][:]


def text_packed(cured: bool) -> None:
    """Texts of variable length in compressed chunks; cured: of a fixed one."""
    names = [b"gene-%08d" % n for n in range(300_000)]
    kind = "S16" if cured else h5py.string_dtype()
    with h5py.File("names.h5", "w") as file:
        # blame: text-packed
        file.create_dataset("names", data=names, dtype=kind, compression="gzip")
    with h5py.File("names.h5") as file:
        file["names"][:]


def prepare_rows_picked() -> None:
    """Writes a table of 300,000 rows in chunks of a thousand."""
    with h5py.File("f.h5", "w") as file:
        values = np.arange(300_000 * 20.0).reshape(300_000, 20)
        file.create_dataset("x", data=values, chunks=(1000, 20))


def rows_picked(cured: bool) -> None:
    """Reads the rows that passed a test; cured: picks them from all rows in memory."""
    passed = np.flatnonzero(np.random.default_rng(1).random(300_000) < 0.4)
    with h5py.File("f.h5") as file:
        x = file["x"]
        assert (x[:][passed] if cured else x[passed]).shape[1] == 20  # blame: rows-picked


prepare_rows_placed = prepare_rows_picked


def rows_placed(cured: bool) -> None:
    """Changes the rows that passed a test; cured: in memory, and writes all rows."""
    passed = np.flatnonzero(np.random.default_rng(1).random(300_000) < 0.4)
    values = np.ones((len(passed), 20))
    with h5py.File("f.h5", "r+") as file:
        x = file["x"]
        if cured:
            every = x[:]
            every[passed] = values
            x[:] = every
        else:
            x[passed] = values  # blame: rows-placed


def prepare_nc_diskless() -> None:
    """Writes four files of which a model reads one variable."""
    for number in range(4):
        with netCDF4.Dataset(f"m{number}.nc", "w") as file:
            file.createDimension("n", 1 << 24)
            file.createDimension("few", 1 << 18)
            file.createVariable("rain", "f4", ("few",))[:] = np.ones(1 << 18, "f4")
            file.createVariable("all", "f4", ("n",))[:] = np.ones(1 << 24, "f4")


def nc_diskless(cured: bool) -> None:
    """Opens files in memory for one variable; cured: opens them as they are."""
    for number in range(4):
        more = {} if cured else {"diskless": True}
        with netCDF4.Dataset(f"m{number}.nc", **more) as file:  # blame: nc-diskless
            assert file["rain"][:].sum() == 1 << 18


prepare_nc_in_memory = prepare_nc_diskless


def nc_in_memory(_: bool) -> None:
    """Opens files in memory and uses all their data."""
    for number in range(4):
        with netCDF4.Dataset(f"m{number}.nc", diskless=True) as file:
            assert file["all"][:].sum() == 1 << 24


prepare_healthy_range = prepare_rows_picked


def healthy_range(_: bool) -> None:
    """Reads every second row of a range, which is a selection with a stride."""
    with h5py.File("f.h5") as file:
        assert file["x"][1000:201_000:2].shape == (100_000, 20)


def noise_compressed(cured: bool) -> None:
    """Compresses data that cannot be compressed."""
    values = np.random.default_rng(1).integers(0, 256, (16 << 20,)).astype("u1")
    with h5py.File("f.h5", "w") as file:
        level = None if cured else 6
        made = file.create_dataset("x", (16 << 20,), "u1", chunks=(1 << 20,), compression=level)
        made[:] = values  # blame: noise-compressed


def slow_deflate(cured: bool) -> None:
    """Compresses with the highest level of deflate; cured: shuffles, and uses the lowest level."""
    values = np.random.default_rng(1).poisson(30, (8, 256, 1024)).astype("u2")
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset("x", values.shape, "u2", chunks=(1, 256, 1024), shuffle=cured,
                                   compression=1 if cured else 9)  # fmt: skip
        made[:] = values  # blame: slow-deflate


def column_of_rows(cured: bool) -> None:
    """Reads six columns of a dataset that is stored by rows, one at a time; cured: reads the whole
    dataset once."""
    with h5py.File("rows.h5") as file:
        if cured:
            file["x"][...]
            return
        for i in range(6):
            file["x"][:, i * 100]  # blame: column-of-rows


def prepare_column_of_rows() -> None:
    """Writes 64 MB, contiguous, in rows of 64 KiB."""
    with h5py.File("rows.h5", "w") as file:
        file["x"] = np.ones((1024, 8192))


def group_each_event(cured: bool) -> None:
    """Stores each event as a group with two attributes and a small dataset, and reads them."""
    events = 1500
    with h5py.File("f.h5", "w") as file:
        if cured:
            file["time"], file["detector"] = np.arange(events), np.arange(events) % 8
            file["waveform"] = np.ones((events, 32), "f4")
            return
        for number in range(events):
            group = file.create_group(f"event{number}")
            group.attrs["time"] = 1e-3 * number
            group.attrs["detector"] = number % 8
            group.create_dataset("waveform", data=np.ones(32, "f4"))
    with h5py.File("f.h5") as file:
        assert sum(float(file[name]["waveform"][0]) for name in file) == events


def nc_sync_step(cured: bool) -> None:
    """Extends a variable by a record and syncs, for each step."""
    with netCDF4.Dataset("f.nc", "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 64)
        made = file.createVariable("v", "f8", ("t", "x"))
        for step in range(600):
            made[step] = step
            if not cured:
                file.sync()  # blame: nc-sync-step


def nc_define_late(cured: bool) -> None:
    """Defines each variable of a classic file after the data of the one before it."""
    kind = "NETCDF4" if cured else "NETCDF3_CLASSIC"
    with netCDF4.Dataset("f.nc", "w", format=kind) as file:
        file.createDimension("y", 400)
        file.createDimension("x", 500)
        for n in range(24):
            made = file.createVariable(f"tracer{n}", "f4", ("y", "x"))  # blame: nc-define-late
            made[:] = 1.0


def nc_chunks_of_time(cured: bool) -> None:
    """Writes two variables in the tiny chunks of an unlimited dimension, and their times in larger
    chunks."""
    sizes = (1000, 10) if cured else (1, 10)
    with netCDF4.Dataset("f.nc", "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 10)
        file.createVariable("t", "f8", ("t",))
        for name in ("height", "period"):
            file.createVariable(name, "f4", ("t", "x"), chunksizes=sizes)
        for step in range(0, 20000, 200):
            file["t"][step : step + 200] = np.arange(step, step + 200.0)
            for name in ("height", "period"):
                # blame: nc-chunks-of-time
                file[name][step : step + 200] = np.ones((200, 10), "f4")


def nc_element_writes(cured: bool) -> None:
    """Writes in a loop over elements."""
    with netCDF4.Dataset("f.nc", "w") as file:
        file.createDimension("x", 5000)
        made = file.createVariable("v", "f8", ("x",))
        if cured:
            made[:] = np.arange(5000.0)
            return
        for i in range(5000):
            made[i] = i  # blame: nc-element-writes


def nc_open_each(cured: bool) -> None:
    """Opens the file for each step."""
    if cured:
        with netCDF4.Dataset("in.nc") as file:
            for _ in range(200):
                file["v"][3]
        return
    for _ in range(200):
        with netCDF4.Dataset("in.nc") as file:  # blame: nc-open-each
            file["v"][3]


def prepare_nc_open_each() -> None:
    """Writes the small netCDF file that nc_open_each opens."""
    with netCDF4.Dataset("in.nc", "w") as file:
        file.createDimension("x", 100)
        file.createVariable("v", "f8", ("x",))[:] = 1.0


def nc_prefill(cured: bool) -> None:
    """Writes contiguous variables that were filled at creation."""
    with netCDF4.Dataset("f.nc", "w") as file:
        if cured:
            file.set_fill_off()
        file.createDimension("x", 1 << 20)
        for i in range(16):
            made = file.createVariable(f"v{i}", "f8", ("x",), contiguous=True)  # blame: nc-prefill
            made[: 1 << 19] = 1.0  # blame: nc-prefill
            made[1 << 19 :] = 2.0


def table_flush(cured: bool) -> None:
    """Appends and flushes row by row."""
    with tables.open_file("t.h5", "w") as file:
        made = file.create_table("/", "t", {"a": tables.Float64Col()}, chunkshape=(1024,))
        for i in range(1000):
            made.row["a"] = i
            made.row.append()
            if not cured:
                made.flush()  # blame: table-flush


def many_leaves(cured: bool) -> None:
    """Stores each result as an array."""
    with tables.open_file("t.h5", "w") as file:
        if cured:
            file.create_array("/", "all", np.ones((600, 4)))
            return
        for i in range(600):
            file.create_array("/", f"a{i}", np.ones(4))  # blame: many-leaves


def paged_groups(cured: bool) -> None:
    """Reads an attribute of each of many groups, in a file with pages."""
    with h5py.File("groups.h5", page_buf_size=16 << 20 if cured else 0) as file:
        for i in range(3000):
            assert file[f"g{i * 769 % 3000}"].attrs["i"] >= 0  # blame: paged-groups


def prepare_paged_groups() -> None:
    """Writes 3,000 groups with an attribute each."""
    with h5py.File("groups.h5", "w", fs_strategy="page") as file:
        for i in range(3000):
            file.create_group(f"g{i}").attrs["i"] = i


def prepare_open_each() -> None:
    """Writes the small HDF5 file that open_each opens."""
    with h5py.File("in.h5", "w") as file:
        file["x"] = np.arange(5000.0)


prepare_element_reads = prepare_open_each


def healthy_write(_: bool) -> None:
    """Writes one large dataset."""
    with h5py.File("f.h5", "w") as file:
        file["x"] = np.ones((4096, 2048))


def healthy_chunks(_: bool) -> None:
    """Chunks of 1 MiB, written whole."""
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset("x", (4096, 1024), "f8", chunks=(128, 1024))
        for i in range(0, 4096, 128):
            made[i : i + 128] = i


def healthy_deflate(_: bool) -> None:
    """Compresses data that can be compressed."""
    with h5py.File("f.h5", "w") as file:
        values = np.arange(1 << 20) // 1000
        file.create_dataset("x", data=values, chunks=(1 << 17,), compression=1, shuffle=True)


def healthy_records(_: bool) -> None:
    """Uses one chunk per record of a time step."""
    with netCDF4.Dataset("f.nc", "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 1 << 17)
        made = file.createVariable("v", "f8", ("t", "x"), chunksizes=(1, 1 << 17))
        for step in range(32):
            made[step] = np.full(1 << 17, step)


def healthy_table(_: bool) -> None:
    """Appends 100,000 rows in one call."""
    with tables.open_file("t.h5", "w") as file:
        made = file.create_table("/", "t", {"a": tables.Float64Col()}, expectedrows=100000)
        made.append(np.ones(100000, [("a", "f8")]))


def healthy_checkpoints(_: bool) -> None:
    """Flushes a few times, each time after much data."""
    with h5py.File("f.h5", "w") as file:
        for i in range(12):
            file.create_dataset(f"step{i}", data=np.full((1024, 1024), i, "f4"))
            file.flush()


def healthy_fields(_: bool) -> None:
    """Writes more than a hundred datasets, none of them small."""
    with h5py.File("f.h5", "w") as file:
        for i in range(120):
            file.create_dataset(f"field{i}", data=np.full(65536, i, "f8"))


def healthy_described(_: bool) -> None:
    """Attributes that describe data."""
    with h5py.File("f.h5", "w") as file:
        for i in range(8):
            made = file.create_dataset(f"field{i}", data=np.full(1 << 20, i, "f4"))
            for name in ("unit", "long_name", "grid", "source"):
                made.attrs[name] = f"{name} of field {i}"


def healthy_rows(_: bool) -> None:
    """Rows of 64 KiB, each once."""
    with h5py.File("rows.h5") as file:
        for i in range(512):
            file["x"][i]


prepare_healthy_rows = prepare_column_of_rows


def healthy_words(_: bool) -> None:
    """Writes a large array, and 2,000 texts of variable length."""
    with h5py.File("f.h5", "w") as file:
        file.create_dataset("x", data=np.ones(1 << 22))
        file.create_dataset("names", data=[f"sensor {n}" for n in range(2000)])


def healthy_reopened(_: bool) -> None:
    """Reopens the files of each phase of a program."""
    for phase in range(4):
        with h5py.File("f.h5", "a") as file:
            file[f"phase{phase}"] = np.full(1 << 20, phase, "f8")


def healthy_filled(_: bool) -> None:
    """Writes one of each 16 chunks of a dataset with a fill value."""
    with h5py.File("f.h5", "w") as file:
        made = file.create_dataset("x", (64, 65536), "f4", chunks=(1, 65536), fillvalue=-1)
        made[::16] = 1.0


def healthy_synced(_: bool) -> None:
    """Writes large records with netCDF, with a sync after every ten records."""
    with netCDF4.Dataset("f.nc", "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 1 << 16)
        made = file.createVariable("v", "f8", ("t", "x"), chunksizes=(1, 1 << 16))
        for step in range(40):
            made[step] = np.full(1 << 16, step)
            if step % 10 == 9:
                file.sync()


if __name__ == "__main__":
    name, mode = sys.argv[1].replace("-", "_"), sys.argv[2:]
    if mode == ["prepare"]:
        globals().get(f"prepare_{name}", Path)()  # most need nothing
    else:
        globals()[name](mode == ["cured"])
