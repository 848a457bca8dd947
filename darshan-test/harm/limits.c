/* Does I/O on 50 files, half of them by POSIX and half by stdio, under a resource limit. `limits
 * launch USER PROGRAM ARGUMENT...` runs PROGRAM as that user (0: the current one) with the library
 * that PRELOAD names. `limits WHEN RESOURCE VALUE` does the I/O. WHEN says when the limit is set:
 * none (never), before (by launch), after (two files), or leak (after two files; the program also
 * opens every descriptor at the end). If WHEN is after, VALUE for AS and DATA is added to what the
 * process already uses. */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES = 50 };
static const char text[1000];
static int wrong;

/* Makes a file of n bytes by open and write, and reads its first bytes. */
static void by_posix(const char *name, int n) {
  char back[16];
  int fd = open(name, O_CREAT | O_RDWR, 0600);
  if (fd < 0 || write(fd, text, (size_t)n) != n) wrong++;
  if (fd >= 0 && pread(fd, back, 10, 0) != (n < 10 ? n : 10)) wrong++;
  if (fd >= 0) close(fd);
}

/* Makes a file of n bytes by fopen and fwrite. */
static void by_stdio(const char *name, int n) {
  FILE *file = fopen(name, "w");
  if (!file || fwrite(text, 1, (size_t)n, file) != (size_t)n) wrong++;
  if (file && fclose(file) != 0) wrong++;
}

/* Makes the files file-<from> to file-<to - 1>, by POSIX and by stdio in turn. */
static void make(int from, int to) {
  char name[16];
  for (int i = from; i < to; i++) {
    snprintf(name, sizeof(name), "file-%d", i);
    (i % 2 ? by_stdio : by_posix)(name, 10 * i + 10);
  }
}

/* Returns the bytes of a resource (address space or data) that the process uses; 0 if unknown. */
static rlim_t in_use(int resource) {
  long pages[7] = {0};
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  for (int i = 0; i < 7 && fscanf(file, "%ld", &pages[i]) == 1; i++)
    continue;
  fclose(file);
  return (rlim_t)(resource == RLIMIT_AS ? pages[0] : pages[5]) * 4096;
}

/* Sets a resource's limit to `value`, or, with `more`, to `value` above what is in use for address
 * space and data. Stays below the hard limit. */
static void limit(int resource, const char *value, int more) {
  struct rlimit limit;
  rlim_t wanted = strtoul(value, NULL, 10);
  if (more && (resource == RLIMIT_AS || resource == RLIMIT_DATA)) wanted += in_use(resource);
  if (getrlimit(resource, &limit) != 0) exit(2);
  limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
  if (setrlimit(resource, &limit) != 0) exit(3);
}

/* Executes the program of `limits launch` as the user it names; see the head of this file. Returns
 * only if something failed: the exit status. */
static int launch(char **argv) {
  uid_t user = (uid_t)atoi(argv[2]);
  const char *library = getenv("PRELOAD");
  if (user && (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0)) return 4;
  if (library) setenv("LD_PRELOAD", library, 1);
  if (strcmp(argv[4], "before") == 0) limit(atoi(argv[5]), argv[6], 0);
  execv(argv[3], argv + 3);
  return 5;
}

int main(int argc, char **argv) {
  char said[64];
  if (argc > 3 && strcmp(argv[1], "launch") == 0) return launch(argv);
  signal(SIGXFSZ, SIG_IGN);
  free(malloc(64)); /* the heap is there before the limit */
  make(0, 2);
  if (strcmp(argv[1], "after") == 0) limit(atoi(argv[2]), argv[3], 1);
  if (strcmp(argv[1], "leak") == 0) limit(atoi(argv[2]), argv[3], 0);
  make(2, FILES);
  while (strcmp(argv[1], "leak") == 0 && dup(1) >= 0)
    continue;
  int n = snprintf(said, sizeof(said), "%d went wrong\n", wrong);
  return write(1, said, (size_t)n) != n;
}
