/* See alive.h. */
#include "alive.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { WEEK = 7 * 24 * 3600 };
static const int64_t second_ns = 1000000000;

static int64_t now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * second_ns + now.tv_nsec;
}

static int is_here(const struct run_place *place) {
  struct utsname name;
  struct stat st;
  char host[RUN_HOST] = "";
  if (uname(&name) < 0 || stat("/proc/self/ns/pid", &st) < 0) return 0;
  size_t length = strcspn(name.nodename, ".");
  memcpy(host, name.nodename, length < sizeof(host) ? length : sizeof(host) - 1);
  return strcmp(host, place->host) == 0 &&
         (place->pid_namespace == 0 || place->pid_namespace == st.st_ino);
}

/* /proc/PID/stat: state, threads, and start in ticks since the system's. */
static int parse(const char *line, char *state, unsigned long *threads, unsigned long long *start) {
  const char *at = strrchr(line, ')'); /* a name may have anything in it */
  return at && sscanf(at + 1,
                      " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu"
                      " %*s %llu",
                      state, threads, start) == 3;
}

/* When the process that has this pid now began, by the wall clock; 0: there is none, or
 * it is dead and not yet reaped; -1: not known. */
static int64_t began(int32_t pid) {
  char path[32], line[1024], state;
  unsigned long threads;
  unsigned long long ticks;
  snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
  FILE *file = fopen(path, "re");
  size_t n = file ? fread(line, 1, sizeof(line) - 1, file) : 0;
  if (file) fclose(file);
  line[n] = '\0';
  if (n == 0) return kill(pid, 0) < 0 && errno == ESRCH ? 0 : -1;
  if (!parse(line, &state, &threads, &ticks)) return -1;
  /* Of a process whose other threads go on, the first may be a zombie. */
  if (state == 'X' || (state == 'Z' && threads <= 1)) return 0;
  int64_t boot = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_BOOTTIME);
  return boot + (int64_t)(ticks * (unsigned long long)second_ns /
                          (unsigned long long)sysconf(_SC_CLK_TCK));
}

/* The clock may have been set since by a little, and ticks are coarse. */
enum alive alive_process(const struct run_place *place, int32_t pid, int64_t start_ns) {
  if (!is_here(place)) return ALIVE_UNKNOWN;
  int64_t began_ns = began(pid);
  if (began_ns < 0) return ALIVE_YES;
  return began_ns > 0 && began_ns <= start_ns + second_ns ? ALIVE_YES : ALIVE_NO;
}

enum alive alive_by_age(const char *path) {
  struct stat st;
  if (stat(path, &st) < 0) return ALIVE_UNKNOWN;
  return now_ns(CLOCK_REALTIME) / second_ns - st.st_mtime > WEEK ? ALIVE_NO : ALIVE_YES;
}
