"""Programs with a problem that a remedy cures, and programs that none may break."""

from __future__ import annotations

# Reads columns of a dataset whose chunks hold rows: a chunk is inflated for each column.
MAKE = """
import h5py, numpy
values = numpy.random.default_rng(7).integers(0, 100, (1600, 1600), dtype="i4")
with h5py.File("field.h5", "w") as file:
    file.create_dataset("x", data=values, chunks=(400, 1600), compression="gzip")
"""
COLUMNS = """
import h5py
total = 0
with h5py.File("field.h5") as file:
    x = file["x"]
    for column in range(0, 1600, 32):
        total += int(x[:, column].sum())
print(total)
"""
# The same with the dataset opened for each column: no cache outlives that.
OPENED_AGAIN = """
import h5py
total = 0
with h5py.File("field.h5") as file:
    for column in range(0, 1600, 32):
        total += int(file["x"][:, column].sum())
print(total)
"""
# Writes what it reads into a new file, in pieces that a larger cache writes in another order.
COPIES = """
import h5py
with h5py.File("field.h5") as file, h5py.File("copy.h5", "w") as copy:
    x = file["x"]
    y = copy.create_dataset("y", x.shape, x.dtype, chunks=(100, 1600), compression="gzip")
    for column in range(0, 1600, 200):
        y[:, column : column + 200] = x[:, column : column + 200]
print(y.__class__.__name__)
"""

# Writes numbers by a stream whose buffer it switches off.
UNBUFFERED = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) {
  FILE *file = fopen("numbers.txt", "w");
  if (!file) return 1;
  setvbuf(file, NULL, _IONBF, 0);
  for (int i = 0; i < 600000; i++)
    fputc('0' + i % 10, file);
  BEFORE_THE_END
  printf("%d\\n", argc + (argv == NULL));
  fflush(stdout);
  THE_END
}
"""
ENDS = {
    "closes": ("", "return fclose(file);"),
    "leaves by _exit": ("", "_exit(0);"),
    "forks": ("if (fork() == 0) exit(0);", "return fclose(file);"),
    "asks for the size": (
        'struct stat st;\n  if (stat("numbers.txt", &st) < 0 || st.st_size != 600000) return 4;',
        "return fclose(file);",
    ),
}
# Ways to end in which nobody writes what a stream holds back.
LOSES = {
    "abort": ("", "abort();"),
    "exec": ("", 'return execl("/bin/true", "true", (char *)NULL);'),
    "quick_exit": ("", "quick_exit(0);"),
}
# Computes, and reads one small file: there is nothing to cure.
HEALTHY = """
#include <stdio.h>
int main(void) {
  volatile double x = 0;
  FILE *file = fopen("input", "r");
  for (int i = 0; i < 20000000; i++) x += i;
  printf("%d\\n", file ? fgetc(file) : 0);
  return 0;
}
"""


def unbuffered(end: str) -> str:
    """Returns the program that ends in one of the ways of ENDS or LOSES."""
    before, last = {**ENDS, **LOSES}[end]
    return UNBUFFERED.replace("BEFORE_THE_END", before).replace("THE_END", last)
