"""Uses a file through the mapping of a library, and prints how much of it the kernel mapped.

mapped_libraries.py LIBRARY make     makes the file, with incompressible bytes
mapped_libraries.py LIBRARY whole    touches all of it
mapped_libraries.py LIBRARY some     ... every n-th part
mapped_libraries.py LIBRARY random   ... random parts

It prints the bytes that were used, the bytes that the kernel mapped and the file's name.
"""

# ruff: noqa: PLC0415  # of the libraries only one is loaded

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

PAGE = 4096
SIZE = 32 << 20
ROWS, ROW = 8_000, 3_000  # of a table
MAP_SIZE = 1 << 30  # of LMDB: much more than its data
SHARDS = 40

Used = tuple[int, str, object]  # used bytes (at least), the file, the object that maps it


def chosen(how: str, number: int, every: int) -> Iterable[int]:
    if how == "whole":
        return range(number)
    if how == "some":
        return range(0, number, every)
    return sorted(random.Random(1).sample(range(number), number // every // 2))


def mapped(name: str) -> int:
    """Returns how many bytes of a file are in the page tables of this process, by the kernel's
    accounting."""
    found, ours = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if "-" in words[0] and ":" not in words[0]:
            ours = line.endswith(f"/{name}")
        elif ours and words[0] == "Rss:":
            found += int(words[1]) << 10
    return found


def numpy(how: str) -> Used:
    import numpy as np

    if how == "make":
        np.save("numpy.npy", np.frombuffer(os.urandom(SIZE), "u1"))
        return 0, "numpy.npy", None
    array = np.load("numpy.npy", mmap_mode="r")
    if how == "whole":
        assert array.sum() > 0
        return SIZE, "numpy.npy", array
    pages = list(chosen(how, SIZE // PAGE, 64))
    for page in pages:
        array[page * PAGE]
    return len(pages) * PAGE, "numpy.npy", array


def numpy_written(how: str) -> Used:
    import numpy as np

    if how == "make":
        return 0, "written", None
    array = np.memmap("written", "u1", "w+", shape=(SIZE,))
    pages = list(chosen(how, SIZE // PAGE, 64))
    for page in pages:
        array[page * PAGE] = 1
    array.flush()
    return len(pages) * PAGE, "written", array


def numpy_shards(how: str) -> Used:
    """Maps one shard after another; each mapping ends before the next begins. how: which parts are
    touched; "make" only writes the file."""
    import numpy as np

    if how == "make":
        Path("shards").write_bytes(os.urandom(SIZE))
        return 0, "shards", None
    used = 0
    for _ in range(SHARDS):
        array = np.memmap("shards", "u1", "r")
        used += sum(int(array[page * PAGE]) >= 0 for page in chosen(how, SIZE // PAGE, 64))
        found = mapped("shards")
        del array
    return used * PAGE, "shards", found * SHARDS


def arrow(how: str) -> Used:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if how == "make":
        values = np.frombuffer(os.urandom(SIZE), "i8")
        with pa.OSFile("table.arrow", "wb") as sink:
            table = pa.table({"a": values})
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
        return 0, "table.arrow", None
    table = pa.ipc.open_file(pa.memory_map("table.arrow", "r")).read_all()
    if how == "whole":
        pc.min_max(table["a"])
        return SIZE, "table.arrow", table
    pages = list(chosen(how, SIZE // PAGE, 64))
    for page in pages:
        table["a"][page * PAGE // 8].as_py()
    return len(pages) * PAGE, "table.arrow", table


def sqlite(how: str) -> Used:
    import sqlite3

    base = sqlite3.connect("rows.db")
    if how == "make":
        base.execute("CREATE TABLE t(i INTEGER PRIMARY KEY, b BLOB)")
        rows = ((i, os.urandom(ROW)) for i in range(ROWS))
        base.executemany("INSERT INTO t VALUES(?, ?)", rows)
        base.commit()
        return 0, "rows.db", None
    base.execute(f"PRAGMA mmap_size={MAP_SIZE}")
    base.execute("PRAGMA cache_size=10")
    rows = list(chosen(how, ROWS, 64))
    for row in rows:
        base.execute("SELECT b FROM t WHERE i=?", (row,)).fetchone()
    return len(rows) * ROW, "rows.db", base


def lmdb(how: str) -> Used:
    import lmdb as binding

    if how == "make":
        with binding.open("data", map_size=MAP_SIZE) as base, base.begin(write=True) as write:
            for row in range(ROWS):
                write.put(b"%08d" % row, os.urandom(ROW))
        return 0, "data.mdb", None
    base = binding.open("data", map_size=MAP_SIZE, readonly=True)
    rows = list(chosen(how, ROWS, 64))
    with base.begin() as read:
        for row in rows:
            read.get(b"%08d" % row)
    return len(rows) * ROW, "data.mdb", base


def safetensors(how: str) -> Used:
    import numpy as np
    from safetensors import safe_open
    from safetensors.numpy import save_file

    number = 64
    if how == "make":
        one = np.frombuffer(os.urandom(SIZE // number), "u1")
        save_file({f"t{i:02d}": one for i in range(number)}, "model.safetensors")
        return 0, "model.safetensors", None
    tensors = safe_open("model.safetensors", "np")
    names = sorted(tensors.keys())
    picked = list(chosen(how, number, 8))
    for place in picked:
        tensors.get_tensor(names[place])
    return len(picked) * SIZE // number, "model.safetensors", tensors


LIBRARIES: dict[str, Callable[[str], Used]] = {
    "numpy": numpy,
    "numpy-written": numpy_written,
    "numpy-shards": numpy_shards,
    "arrow": arrow,
    "sqlite": sqlite,
    "lmdb": lmdb,
    "safetensors": safetensors,
}


def main() -> None:
    library, how = sys.argv[1:]
    used, name, held = LIBRARIES[library](how)
    print(used, held if isinstance(held, int) else mapped(name), name)


if __name__ == "__main__":
    main()
