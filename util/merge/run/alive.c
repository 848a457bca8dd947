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

enum { WEEK = 7 * 24 * 3600, FIELD_START = 22 };
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

/* When the process that has this pid now began, by the wall clock; 0: there is none, or
 * it is dead and not yet reaped; -1: not known. */
static int64_t began(int32_t pid) {
  char path[32], line[1024];
  unsigned long long ticks = 0;
  snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return kill(pid, 0) < 0 && errno == ESRCH ? 0 : -1;
  size_t n = fread(line, 1, sizeof(line) - 1, file);
  fclose(file);
  line[n] = '\0';
  char *at = strrchr(line, ')'); /* a name may have anything in it */
  if (!at || at[1] != ' ') return n == 0 ? 0 : -1;
  if (at[2] == 'Z' || at[2] == 'X') return 0;
  for (int field = 2; at && field < FIELD_START; field++)
    at = strchr(at + 1, ' ');
  if (!at || sscanf(at, "%llu", &ticks) != 1) return -1;
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
