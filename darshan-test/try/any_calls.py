"""The source of a program that makes random calls on files, the same ones for the same seed, and
prints the result of each. It runs without and with remedies that keep data in the process: both
runs must print the same, and leave the same files."""

from __future__ import annotations

# Calls of one run.
CALLS = 3000
ANY_CALLS = """
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
enum { INPUTS = 3, DESCRIPTORS = 8, ROOM = 3000 };
static unsigned state;
static unsigned any(unsigned below) {
  state = state * 1664525 + 1013904223;
  return (state >> 8) % below;
}
static char room[ROOM], name[16];
static int fds[DESCRIPTORS], said, newest;
static void tell(const char *what, long result) {
  unsigned sum = 0;
  for (int n = 0; n < ROOM; n++) sum = sum * 31 + (unsigned char)room[n];
  printf("%d %s %ld %d %x\\n", said++, what, result, result < 0 ? errno : 0, sum);
}
/* One of the newest files. */
static const char *file(void) {
  snprintf(name, sizeof name, "any.%d", newest - (int)any(4));
  return name;
}
static void open_one(int place) {
  static const int flags[] = {O_RDONLY, O_RDONLY, O_WRONLY, O_WRONLY | O_TRUNC, O_RDWR,
                              O_WRONLY | O_APPEND};
  if (fds[place] >= 0) tell("close", close(fds[place]));
  int flag = flags[any(6)];
  newest += any(3) > 0;
  if (flag == O_RDONLY && any(3)) {
    snprintf(name, sizeof name, "input.%u", any(INPUTS));
    fds[place] = open(name, O_RDONLY);
  } else {
    fds[place] = open(file(), flag | O_CREAT, 0600);
  }
  tell("open", fds[place] >= 0);
}
static void write_some(int fd) {
  size_t n = any(any(20) ? 60 : ROOM);
  memset(room, 'a' + (int)any(26), n);
  tell("write", write(fd, room, n));
}
int main(int argc, char **argv) {
  struct stat st;
  struct iovec parts[2] = {{room, 70}, {room + 100, 50}};
  for (int n = 0; argc == 1 && n < INPUTS; n++) { /* makes the files that it only reads later */
    snprintf(name, sizeof name, "input.%d", n);
    FILE *made = fopen(name, "w");
    for (int k = 0; made && k < 5000; k++) fprintf(made, "%d ", k * (n + 1));
    if (!made || fclose(made)) return 9;
  }
  state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  for (int n = 0; n < DESCRIPTORS; n++) fds[n] = -1;
  for (int n = 0; n < NUMBER; n++) {
    int place = (int)any(DESCRIPTORS), fd = fds[place], to;
    unsigned what = any(100);
    if (fd < 0 || what < 4) open_one(place);
    else if (what < 40) write_some(fd);
    else if (what < 65) tell("read", read(fd, room, any(any(20) ? 90 : ROOM)));
    else if (what < 72) tell("pread", pread(fd, room, any(300), any(5000)));
    else if (what < 76) tell("pwrite", pwrite(fd, "here", 4, any(5000)));
    else if (what < 84) tell("lseek", lseek(fd, (int)any(4000) - 500, (int)any(3)));
    else if (what < 85) tell("stat", stat(file(), &st) ? -1 : st.st_size);
    else if (what < 87) tell("fstat", fstat(fd, &st) ? -1 : st.st_size);
    else if (what < 90) tell("readv", readv(fd, parts, 2));
    else if (what < 92) tell("writev", writev(fd, parts, 2));
    else if (what < 94) tell("ftruncate", ftruncate(fd, any(6000)));
    else if (what < 95) tell("truncate", truncate(file(), any(6000)));
    else if (what < 96) tell("fsync", fsync(fd));
    else if (what < 97) {
      to = (int)any(DESCRIPTORS);
      if (to != place && fds[to] >= 0) tell("dup2", dup2(fd, fds[to]) >= 0);
    } else if (what < 98) {
      snprintf(room, sizeof room, "any.%d", newest);
      tell("rename", rename(room, file()));
    } else if (what < 99) {
      tell("unlink", unlink(file()));
    } else if (any(10) == 0) {
      fflush(stdout);
      if ((to = fork()) == 0) {
        write_some(fd);
        fflush(stdout);
        _exit(0);
      }
      waitpid(to, NULL, 0);
      tell("forked", 0);
    }
  }
  return 0;
}
""".replace("NUMBER", str(CALLS))
