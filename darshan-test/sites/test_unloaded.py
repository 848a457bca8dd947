"""The calls of a library that is loaded and unloaded again and again have one call site."""

from __future__ import annotations

from pathlib import Path

from lab.compile import SHARED, compile_c
from lab.watch import watch

ROUNDS = 600  # more than the runtime keeps of known programs and libraries
LIBRARY = """
#include <unistd.h>
long take(int file, char *byte) { return read(file, byte, 1) + 0; }
"""
PROGRAM = f"""
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) {{
  char byte;
  int file = open("data", O_RDONLY);
  for (int i = 0; i < {ROUNDS}; i++) {{
    void *library = dlopen(argv[1], RTLD_NOW);
    long (*take)(int, char *) = (long (*)(int, char *))dlsym(library, "take");
    if (argc != 2 || !take || take(file, &byte) != 1 || read(file, &byte, 1) != 1) return 1;
    if (dlclose(library) != 0) return 2;
  }}
  return 0;
}}
"""


def test_reloaded(build: Path, tmp_path: Path) -> None:
    """Each call of a library that is loaded and unloaded in rounds has the name of this library."""
    library = compile_c(tmp_path, LIBRARY, *SHARED, name="libtake.so")
    program = compile_c(tmp_path, PROGRAM)
    outcome = watch(
        build,
        tmp_path / "run",
        [program, library],
        setup=lambda work: (work / "data").write_bytes(bytes(2 * ROUNDS)),
        DARSHAN_SITES="1",
    )
    assert outcome.status == 0, outcome.error
    sites = outcome.log.of("SITES")
    reads = {name: row["SITES_READS"] for name, row in sites.items() if row["SITES_READS"]}
    assert sorted(reads.values()) == [ROUNDS, ROUNDS], reads
    objects = [name for name in sites if name.startswith("object ") and "libtake" in name]
    assert len(objects) == 1, objects
