"""If tables of the HDF5 module are full, programs continue and no byte is lost."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from lab.compare import both, same_end
from lab.compile import SHARED, compile_c

HDF5 = Path(__file__).resolve().parents[1] / "hdf5"
LIBRARIES = 40

# Opens each plug-in, which sees the HDF5 library that it is linked with and no other.
OPENS_ALL = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int (*use[64])(const char *);
  char name[4096];
  for (int i = 1; i <= atoi(argv[1]); i++) {
    snprintf(name, sizeof(name), "%s/plugin%d.so", argv[2], i);
    void *plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!plugin || !(use[i] = dlsym(plugin, "create_and_flush"))) return 2;
    snprintf(name, sizeof(name), "%d.h5", i);
    printf("%d\n", use[i](name));
  }
  for (int i = 1; i <= atoi(argv[1]); i++) printf("%d\n", use[i](NULL));
  return argc != 3;
}
"""

# Each call of HDF5 that lists a group calls the program, which lists the group below.
LISTS_IN_LISTS = """
import sys
import h5py
import numpy

DEPTH = int(sys.argv[1])
with h5py.File("data.h5", "w") as file:
    file.create_dataset("/".join("g" * DEPTH) + "/d", data=numpy.arange(1 << 17))

def look(group, depth):
    def one(name):
        if depth < DEPTH:
            look(group[name], depth + 1)
        else:
            print(int(group[name][...].sum()))
    group.id.links.iterate(one)

with h5py.File("data.h5") as file:
    look(file, 0)
"""


def test_many_libraries(build: Path, tmp_path: Path) -> None:
    """A process may use any number of HDF5 libraries: each call reaches the library of its caller,
    and is counted for the file of that library."""
    for number in range(1, LIBRARIES + 1):
        library = f"libhdf5-{number}.so"
        answer = f"-DANSWER={number}"
        compile_c(tmp_path, HDF5 / "standin.c", *SHARED, answer, name=library)
        own = [f"-L{tmp_path}", f"-l:{library}", f"-Wl,-rpath,{tmp_path}"]
        compile_c(tmp_path, HDF5 / "standin-user.c", *SHARED, *own, name=f"plugin{number}.so")
    program = compile_c(tmp_path, OPENS_ALL)
    bare, watched = both(build, tmp_path, [program, str(LIBRARIES), tmp_path])
    numbers = list(range(1, LIBRARIES + 1))
    assert [int(line) for line in bare.out.split()] == 2 * numbers
    assert same_end(bare, watched)
    assert [watched.value(f"{n}.h5", "H5F_FLUSHES") for n in numbers] == [2] * LIBRARIES


@pytest.mark.parametrize("depth", [5, 40])
def test_nested_calls(depth: int, build: Path, tmp_path: Path) -> None:
    """For 16 nested HDF5 calls the runtime knows which call caused the I/O below. I/O of a call
    that is nested deeper is counted for the 16th, so no byte is lost."""
    command = [sys.executable, "-c", LISTS_IN_LISTS, str(depth)]
    bare, watched = both(build, tmp_path, command)
    assert same_end(bare, watched)
    below: dict[str, float] = defaultdict(float)
    for (module, name), row in watched.records.items():
        if module == "LAYERS" and "data.h5" in name:
            for counter, value in row.items():
                if re.search(r"_POSIX_BYTES_READ$", counter):
                    below[name] += value
    (dataset,) = (name for name in below if name.endswith("/d"))
    read = 8 << 17
    assert sum(below.values()) == watched.value("data.h5", "POSIX_BYTES_READ") > read
    # The frame of the dataset's read is one of the first 16 only in the shallow file.
    assert (below[dataset] >= read) == (depth < 16)
