"""The sources of programs that read, for the remedies that advise the kernel and that read
ahead."""

from __future__ import annotations

# Reads numbers of 8 bytes, one with each call, and prints their sum.
SMALL_READS = """
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  long number, sum = 0;
  int fd = open("input", O_RDONLY);
  while (read(fd, &number, sizeof number) == sizeof number) sum += number;
  printf("%ld\\n", sum);
  return close(fd);
}
"""
# The same, and writes the file after each 1,000 numbers.
READS_AND_WRITES = SMALL_READS.replace("long number,", "long all = 0, number,").replace(
    "sum += number;",
    '{ sum += number; if (++all % 1000 == 0) { int out = open("input", O_WRONLY);'
    " if (pwrite(out, &all, 8, 0) != 8) return 3; close(out); } }",
)
# Uses a descriptor in every way that depends on its position, or on who else has it.
EVERY_WAY = """
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char text[1 << 20];
static void here(const char *what, int fd, long moved) {
  printf("%s %ld %ld %.7s\\n", what, moved, (long)lseek(fd, 0, SEEK_CUR), text);
  fflush(stdout);
}
static int again(void) {
  int fd = open("input", O_RDONLY);
  here("begin", fd, read(fd, text, 7));
  return fd;
}
int main(void) {
  int status, fd = again(), other;
  struct iovec parts[2] = {{text, 3}, {text + 3, 5}};
  here("seek", fd, lseek(fd, 1000, SEEK_SET));
  here("read", fd, read(fd, text, 10));
  here("back", fd, lseek(fd, -500, SEEK_CUR));
  here("read", fd, read(fd, text, 10));
  here("pread", fd, pread(fd, text, 10, 70000));
  here("large", fd, read(fd, text, sizeof text));
  here("end", fd, lseek(fd, -5, SEEK_END));
  here("rest", fd, read(fd, text, 10));
  here("none", fd, read(fd, text, 10));
  here("wrong", fd, lseek(fd, -1, SEEK_SET) < 0 ? -errno : 0);
  here("wrong", fd, pread(fd, text, 1, -1) < 0 ? -errno : 0);
  here("seek", fd, lseek(fd, 100, SEEK_SET));
  here("vector", fd, readv(fd, parts, 2));
  here("read", fd, read(fd, text, 10));
  close(fd);
  fd = again(), other = dup(fd);
  here("of a copy", other, read(other, text, 7));
  here("of the first", fd, read(fd, text, 7));
  close(other), close(fd);
  fd = again();
  if (fork() == 0) {
    here("of a child", fd, read(fd, text, 7));
    exit(0);
  }
  wait(&status);
  here("of the parent", fd, read(fd, text, 7));
  char *words[] = {"sh", "-c", "exec head -c 7 <&7", NULL};
  dup2(fd, 7);
  posix_spawnp(&status, "sh", NULL, NULL, words, environ);
  wait(&status);
  here("of a program", fd, read(fd, text, 7));
  close(7), close(fd);
  fd = again();
  if (vfork() == 0) close(fd), _exit(0);
  wait(&status);
  here("after vfork", fd, read(fd, text, 7));
  FILE *file = fdopen(fd, "r");
  here("of a stream", fd, fread(text, 1, 7, file));
  fclose(file);
  fd = again(), other = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0600);
  here("sent", fd, sendfile(other, fd, NULL, 100));
  int seen = open("copy", O_RDONLY);
  here("seen", seen, read(seen, text, 7));
  pwrite(other, "changed", 7, 0);
  lseek(seen, 0, SEEK_SET);
  here("seen again", seen, read(seen, text, 7));
  close(other), close(fd), close(seen);
  seen = open("copy", O_RDONLY);
  here("a copy", seen, read(seen, text, 7));
  other = open("copy", O_WRONLY);
  pwrite(other, "written", 7, 7);
  here("written", seen, read(seen, text, 7));
  truncate("copy", 14);
  here("cut off", seen, read(seen, text, 7));
  return unlink("copy");
}
"""
# Begins with nothing of the file in the page cache, and simulates a disk: the program waits for
# each block that is not in the page cache.
COLD = """
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
enum { BLOCK = 1 << 16, BLOCKS = 64, PAGES = BLOCKS * 16 };
static unsigned char held[PAGES];
static int resident(const char *mapped, int from, int to) {
  int sum = 0;
  mincore((void *)mapped, PAGES * 4096, held);
  for (int n = from; n < to; n++) sum += held[n] & 1;
  return sum;
}
int main(int argc, char **argv) {
  static char text[BLOCK];
  int before = open("input", O_RDONLY);
  char *mapped = mmap(NULL, PAGES * 4096, PROT_READ, MAP_SHARED, before, 0);
  for (int n = 0; n < 200 && resident(mapped, 0, PAGES); n++) { /* some may still be read */
    posix_fadvise(before, 0, 0, POSIX_FADV_DONTNEED);
    if (resident(mapped, 0, PAGES)) usleep(5000);
  }
  if (resident(mapped, 0, PAGES)) return 7;
  int fd = open("input", O_RDONLY);
  if (argc > 1) { /* tells how many pages the kernel reads for a few reads of one page */
    int is_sequential = argv[1][0] == 's';
    for (int n = 0; n < (is_sequential ? 100 : 64); n++)
      if (pread(fd, text, 4096, is_sequential ? n * 4096 : n * 37 % 64 * BLOCK) < 0) return 8;
    return printf("%d\\n", resident(mapped, 0, PAGES)) < 0;
  }
  usleep(50000);
  for (int n = 0; n < BLOCKS; n++) {
    int block = n * 37 % BLOCKS;
    if (resident(mapped, 16 * block, 16 * block + 16) < 16) usleep(15000);
    if (pread(fd, text, 512, block * BLOCK) < 0) return 8;
  }
  return 0;
}
"""
# Drops its input from the page cache, opens it, and prints whether all of it is in the cache soon.
WHOLE = """
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
enum { PAGES = 8192 };
static unsigned char held[PAGES];
static int resident(const char *mapped) {
  int sum = 0;
  mincore((void *)mapped, PAGES * 4096, held);
  for (int n = 0; n < PAGES; n++) sum += held[n] & 1;
  return sum;
}
int main(void) {
  int before = open("input", O_WRONLY);
  char *mapped;
  if (fsync(before)) return 1;
  posix_fadvise(before, 0, 0, POSIX_FADV_DONTNEED);
  int fd = open("input", O_RDONLY);
  mapped = mmap(NULL, PAGES * 4096, PROT_READ, MAP_SHARED, fd, 0);
  for (int n = 0; n < 100 && resident(mapped) < PAGES; n++) usleep(20000);
  return printf("%d\\n", resident(mapped) == PAGES) < 0;
}
"""
