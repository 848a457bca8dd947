/* Files of one process on Lustre; the digit at the end of a name is the file's target. */
#include "case.h"

#include <fcntl.h>
#include <unistd.h>

static char room[1 << 20];

/* Writes results to six targets, of which the last is slow; cured: without it. */
static void all_targets(bool cured) {
  enum { TARGETS = 6, FILES = 3, BLOCKS = 3 };
  for (int i = 0; i < TARGETS * FILES; i++) {
    char name[40];
    snprintf(name, sizeof name, "part.%d.%d", i, i % (cured ? TARGETS - 1 : TARGETS));
    int fd = open(name, O_CREAT | O_WRONLY, 0644);
    must(fd >= 0, name);
    for (int block = 0; block < BLOCKS; block++)
      must(write(fd, room, sizeof room) == sizeof room, name);
    close(fd);
  }
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {{"all-targets", all_targets}, {NULL, NULL}};
  return run_case(argc, argv, cases);
}
