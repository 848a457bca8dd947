"""Programs without a problem, from the manuals of libraries: sound.py CASE [prepare]. They were
written together with the mistakes of usual.py: the report must find no problem."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import logging.handlers
import os
import shutil
import sqlite3
import sys
import tarfile
import time
import wave
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

MIB = 1 << 20
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


# --- input of the cases ---------------------------------------------------------


def parts() -> None:
    """Writes 16 files of 1 MiB."""
    for i in range(16):
        Path(f"part{i}").write_bytes(os.urandom(MIB))


def rows() -> None:
    """Writes a table of 80,000 rows."""
    with open("table.csv", "w", newline="") as file:
        made = csv.writer(file)
        made.writerow(["id", "value", "name"])
        made.writerows([i, i * 0.5, f"name{i}"] for i in range(80000))


def archives() -> None:
    """Writes a zip and a tar of 24 members of 256 KiB."""
    block = os.urandom(MIB // 4)
    with zipfile.ZipFile("all.zip", "w") as packed, tarfile.open("all.tar", "w") as tape:
        for i in range(24):
            packed.writestr(f"zip/part{i}", block)
            member = tarfile.TarInfo(f"tar/part{i}")
            member.size = len(block)
            tape.addfile(member, io.BytesIO(block))


def years() -> None:
    """Writes 12 files of 2 MiB."""
    for year in range(12):
        with netCDF4.Dataset(f"year{year}.nc", "w") as file:
            file.createDimension("t", 16)
            file.createDimension("x", 16384)
            file.createVariable("v", "f8", ("t", "x"), chunksizes=(4, 16384))[:] = year


def packed() -> None:
    """Writes a dataset of 64 MB, packed by deflate."""
    with h5py.File("packed.h5", "w") as file:
        values = np.random.default_rng(1).integers(0, 1000, (8000, 2000)).astype("f4")
        file.create_dataset("x", data=values, chunks=(400, 2000), compression="gzip")


NEEDS = {
    "h5-inflated": packed,
    "threads-read": parts,
    "digests": parts,
    "unpack": archives,
    "csv-to-json": rows,
    "edit-in-place": rows,
    "query": rows,
    "nc-years": years,
}


# --- files -----------------------------------------------------------------------


def threads_read() -> None:
    """Files are read by a few threads, each file by one."""
    with ThreadPoolExecutor(4) as pool:
        sizes = pool.map(lambda i: len(Path(f"part{i}").read_bytes()), range(16))
        assert sum(sizes) == 16 * MIB


def digests() -> None:
    """Writes a list of checksums of all parts."""
    with open("SHA256SUMS", "w") as sums:
        for path in sorted(Path().glob("part*")):
            with path.open("rb") as file:
                digest = hashlib.sha256()
                while block := file.read(MIB // 4):
                    digest.update(block)
            sums.write(f"{digest.hexdigest()}  {path}\n")


def unpack() -> None:
    """Reads two archives completely."""
    with zipfile.ZipFile("all.zip") as packed:
        packed.extractall()
    with tarfile.open("all.tar") as tape:
        for member in tape:
            tape.extract(member)
    assert len(list(Path("tar").iterdir())) == 24


def csv_to_json() -> None:
    """Reads a table, and writes it as JSON."""
    with open("table.csv", newline="") as file:
        found = list(csv.DictReader(file))
    Path("table.json").write_text(json.dumps(found))


def edit_in_place() -> None:
    """Edits a file like an editor: preserves a copy, syncs the new file and renames it."""
    shutil.copy2("table.csv", "table.csv~")
    text = Path("table.csv").read_text().replace("name7", "NAME7")
    with open("table.csv.new", "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace("table.csv.new", "table.csv")
    time.sleep(0.3)


def download() -> None:
    """Blocks come over a line, and are written as they come."""
    with open("file.part", "wb") as file:
        for _ in range(96):
            time.sleep(0.004)
            file.write(bytes(256 << 10))
    os.rename("file.part", "file")


def rotating_log() -> None:
    """Writes a few log lines a second, and starts a new file when the log is full."""
    log = logging.getLogger("service")
    log.addHandler(logging.handlers.RotatingFileHandler("log", maxBytes=4000, backupCount=3))
    for i in range(40):
        time.sleep(0.03)
        log.warning("request %d was answered after %d ms", i, i * 7 % 50)


def log_in_memory() -> None:
    """Logs many records through a buffer that is written when it is full."""
    target = logging.FileHandler("log")
    target.flush = lambda: None  # type: ignore[method-assign]
    log = logging.getLogger("job")
    log.setLevel(logging.INFO)
    log.addHandler(logging.handlers.MemoryHandler(5000, target=target))
    for i in range(20000):
        log.info("step %d", i)


def sound() -> None:
    """Writes half a minute of sound, and reads it back."""
    with wave.open("tone.wav", "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44100)
        for _ in range(30):
            file.writeframes(np.zeros((44100, 2), "i2").tobytes())
    with wave.open("tone.wav") as file:
        assert len(file.readframes(file.getnframes())) == 30 * 44100 * 4


def query() -> None:
    """Makes a database in one transaction, and queries it by its index."""
    db = sqlite3.connect("rows.db")
    with db, open("table.csv", newline="") as file:
        db.execute("create table t(id integer, value real, name text)")
        db.executemany("insert into t values(?, ?, ?)", csv.reader(file))
        db.execute("create index by_name on t(name)")
    for i in range(2000):
        assert db.execute("select value from t where name = ?", (f"name{i * 31}",)).fetchone()
    db.close()


def checkpoints_in_turn() -> None:
    """Alternates between two names, so that one file is always complete."""
    state = np.zeros(MIB)
    for step in range(6):
        time.sleep(0.1)
        state += 1
        np.save(f"state{step % 2}.npy", state)


def computed_then_written() -> None:
    """Computes, then writes a few lines, each at once: the time passes before the loop."""
    ends = time.monotonic() + 1.5
    found = 0
    while time.monotonic() < ends:
        found = max(found, sum(range(1000)))
    with open("result.txt", "w", buffering=1) as file:
        for number in range(6):
            file.write(f"{number} {found}\n")


def rendered(seconds: float) -> str:
    """Makes a page, which takes so many seconds of a processor."""
    ends = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < ends:
        number += 1
    return f"page of {number}"


def found_in(name: str) -> str:
    """Returns the first folder of two that has a file."""
    return next(
        folder for folder in ("themes/own", "themes/base") if os.path.exists(f"{folder}/{name}")
    )


def templates_found() -> None:
    """Looks for the template of each page in two folders, of which the second has it."""
    os.makedirs("themes/base")
    for name in ("a", "b", "c"):
        Path(f"themes/base/{name}").write_text("template")
    with open("site.html", "w") as site:
        for number in range(9000):
            site.write(found_in("abc"[number % 3]) + rendered(50e-6))


def template_asked() -> None:
    """Asks before each page whether its template is new."""
    Path("template").write_text("template")
    with open("site.html", "w") as site:
        for _ in range(9000):
            site.write(str(os.stat("template").st_mtime) + rendered(50e-6))


# --- arrays ----------------------------------------------------------------------


def arrays_once() -> None:
    """Writes many arrays into one file, then opens it once and reads all of them."""
    np.savez("all.npz", **{f"a{i}": np.full(20000, i) for i in range(60)})
    with np.load("all.npz") as found:
        assert all(found[f"a{i}"][0] == i for i in range(60))


def part_of_array() -> None:
    """Reads a large slice of a mapped array."""
    np.save("big.npy", np.zeros((64, 65536)))
    big = np.load("big.npy", mmap_mode="r")
    assert big[10:20].sum() == 0


def h5_by_chunk() -> None:
    """Writes and reads a dataset chunk by chunk."""
    with h5py.File("x.h5", "w") as file:
        made = file.create_dataset("x", (2048, 2048), "f8", chunks=(256, 512))
        for place in made.iter_chunks():
            made[place] = 1.0
    with h5py.File("x.h5") as file:
        x = file["x"]
        assert sum(float(x[place].sum()) for place in x.iter_chunks()) == 2048 * 2048


def h5_strings() -> None:
    """Writes and reads 50,000 texts with one call each."""
    with h5py.File("names.h5", "w") as file:
        file["names"] = [f"name {i}" for i in range(50000)]
        assert len(file["names"].asstr()[:]) == 50000


def h5_followed() -> None:
    """Flushes after each megabyte, because readers follow the file."""
    with h5py.File("x.h5", "w", libver="latest") as file:
        made = file.create_dataset("x", (0, 16384), "f8", maxshape=(None, 16384), chunks=(8, 16384))
        file.swmr_mode = True
        for step in range(0, 160, 8):
            made.resize(step + 8, 0)
            made[step : step + 8] = step
            made.flush()


def h5_of_others() -> None:
    """Reads datasets of several files through one virtual dataset."""
    layout = h5py.VirtualLayout((8, 65536), "f8")
    for i in range(8):
        with h5py.File(f"part{i}.h5", "w") as file:
            file["x"] = np.full(65536, float(i))
        layout[i] = h5py.VirtualSource(f"part{i}.h5", "x", (65536,))
    with h5py.File("all.h5", "w") as file:
        file.create_virtual_dataset("x", layout)
    with h5py.File("all.h5") as file:
        assert file["x"][:].sum() == 28 * 65536


def h5_inflated() -> None:
    """Reads a compressed dataset in blocks of rows, each of whole chunks."""
    with h5py.File("packed.h5") as file:
        values = file["x"]
        assert sum(float(values[i : i + 400].max()) for i in range(0, 8000, 400)) > 0


def nc_years() -> None:
    """Reads the variable of each of twelve files, and writes the means to one file."""
    with netCDF4.Dataset("means.nc", "w") as made:
        made.createDimension("year", 12)
        means = np.empty(12)
        for year in range(12):
            with netCDF4.Dataset(f"year{year}.nc") as file:
                means[year] = file["v"][:].mean()
        made.createVariable("mean", "f8", ("year",))[:] = means


def nc_packed() -> None:
    """Writes data compressed by zlib, with the attributes that the conventions require."""
    with netCDF4.Dataset("grid.nc", "w") as file:
        for name, size in (("time", None), ("lat", 180), ("lon", 360)):
            file.createDimension(name, size)
        made = file.createVariable("t", "f4", ("time", "lat", "lon"), zlib=True, complevel=1,
                                   chunksizes=(8, 180, 360))  # fmt: skip
        made.units, made.long_name = "K", "temperature"
        file.Conventions = "CF-1.8"
        for step in range(0, 32, 8):
            made[step : step + 8] = np.full((8, 180, 360), 280.0 + step)


def table_of_blocks() -> None:
    """Appends large blocks to an array; writes a table, and queries it once."""
    with tables.open_file("t.h5", "w") as file:
        made = file.create_earray("/", "x", tables.Float64Atom(), (0, 64), expectedrows=40000)
        for _ in range(10):
            made.append(np.ones((4000, 64)))
        rows = np.zeros(100000, [("id", "i8"), ("energy", "f8")])
        rows["id"] = np.arange(100000)
        table = file.create_table("/", "t", rows)
        assert len(table.read_where("id < 1000")) == 1000


def parquet_columns() -> None:
    """Writes a table of twelve columns, and reads two of them."""
    numbers = np.random.default_rng(1).random(300000)
    pq.write_table(pa.table({f"c{i}": numbers for i in range(12)}), "all.parquet")
    assert pq.read_table("all.parquet", columns=["c1", "c7"]).num_rows == 300000


if __name__ == "__main__":
    case = sys.argv[1]
    if sys.argv[2:] == ["prepare"]:
        NEEDS.get(case, Path)()
    else:
        globals()[case.replace("-", "_")]()
