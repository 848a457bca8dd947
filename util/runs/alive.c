/* Decides which processes are alive, from the data that they stored (alive.h; doc/runs.md, "Which
 * processes live"). */
#include "alive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { BILLION = 1000000000, WEEK = 7 * 24 * 3600, STAT_ROOM = 1024 };

/* Tolerance in nanoseconds: an administrator may change the wall clock slightly while a process
 * runs. */
static const int64_t clock_error = 2 * (int64_t)BILLION;

static int64_t nanoseconds(clockid_t clock) {
  struct timespec t = {0, 0};
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * BILLION + t.tv_nsec;
}

/* Reads the begin of a file as a string into `out` of `room` bytes. Returns the number of bytes, or
 * -1 with an empty string. */
static ssize_t read_text(char *out, size_t room, const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, out, room - 1);
  if (fd >= 0) close(fd);
  out[n > 0 ? n : 0] = '\0';
  return n;
}

void alive_look_here(struct alive_here *here) {
  struct stat st;
  struct utsname name;
  memset(here, 0, sizeof(*here));
  here->now_ns = nanoseconds(CLOCK_REALTIME);
  here->boot_ns = here->now_ns - nanoseconds(CLOCK_BOOTTIME);
  if (stat("/proc/self/ns/pid", &st) == 0) here->pid_namespace = st.st_ino;
  read_text(here->boot, sizeof(here->boot), OWNER_BOOT_FILE);
  if (uname(&name) == 0)
    snprintf(here->host, sizeof(here->host), "%.*s", (int)strcspn(name.nodename, "."),
             name.nodename);
}

/* --- what the kernel reports ------------------------------------------------------------ */

int alive_read_proc(char *out, size_t room, pid_t pid, const char *name) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
  return read_text(out, room, path) > 0 ? 0 : -1;
}

/* The second field of /proc/PID/stat is a name that may contain any character, so fields are
 * counted from its last ')'. */
int alive_read_stat(const struct alive_here *here, pid_t pid, struct alive_stat *out) {
  enum { AFTER_NAME = 1, STATE = 1, THREADS = 18, START = 20 };
  char text[STAT_ROOM], *rest = NULL;
  if (alive_read_proc(text, sizeof(text), pid, "stat") < 0) return -1;
  char *end = strrchr(text, ')');
  if (!end) return -1;
  int field = 0;
  for (char *word = strtok_r(end + AFTER_NAME, " ", &rest); word;
       word = strtok_r(NULL, " ", &rest)) {
    field++;
    if (field == STATE) out->state = *word;
    if (field == THREADS) out->threads = strtoll(word, NULL, 10);
    if (field < START) continue;
    out->start_ns =
        here->boot_ns + strtoll(word, NULL, 10) * (BILLION / (int64_t)sysconf(_SC_CLK_TCK));
    return 0;
  }
  return -1;
}

int alive_is_younger(const struct alive_stat *stat, int64_t start_ns) {
  return start_ns && stat->start_ns > start_ns + clock_error;
}

/* --- conclusions ------------------------------------------------------------------------ */

static int is_of_another_host(const struct alive_here *here, const struct alive_traces *traces) {
  return traces->host[0] && strncmp(traces->host, here->host, RUN_HOST - 1) != 0;
}

static int is_of_another_namespace(const struct alive_here *here,
                                   const struct alive_traces *traces) {
  return traces->pid_namespace && here->pid_namespace &&
         traces->pid_namespace != here->pid_namespace;
}

int alive_is_of_this_boot(const struct alive_here *here, const struct alive_traces *traces) {
  return !traces->boot[0] || !here->boot[0] || strcmp(traces->boot, here->boot) == 0;
}

enum alive_answer alive_by_age(const struct alive_here *here, int64_t seen_ns) {
  return here->now_ns - seen_ns > (int64_t)WEEK * BILLION ? ALIVE_NOT : ALIVE_UNKNOWN;
}

/* Decides whether a process of this PID namespace is alive. It is alive if a process has its pid,
 * is not a zombie and did not start later. */
static enum alive_answer by_number(const struct alive_here *here,
                                   const struct alive_traces *traces) {
  struct alive_stat stat;
  if (kill(traces->pid, 0) < 0 && errno == ESRCH) return ALIVE_NOT;
  if (alive_read_stat(here, traces->pid, &stat) < 0)
    return kill(traces->pid, 0) < 0 && errno == ESRCH ? ALIVE_NOT : ALIVE_YES;
  /* The first thread may be a zombie while other threads of the process still run. */
  if (stat.state == 'X' || (stat.state == 'Z' && stat.threads <= 1)) return ALIVE_NOT;
  return alive_is_younger(&stat, traces->start_ns) ? ALIVE_NOT : ALIVE_YES;
}

int alive_is_before_boot(const struct alive_here *here, int64_t start_ns) {
  return start_ns && start_ns < here->boot_ns - clock_error;
}

enum alive_answer alive_process(const struct alive_here *here, const struct alive_traces *traces,
                                int64_t seen_ns) {
  if (is_of_another_host(here, traces)) return alive_by_age(here, seen_ns);
  if (!alive_is_of_this_boot(here, traces) || alive_is_before_boot(here, seen_ns)) return ALIVE_NOT;
  if (is_of_another_namespace(here, traces) || !traces->pid || !traces->pid_namespace)
    return alive_by_age(here, seen_ns);
  return by_number(here, traces);
}

int alive_read_owner(struct alive_traces *traces, const char *value) {
  int64_t pid;
  uint64_t names;
  char boot[OWNER_BOOT + 1], host[RUN_HOST];
  if (sscanf(value, "%" SCNd64 " %" SCNu64 " %36s %23s", &pid, &names, boot, host) != 4) return -1;
  if (pid <= 0 || pid > INT32_MAX) return -1;
  traces->pid = (pid_t)pid;
  traces->pid_namespace = names;
  strcpy(traces->boot, strcmp(boot, OWNER_UNKNOWN) == 0 ? "" : boot);
  strcpy(traces->host, strcmp(host, OWNER_UNKNOWN) == 0 ? "" : host);
  return 0;
}
