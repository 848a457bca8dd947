"""Mistakes that users ask about, with their fixes: usual.py CASE [cured|prepare]."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import json
import pickle
import shutil
import sqlite3
import sys
import tarfile
import zipfile
from itertools import islice
from pathlib import Path

import numpy as np

# Each case uses only one library, because each library brings its own HDF5.
if sys.argv[1].startswith("nc-"):
    import netCDF4
elif sys.argv[1].startswith("table-"):
    import tables
elif sys.argv[1].startswith("h5-"):
    import h5py
elif sys.argv[1].startswith("parquet-"):
    import pyarrow as pa
    import pyarrow.parquet as pq


# --- archives and tables ---------------------------------------------------------


def table_again(cured: bool) -> None:
    """Rewrites the whole table of results after each result."""
    rows: list[list[float]] = []
    for step in range(50):
        rows += ([step, i, i * 0.5] for i in range(300))
        if cured and step < 49:
            continue
        with open("results.csv", "w", newline="") as file:
            csv.writer(file).writerows(rows)  # blame: table-again


def append_to_zip(cured: bool) -> None:
    """Opens the archive for each member that it adds."""
    if cured:
        with zipfile.ZipFile("all.zip", "w") as archive:
            for i in range(150):
                archive.writestr(f"result{i}.txt", "value\n" * 50)
        return
    for i in range(150):
        with zipfile.ZipFile("all.zip", "a") as archive:  # blame: append-to-zip
            archive.writestr(f"result{i}.txt", "value\n" * 50)


def key_of_npz(cured: bool) -> None:
    """Calls np.load for each array of an archive."""
    if cured:
        with np.load("all.npz") as arrays:
            assert all(len(arrays[f"a{i}"]) == 200 for i in range(100))
        return
    for i in range(100):
        with np.load("all.npz") as arrays:  # blame: key-of-npz
            assert len(arrays[f"a{i}"]) == 200


def prepare_key_of_npz() -> None:
    """Writes an archive of 100 arrays."""
    np.savez("all.npz", **{f"a{i}": np.ones(200) for i in range(100)})


def member_of_tar(cured: bool) -> None:
    """Opens a tar archive for each member: it has no index, so the headers before the member are
    read each time; cured: reads all members in order."""
    names = [f"part{i}" for i in range(0, 200, 4)]
    if cured:
        with tarfile.open("parts.tar") as archive:
            wanted = set(names)
            for member in archive:
                file = archive.extractfile(member)
                assert file is not None
                if member.name in wanted:
                    file.read()
        return
    for name in names:
        with tarfile.open("parts.tar") as archive:  # blame: member-of-tar
            file = archive.extractfile(name)  # blame: member-of-tar
            assert file is not None and file.read()


def prepare_member_of_tar() -> None:
    """Writes a tar archive with 200 members of 20 KB."""
    with tarfile.open("parts.tar", "w") as archive:
        for i in range(200):
            member = tarfile.TarInfo(f"part{i}")
            member.size = 20000
            archive.addfile(member, io.BytesIO(bytes(20000)))


def scan_of_gzip(cured: bool) -> None:
    """Decompresses a text up to a line, for each line that is needed."""
    if cured:
        with gzip.open("text.gz", "rb") as file:
            lines = file.readlines()
        assert all(lines[i * 3000] for i in range(40))
        return
    for i in range(40):
        with gzip.open("text.gz", "rb") as file:
            assert next(islice(file, i * 3000, None))  # blame: scan-of-gzip


def prepare_scan_of_gzip() -> None:
    """Writes 120,000 lines."""
    numbers = np.random.default_rng(1).integers(0, 1 << 62, 120000)
    with gzip.open("text.gz", "wb", 1) as file:
        file.writelines(b"%d\n" % i for i in numbers)


def members_backward(cured: bool) -> None:
    """Reads the members of a compressed archive from the last to the first."""
    with tarfile.open("all.tar.gz", "r:gz") as archive:
        members = archive.getmembers()
        for member in members if cured else reversed(members):
            assert archive.extractfile(member).read()  # blame: members-backward


def prepare_members_backward() -> None:
    """Packs 30 members."""
    values = np.random.default_rng(1).integers(0, 256, (30, 100000)).astype("u1")
    with tarfile.open("all.tar.gz", "w:gz", compresslevel=1) as archive:
        for i, data in enumerate(values):
            member = tarfile.TarInfo(f"sample{i}")
            member.size = data.size
            archive.addfile(member, io.BytesIO(data.tobytes()))


def sqlite_lookups(cured: bool) -> None:
    """Looks up rows by a column without an index."""
    db = sqlite3.connect("catalogue.db")
    if cured:
        db.execute("create index by_id on object(id)")
    for key in range(0, 30 * 997, 997):
        found = db.execute("select v from object where id = ?", (key,))
        assert found.fetchone()  # blame: sqlite-lookups
    db.close()


def prepare_sqlite_lookups() -> None:
    """Writes 60,000 rows."""
    db = sqlite3.connect("catalogue.db")
    db.execute("create table object(id, v)")
    db.executemany("insert into object values(?, zeroblob(100))", ((i,) for i in range(60000)))
    db.commit()
    db.close()


def next_name(cured: bool) -> None:
    """Lists the folder for the name of each new file; cured: saves one file."""
    Path("frames").mkdir()
    if cured:
        np.save("frames/all.npy", np.zeros((500, 8)))
        return
    for _ in range(500):
        number = len(glob.glob("frames/frame_*.npy"))  # blame: next-name
        np.save(f"frames/frame_{number:06d}.npy", np.zeros(8))  # blame: next-name


def staged_copies(cured: bool) -> None:
    """Copies each file to a scratch folder, reads the copy once and removes it."""
    Path("scratch").mkdir()
    for path in sorted(Path().glob("part*.bin")):
        place = path if cured else Path("scratch") / path.name
        if not cured:
            shutil.copy(path, place)  # blame: staged-copies
        assert len(np.fromfile(place, "u1")) > 0
        if not cured:
            place.unlink()


def prepare_staged_copies() -> None:
    """Writes eight files."""
    for i in range(8):
        np.full(16 << 20, i, "u1").tofile(f"part{i}.bin")


def row_of_csv(cured: bool) -> None:
    """Reads the table for each key."""
    keys = [str(i * 400) for i in range(1, 40)]
    if cured:
        with open("table.csv", newline="") as file:
            rows = {row[0]: row for row in csv.reader(file)}
        assert all(rows[key] for key in keys)
        return
    for key in keys:
        with open("table.csv", newline="") as file:
            assert next(row for row in csv.reader(file) if row[0] == key)  # blame: row-of-csv


def prepare_row_of_csv() -> None:
    """Writes 20,000 rows."""
    with open("table.csv", "w", newline="") as file:
        csv.writer(file).writerows([i, i * 0.5, "name" * 10] for i in range(20000))


def connect_each(cured: bool) -> None:
    """Opens a connection for each query."""
    db = sqlite3.connect("cities.db")
    for i in range(250):
        if not cured:
            db = sqlite3.connect("cities.db")  # blame: connect-each
        assert db.execute("select name from city where id = ?", (i,)).fetchone()
        if not cured:
            db.close()


def without_index(cured: bool) -> None:
    """Searches a table by a column without an index, so that each query scans all of it."""
    db = sqlite3.connect("cities.db")
    if cured:
        db.execute("create index by_name on city(name)")
    for i in range(30):
        # blame: without-index
        assert db.execute("select id from city where name = ?", (f"city {i * 900}",)).fetchone()
    db.close()


def prepare_without_index() -> None:
    """Writes 5 MB."""
    db = sqlite3.connect("cities.db")
    db.execute("create table city(id integer primary key, name text, note text)")
    rows = ((i, f"city {i}", "a note " * 20) for i in range(30000))
    db.executemany("insert into city values(?, ?, ?)", rows)
    db.commit()
    db.close()


prepare_connect_each = prepare_without_index


def state_again(cured: bool) -> None:
    """Loads the known state, changes it a little and saves it, item by item."""
    known = {}
    for i in range(120):
        if not cured:
            known = pickle.loads(Path("known.pickle").read_bytes())  # blame: state-again
        known[i] = i * 0.5
        if not cured or i == 119:
            Path("known.pickle").write_bytes(pickle.dumps(known))  # blame: state-again


def prepare_state_again() -> None:
    """Writes a state that is nearly empty."""
    Path("known.pickle").write_bytes(pickle.dumps({}))


def memmap_each(cured: bool) -> None:
    """Maps the file again for each batch, to limit memory."""
    data = np.memmap("tokens.bin", "u2", "r")
    for i in range(500):
        if not cured:
            data = np.memmap("tokens.bin", "u2", "r")  # blame: memmap-each
        assert data[i * 1000 : i * 1000 + 64].sum() >= 0


def prepare_memmap_each() -> None:
    """Writes 1 MB."""
    np.arange(512000, dtype="u2").tofile("tokens.bin")


def status_each(cured: bool) -> None:
    """Writes the progress to a file after every step."""
    for step in range(800):
        if not cured or step % 100 == 0:
            Path("status.json").write_text(json.dumps({"step": step}))  # blame: status-each


# --- arrays ----------------------------------------------------------------------


def h5_all_for_one(cured: bool) -> None:
    """x[:][i] reads the whole dataset for each of its rows."""
    with h5py.File("x.h5") as file:
        x = file["x"][:] if cured else file["x"]
        for i in range(60):
            assert x[:][i][0] == i  # blame: h5-all-for-one


def prepare_h5_all_for_one() -> None:
    """Writes 8 MB."""
    with h5py.File("x.h5", "w") as file:
        file["x"] = np.repeat(np.arange(1024.0), 1024).reshape(1024, 1024)


def h5_shuffled(cured: bool) -> None:
    """Samples in random order, of compressed chunks of 256 samples."""
    order = np.random.default_rng(1).permutation(40000)[:900]
    with h5py.File("train.h5") as file:
        x = file["x"][:] if cured else file["x"]
        for i in order:
            assert x[i].shape == (64,)


def prepare_h5_shuffled() -> None:
    """Writes 20 MB in 157 chunks: more than the cache of HDF5 2 holds."""
    values = np.random.default_rng(1).integers(0, 99, (40000, 64)).astype("f8")
    with h5py.File("train.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(256, 64), compression=1)


def h5_string_each(cured: bool) -> None:
    """Writes names one by one."""
    names = [f"name {i}" for i in range(3000)]
    with h5py.File("names.h5", "w") as file:
        made = file.create_dataset("names", (3000,), h5py.string_dtype())
        if cured:
            made[:] = names
            return
        for i, name in enumerate(names):
            made[i] = name


def nc_point_of_maps(cured: bool) -> None:
    """Reads a time series at some points, from a file with one map per chunk; the cache has the
    size of netCDF before 4.8."""
    with netCDF4.Dataset("maps.nc") as file:
        v = file["v"]
        v.set_var_chunk_cache(4 << 20, 1009, 0.75)
        if cured:
            block = v[:]
            assert all(len(block[:, i, i]) == 64 for i in range(12))
            return
        for i in range(12):
            assert len(v[:, i, i]) == 64


def prepare_nc_point_of_maps() -> None:
    """Writes 64 maps of 512 KiB."""
    with netCDF4.Dataset("maps.nc", "w") as file:
        for name, size in (("time", 64), ("y", 256), ("x", 256)):
            file.createDimension(name, size)
        made = file.createVariable("v", "f8", ("time", "y", "x"), chunksizes=(1, 256, 256))
        for i in range(64):
            made[i] = i


def nc_file_each(cured: bool) -> None:
    """Writes a file for each of many small steps."""
    if cured:
        with netCDF4.Dataset("all.nc", "w") as file:
            file.createDimension("t", 300)
            file.createDimension("x", 100)
            file.createVariable("v", "f8", ("t", "x"))[:] = 1.0
        return
    for step in range(300):
        with netCDF4.Dataset(f"step{step}.nc", "w") as file:
            file.createDimension("x", 100)
            file.createVariable("v", "f8", ("x",))[:] = step


def table_row_each(cured: bool) -> None:
    """Rows are appended one by one to an array that grows."""
    with tables.open_file("rows.h5", "w") as file:
        made = file.create_earray("/", "rows", tables.Float64Atom(), (0, 8), expectedrows=20000)
        rows = np.ones((20000, 8))
        for i in range(0, 20000, 20000 if cured else 1):
            made.append(rows[i : i + (20000 if cured else 1)])


def parquet_batch_each(cured: bool) -> None:
    """Writes a row group for each few rows."""
    rows = pa.table({f"c{i}": np.ones(6000) for i in range(4)})
    with pq.ParquetWriter("rows.parquet", rows.schema) as file:
        for i in range(0, 6000, 6000 if cured else 10):
            file.write_table(rows.slice(i, 6000 if cured else 10))  # blame: parquet-batch-each


def parquet_column_each(cured: bool) -> None:
    """Opens the file for each column and each question."""
    for i in range(1 if cured else 150):
        columns = None if cured else [f"c{i % 30}"]
        assert len(pq.read_table("wide.parquet", columns=columns)) == 500


def prepare_parquet_column_each() -> None:
    """Writes 30 columns."""
    pq.write_table(pa.table({f"c{i}": np.ones(500) for i in range(30)}), "wide.parquet")


if __name__ == "__main__":
    name, mode = sys.argv[1].replace("-", "_"), sys.argv[2:]
    if mode == ["prepare"]:
        globals().get(f"prepare_{name}", Path)()  # some need nothing
    else:
        globals()[name](mode == ["cured"])
