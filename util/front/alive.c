#define _GNU_SOURCE
#include "alive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { BILLION = 1000000000, WEEK = 7 * 24 * 3600, STAT_ROOM = 1024, LINE_ROOM = 4096 + 128 };

/* Of the very first PID namespace (the kernel's PROC_PID_INIT_INO): in it, no process
 * is hidden. */
static const uint64_t first_namespace = 0xEFFFFFFC;

/* The wall clock may be set while a process runs, by a little. */
static const int64_t clock_error = 2 * (int64_t)BILLION;

static int64_t nanoseconds(clockid_t clock) {
  struct timespec t = {0, 0};
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * BILLION + t.tv_nsec;
}

void alive_init(struct alive *alive) {
  struct stat st;
  memset(alive, 0, sizeof(*alive));
  id_table_init(&alive->mapped, 1);
  alive->now_ns = nanoseconds(CLOCK_REALTIME);
  alive->boot_ns = alive->now_ns - nanoseconds(CLOCK_BOOTTIME);
  if (stat("/proc/self/ns/pid", &st) == 0) alive->pid_namespace = st.st_ino;
  gethostname(alive->host, sizeof(alive->host));
  alive->host[sizeof(alive->host) - 1] = '\0';
  alive->host[strcspn(alive->host, ".")] = '\0';
}

void alive_free(struct alive *alive) {
  id_table_free(&alive->mapped);
  free(alive->hidden);
}

static uint64_t key_of(dev_t device, ino_t inode) {
  return (uint64_t)device * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)inode;
}

/* A file below /proc/PID; its text, or -1. */
static int read_proc(char *out, size_t room, pid_t pid, const char *name) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, out, room - 1);
  if (fd >= 0) close(fd);
  out[n > 0 ? n : 0] = '\0';
  return n > 0 ? 0 : -1;
}

/* /proc/PID/stat; its second field is a name that may hold anything. */
struct proc_stat {
  char state;
  int64_t threads, start_ns;
};
static int read_stat(const struct alive *alive, pid_t pid, struct proc_stat *out) {
  enum { AFTER_NAME = 1, STATE = 1, THREADS = 18, START = 20 };
  char text[STAT_ROOM], *rest = NULL;
  if (read_proc(text, sizeof(text), pid, "stat") < 0) return -1;
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
        alive->boot_ns + strtoll(word, NULL, 10) * (BILLION / (int64_t)sysconf(_SC_CLK_TCK));
    return 0;
  }
  return -1;
}

/* A process of this user's that may not be looked into: it has switched that off. */
static void add_hidden(struct alive *alive, pid_t pid) {
  char text[STAT_ROOM];
  unsigned real, effective;
  struct proc_stat stat;
  struct alive_hidden one = {.pid = pid};
  if (read_proc(text, sizeof(text), pid, "status") < 0) return;
  const char *ids = strstr(text, "\nUid:");
  if (!ids || sscanf(ids, "\nUid: %u %u", &real, &effective) != 2) return;
  if (real != geteuid() && effective != geteuid()) return;
  if (read_stat(alive, pid, &stat) < 0 || read_proc(text, sizeof(text), pid, "comm") < 0) return;
  one.start_ns = stat.start_ns;
  snprintf(one.name, sizeof(one.name), "%.*s", (int)strcspn(text, "\n"), text);
  struct alive_hidden *all = realloc(alive->hidden, (alive->num_hidden + 1) * sizeof(*all));
  if (!all) {
    alive->can_look = 0;
    return;
  }
  alive->hidden = all;
  all[alive->num_hidden++] = one;
}

static void add_mapped(struct alive *alive, pid_t pid) {
  char path[64], line[LINE_ROOM];
  unsigned major_number, minor_number;
  uint64_t inode;
  int is_new;
  snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
  errno = 0;
  FILE *maps = fopen(path, "re");
  /* Whether one may look is asked by the first read where it is not by open. */
  while (maps && fgets(line, sizeof(line), maps)) {
    if (!strstr(line, "_mmap-log-")) continue;
    if (sscanf(line, "%*s %*s %*s %x:%x %" SCNu64, &major_number, &minor_number, &inode) == 3)
      id_table_get(&alive->mapped, key_of(makedev(major_number, minor_number), inode), &is_new);
  }
  int denied = errno == EACCES || errno == EPERM || (maps && ferror(maps));
  if (maps) fclose(maps);
  if (denied) add_hidden(alive, pid);
}

/* Once, and only if there is a journal to be judged. */
static void look(struct alive *alive) {
  if (alive->looked) return;
  alive->looked = 1;
  DIR *folder = opendir("/proc");
  struct dirent *entry;
  char self[STAT_ROOM];
  alive->can_look = folder && read_proc(self, sizeof(self), getpid(), "stat") == 0;
  while (folder && (entry = readdir(folder))) {
    long pid = strtol(entry->d_name, NULL, 10);
    if (pid > 0 && pid != getpid()) add_mapped(alive, (pid_t)pid);
  }
  if (folder) closedir(folder);
}

static int is_foreign(const struct alive *alive, const struct alive_traces *traces) {
  if (traces->host && traces->host[0] && strncmp(traces->host, alive->host, RUN_HOST) != 0)
    return 1;
  return traces->pid_namespace && alive->pid_namespace &&
         traces->pid_namespace != alive->pid_namespace;
}

static enum alive_answer by_age(const struct alive *alive, int64_t seen_ns) {
  return alive->now_ns - seen_ns > (int64_t)WEEK * BILLION ? ALIVE_NOT : ALIVE_UNKNOWN;
}

/* Of a process of our own namespace, by its number. */
static enum alive_answer by_number(const struct alive *alive, const struct alive_traces *traces) {
  struct proc_stat stat;
  if (kill(traces->pid, 0) < 0 && errno == ESRCH) return ALIVE_NOT;
  if (read_stat(alive, traces->pid, &stat) < 0)
    return kill(traces->pid, 0) < 0 && errno == ESRCH ? ALIVE_NOT : ALIVE_YES;
  /* Of a process whose other threads go on, the first may be a zombie. */
  if (stat.state == 'X' || (stat.state == 'Z' && stat.threads <= 1)) return ALIVE_NOT;
  if (traces->start_ns && stat.start_ns > traces->start_ns + clock_error) return ALIVE_NOT;
  return ALIVE_YES;
}

static int before_boot(const struct alive *alive, int64_t start_ns) {
  return start_ns && start_ns < alive->boot_ns - clock_error;
}

enum alive_answer alive_process(const struct alive *alive, const struct alive_traces *traces,
                                int64_t seen_ns) {
  if (is_foreign(alive, traces)) return by_age(alive, seen_ns);
  if (before_boot(alive, seen_ns)) return ALIVE_NOT;
  if (!traces->pid || !traces->pid_namespace) return by_age(alive, seen_ns);
  return by_number(alive, traces);
}

/* One that is hidden may be the owner if it was there then and has the program's name, of
 * which the kernel keeps 15 bytes. */
static int may_be_hidden(const struct alive *alive, int64_t start_ns, const char *program) {
  for (size_t i = 0; i < alive->num_hidden; i++) {
    const struct alive_hidden *one = &alive->hidden[i];
    if (start_ns && one->start_ns > start_ns + clock_error) continue;
    if (strncmp(one->name, program, sizeof(one->name) - 1) == 0) return 1;
  }
  return 0;
}

int alive_maps(struct alive *alive, const struct stat *journal) {
  look(alive);
  return id_table_find(&alive->mapped, key_of(journal->st_dev, journal->st_ino)) != NULL;
}

enum alive_answer alive_journal(struct alive *alive, const struct stat *journal, int mapped,
                                int64_t start_ns, const char *program) {
  int64_t seen_ns = alive_time(journal->st_mtim.tv_sec, journal->st_mtim.tv_nsec);
  if (alive_maps(alive, journal)) return ALIVE_YES;
  if (before_boot(alive, seen_ns) && before_boot(alive, start_ns)) return ALIVE_NOT;
  if (!alive->can_look || !mapped || alive->pid_namespace != first_namespace ||
      may_be_hidden(alive, start_ns, program))
    return by_age(alive, seen_ns);
  return ALIVE_NOT;
}
