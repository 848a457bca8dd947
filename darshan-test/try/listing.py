"""The sources of programs that read a list of files, for the remedy next-file, which reads the next
file ahead."""

from __future__ import annotations

# Number of files, and bytes of each.
FILES, SIZE = 20, 1 << 20

# Reads the files part-00, part-01 ... and works 30 ms on each. Simulates a disk: the program waits
# for each block that is not in the page cache. AGAIN: how many times it reads each file.
LIST = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
enum { BLOCK = 1 << 16, SIZE = 1 << 20, FILES = 20, PAGES = BLOCK / 4096 };
static unsigned char held[PAGES];
static char text[BLOCK];
int main(void) {
  long sum = 0;
  for (int n = 0; n < FILES * AGAIN; n++) {
    char name[16];
    snprintf(name, sizeof name, "part-%02d", n / AGAIN);
    int fd = open(name, O_RDONLY);
    char *map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    for (int at = 0; at < SIZE; at += BLOCK) {
      int missing = 0;
      mincore(map + at, BLOCK, held);
      for (int k = 0; k < PAGES; k++) missing += !(held[k] & 1);
      if (missing) usleep(2000);
      if (pread(fd, text, BLOCK, at) != BLOCK) return 8;
      sum += text[n];
    }
    munmap(map, SIZE), close(fd);
    WRITE
    usleep(30000);
  }
  return printf("%ld\\n", sum) < 0;
}
"""
# Reads each file once.
ONCE = LIST.replace("AGAIN", "1").replace("WRITE", "")
# Reads each file twice.
TWICE = LIST.replace("AGAIN", "2").replace("WRITE", "")
# Also writes each file.
WRITTEN = LIST.replace("AGAIN", "1").replace(
    "WRITE", "fd = open(name, O_WRONLY); if (pwrite(fd, text, 1, 0) != 1) return 9; close(fd);"
)

# Drops the second file from the page cache and opens the first one. Prints whether the second one
# is in the page cache soon.
ACTS = """
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>
enum { PAGES = 256 };
static unsigned char held[PAGES];
static int resident(const char *mapped) {
  int sum = 0;
  mincore((void *)mapped, PAGES * 4096, held);
  for (int n = 0; n < PAGES; n++) sum += held[n] & 1;
  return sum;
}
int main(void) {
  rename("second", "other"); /* the program does not open it by its name in the list */
  int second = open("other", O_RDWR);
  char *map = mmap(NULL, PAGES * 4096, PROT_READ, MAP_SHARED, second, 0);
  rename("other", "second");
  posix_fadvise(second, 0, 0, POSIX_FADV_DONTNEED);
  if (resident(map)) return 7;
  FIRST
  for (int n = 0; n < 50 && resident(map) < PAGES; n++) usleep(10000);
  return printf("%d\\n", resident(map) == PAGES) < 0;
}
"""

# Opens each name of its arguments, and prints the numbers and the list of its descriptors, also
# with few descriptors left, in a child, in a thread and in a handler of a signal.
SHOWS = """
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static char **names;
static void show(const char *where) {
  DIR *all = opendir("/proc/self/fd");
  printf("%s:", where);
  for (struct dirent *one; all && (one = readdir(all));) printf(" %s", one->d_name);
  printf(" next %d\\n", dup(0));
  if (all) closedir(all);
  fflush(stdout);
}
static void *open_all(void *where) {
  for (char **name = names; *name; name++) {
    errno = 0;
    int fd = open(*name, O_RDONLY | O_NONBLOCK), why = errno;
    FILE *file = fopen(*name, strstr(*name, "pipe") ? "r+" : "r");
    printf("%s %d %d %d %d\\n", *name, fd, why, file ? fileno(file) : -1, errno);
    if (name == names) show(where), close(fd), file ? fclose(file) : 0;
  }
  show(where);
  return NULL;
}
static void handle(int number) {
  if (number == SIGUSR1) open_all("handler");
}
int main(int argc, char **argv) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
  pthread_t thread;
  names = argv + 1;
  int locked = argc > 2 ? open(argv[2], O_RDWR) : -1;
  printf("lock %d\\n", fcntl(locked, F_SETLK, &lock));
  fflush(stdout);
  pid_t writer = fork();
  if (!writer) { /* waits until somebody opens the pipe for reading */
    open("waits", O_WRONLY);
    _exit(0);
  }
  usleep(50000);
  close(open("before", O_RDONLY)); /* the list has the pipe next */
  usleep(50000);
  printf("the writer waits %d\\n", waitpid(writer, NULL, WNOHANG) == 0);
  kill(writer, SIGKILL), waitpid(writer, NULL, 0);
  open_all("first");
  fflush(stdout);
  if (!fork()) { /* a lock is not inherited, so the child sees the lock of its parent */
    printf("locked %d %d\\n", fcntl(locked, F_GETLK, &lock), lock.l_type == F_WRLCK);
    open_all("child");
    exit(0);
  }
  wait(NULL);
  signal(SIGUSR1, handle), raise(SIGUSR1);
  unlink(argv[3]), rename(argv[1], argv[4]);
  open_all("removed");
  struct rlimit few = {(rlim_t)dup(0) + 2, 4096};
  setrlimit(RLIMIT_NOFILE, &few);
  open_all("few");
  few.rlim_cur = 1024;
  setrlimit(RLIMIT_NOFILE, &few);
  pthread_create(&thread, NULL, open_all, "thread");
  pthread_join(thread, NULL);
  return fflush(stdout);
}
"""
