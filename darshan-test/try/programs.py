"""The sources of programs with a problem that a remedy solves, and of programs that no remedy may
break."""

from __future__ import annotations

# Makes a compressed dataset whose chunks have whole rows.
MAKE = """
import h5py, numpy
values = numpy.random.default_rng(7).integers(0, 100, (1600, 1600), dtype="i4")
with h5py.File("field.h5", "w") as file:
    file.create_dataset("x", data=values, chunks=(400, 1600), compression="gzip")
"""
# Reads columns of the dataset: each chunk is decompressed again for each column.
COLUMNS = """
import h5py
total = 0
with h5py.File("field.h5") as file:
    x = file["x"]
    for column in range(0, 1600, 32):
        total += int(x[:, column].sum())
print(total)
"""
# Opens the dataset for each column, so that no chunk stays in the cache.
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

# Writes numbers by a stream without a buffer, or flushes it after each.
UNBUFFERED = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct stat st;
  FILE *file = fopen("numbers.txt", "w");
  if (!file) return 1;
  SETTING
  for (int i = 0; i < 600000; i++)
    EACH
  BEFORE_THE_END
  printf("%d\\n", argc + (argv == NULL) + (st.st_size == 1));
  fflush(stdout);
  THE_END
}
"""
# For writes(): a stream without a buffer.
NO_BUFFER = ("setvbuf(file, NULL, _IONBF, 0);", "fputc('0' + i % 10, file);")
# For writes(): a flush after each number.
FLUSHED = ("", "fputc('0' + i % 10, file), fflush(file);")
_SIZE = 'if (stat("numbers.txt", &st) < 0 || st.st_size != 600000) return 4;'
# Code before the end of the program, and its end.
ENDS = {
    "closes": ("", "return fclose(file);"),
    "leaves by _exit": ("", "_exit(0);"),
    "forks": ("if (fork() == 0) exit(0);", "return fclose(file);"),
    "asks for the size": (_SIZE, "return fclose(file);"),
    "reads it by another program": ('system("wc -c < numbers.txt");', "return fclose(file);"),
    "uses the descriptor": (
        'fputs("a", file); fflush(file);\n'
        '  if (write(fileno(file), "b", 1) != 1) return 4;\n  fputs("c", file);',
        "return fclose(file);",
    ),
    "abort": ("", "abort();"),
    "exec": ("", 'return execl("/bin/true", "true", (char *)NULL);'),
    "quick_exit": ("", "quick_exit(0);"),
    "a signal": ("", "return raise(SIGTERM);"),
    "a fault": ("", "return *(volatile int *)8;"),
}
# Asks for the file's size by a system call without libc, so that no wrapper can write the stream's
# delayed bytes before.
ASKS_THE_KERNEL = (
    """
#if defined(__x86_64__)
  long r = SYS_newfstatat;
  register long flags __asm__("r10") = 0;
  __asm__ volatile("syscall" : "+a"(r) : "D"(-100L), "S"("numbers.txt"), "d"(&st), "r"(flags)
                   : "rcx", "r11", "memory");
#else
  register long r __asm__("x0") = -100, at __asm__("x1") = (long)"numbers.txt";
  register long to __asm__("x2") = (long)&st, flags __asm__("x3") = 0;
  register long number __asm__("x8") = SYS_newfstatat;
  __asm__ volatile("svc 0" : "+r"(r) : "r"(at), "r"(to), "r"(flags), "r"(number) : "memory");
#endif
  if (st.st_size != 600000) return 4;""",
    "return fclose(file);",
)
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


def writes(end: tuple[str, str], how: tuple[str, str] = NO_BUFFER) -> str:
    """Returns the C source of a program that writes numbers to a stream. end: two pieces of code,
    as in ENDS: the one before the end, and the end. how: the code that sets the stream's buffer,
    and the code that writes a number."""
    words = zip(("SETTING", "EACH", "BEFORE_THE_END", "THE_END"), (*how, *end))
    source = UNBUFFERED
    for word, text in words:
        source = source.replace(word, text)
    return source
