/* Determines whether the owner of a journal lives (mapped.h). */
#define _GNU_SOURCE
#include "mapped.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { STATUS_ROOM = 1024, LINE_ROOM = 4096 + 128 };

/* The inode of the initial PID namespace (the kernel's PROC_PID_INIT_INO), in which all processes
 * are visible. */
static const uint64_t first_namespace = 0xEFFFFFFC;

void alive_init(struct alive *alive) {
  memset(alive, 0, sizeof(*alive));
  id_table_init(&alive->mapped, 1);
  alive_look_here(&alive->here);
}

void alive_free(struct alive *alive) {
  id_table_free(&alive->mapped);
  free(alive->hidden);
}

static uint64_t key_of(dev_t device, ino_t inode) {
  return (uint64_t)device * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)inode;
}

/* Adds a process of this user whose maps cannot be read. Ignores processes of other users and
 * processes that have ended. Sets can_look to 0 if out of memory. */
static void add_hidden(struct alive *alive, pid_t pid) {
  char text[STATUS_ROOM];
  unsigned real, effective;
  struct alive_hidden one = {.pid = pid};
  if (alive_read_proc(text, sizeof(text), pid, "status") < 0) return;
  const char *ids = strstr(text, "\nUid:");
  if (!ids || sscanf(ids, "\nUid: %u %u", &real, &effective) != 2) return;
  if (real != geteuid() && effective != geteuid()) return;
  if (alive_read_stat(&alive->here, pid, &one.stat) < 0 ||
      alive_read_proc(text, sizeof(text), pid, "comm") < 0)
    return;
  snprintf(one.name, sizeof(one.name), "%.*s", (int)strcspn(text, "\n"), text);
  struct alive_hidden *all = realloc(alive->hidden, (alive->num_hidden + 1) * sizeof(*all));
  if (!all) {
    alive->can_look = 0;
    return;
  }
  alive->hidden = all;
  all[alive->num_hidden++] = one;
}

/* Adds the journals that a process has mapped; if its maps cannot be read, adds it to the hidden
 * processes. */
static void add_mapped(struct alive *alive, pid_t pid) {
  char path[64], line[LINE_ROOM];
  unsigned major_number, minor_number;
  uint64_t inode;
  int is_new;
  snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
  errno = 0;
  FILE *maps = fopen(path, "re");
  /* Some kernels check the permission only at the first read, not at open. */
  while (maps && fgets(line, sizeof(line), maps)) {
    if (!strstr(line, "_mmap-log-")) continue;
    if (sscanf(line, "%*s %*s %*s %x:%x %" SCNu64, &major_number, &minor_number, &inode) == 3)
      id_table_get(&alive->mapped, key_of(makedev(major_number, minor_number), inode), &is_new);
  }
  int denied = errno == EACCES || errno == EPERM || (maps && ferror(maps));
  if (maps) fclose(maps);
  if (denied) add_hidden(alive, pid);
}

/* Scans /proc, at the first call. Not called if there is no journal to check. */
static void look(struct alive *alive) {
  if (alive->looked) return;
  alive->looked = 1;
  DIR *folder = opendir("/proc");
  struct dirent *entry;
  char self[STATUS_ROOM];
  alive->can_look = folder && alive_read_proc(self, sizeof(self), getpid(), "stat") == 0;
  while (folder && (entry = readdir(folder))) {
    long pid = strtol(entry->d_name, NULL, 10);
    if (pid > 0 && pid != getpid()) add_mapped(alive, (pid_t)pid);
  }
  if (folder) closedir(folder);
}

/* Returns 1 if a process with unreadable maps may be the owner: it is old enough and has the
 * program's name, of which the kernel stores 15 bytes. Otherwise returns 0. */
static int may_be_hidden(const struct alive *alive, int64_t start_ns, const char *program) {
  for (size_t i = 0; i < alive->num_hidden; i++) {
    const struct alive_hidden *one = &alive->hidden[i];
    if (alive_is_younger(&one->stat, start_ns)) continue;
    if (strncmp(one->name, program, sizeof(one->name) - 1) == 0) return 1;
  }
  return 0;
}

int alive_maps(struct alive *alive, const struct stat *journal) {
  look(alive);
  return id_table_find(&alive->mapped, key_of(journal->st_dev, journal->st_ino)) != NULL;
}

enum alive_answer alive_journal(struct alive *alive, const struct stat *journal, int mapped,
                                const struct alive_traces *owner, const char *program) {
  const struct alive_here *here = &alive->here;
  int64_t seen_ns = alive_time(journal->st_mtim.tv_sec, journal->st_mtim.tv_nsec);
  if (alive_maps(alive, journal)) return ALIVE_YES;
  if (owner->pid) {
    int64_t heard_ns = seen_ns > owner->start_ns ? seen_ns : owner->start_ns;
    enum alive_answer answer = alive_process(here, owner, heard_ns);
    if (answer != ALIVE_UNKNOWN || !alive_is_of_this_boot(here, owner)) return answer;
  }
  if (alive_is_before_boot(here, seen_ns) && alive_is_before_boot(here, owner->start_ns))
    return ALIVE_NOT;
  if (!alive->can_look || !mapped || here->pid_namespace != first_namespace ||
      may_be_hidden(alive, owner->start_ns, program))
    return alive_by_age(here, seen_ns);
  return ALIVE_NOT;
}
