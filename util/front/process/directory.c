/* Reads the run directory for the `darshan` command: which processes still live, and whether a log
 * can be made (directory.h). */
#define _GNU_SOURCE
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../runs/events.h"
#include "../../runs/packed.h"
#include "no-log-reason.h"

enum { BILLION = 1000000000 };

static int join(char out[PATH_MAX], const char *folder, const char *name) {
  return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX ? 0 : -1;
}

static uint64_t key_of(const struct run_event *row) {
  uint64_t key = (uint64_t)(uint32_t)row->pid | row->pid_namespace << 32;
  for (int i = 0; i < RUN_HOST && row->host[i]; i++)
    key = key * 31 + (unsigned char)row->host[i];
  return key;
}

/* Clears the state that an earlier process with this pid left in the table. */
static void begin_anew(struct tree_process *process) {
  process->starts = process->ended = process->is_rank = process->is_launcher = 0;
}

static void add_start(struct tree_process *process, const struct run_event *row) {
  if (process->ended) begin_anew(process);
  process->is_launcher = row->status == 1;
  process->traces.start_ns = row->start_ns;
  process->starts++;
}

/* Stores the launcher, whose pid is in the folder's name (darshan-run.<pid>p.<unique>), as
 * folder->parent. The launcher began before the first row, on the same host. */
static void note_parent(struct tree *folder, const struct run_event *row) {
  const char *slash = strrchr(folder->path, '/'), *name = slash ? slash + 1 : folder->path;
  char *end;
  if (strncmp(name, RUN_FOLDER, sizeof(RUN_FOLDER) - 1) != 0) return;
  long pid = strtol(name + sizeof(RUN_FOLDER) - 1, &end, 10);
  if (end[0] != 'p' || end[1] != '.' || pid <= 0) return;
  folder->parent = (struct alive_traces){
      .pid = (pid_t)pid, .pid_namespace = row->pid_namespace, .start_ns = row->now_ns};
  memcpy(folder->parent.host, row->host, sizeof(row->host));
}

/* Marks all processes in the PID namespace of `first` as ended: the kernel kills them when process
 * 1 of the namespace ends. */
static void end_namespace(struct tree *folder, const struct tree_process *first) {
  for (size_t i = 0; i < folder->processes.count; i++) {
    struct tree_process *process = id_table_value(&folder->processes, i);
    if (process->traces.pid_namespace == first->traces.pid_namespace &&
        memcmp(process->traces.host, first->traces.host, sizeof(first->traces.host)) == 0)
      process->ended = 1;
  }
}

/* Applies a row of the event file to the table of processes. Ignores the row if out of memory. */
static void add_row(struct tree *folder, const struct run_event *row) {
  int is_new;
  struct tree_process *process = id_table_get(&folder->processes, key_of(row), &is_new);
  if (!process) return;
  if (is_new) {
    process->traces.pid = row->pid;
    process->traces.pid_namespace = row->pid_namespace;
    memcpy(process->traces.host, row->host, sizeof(row->host));
  }
  process->seen_ns = row->now_ns;
  if (folder->rows++ == 0) note_parent(folder, row);
  if (row->kind == RUN_START) add_start(process, row);
  if (row->kind == RUN_EXEC) process->ended = 0;
  if (row->kind == RUN_FORKING || row->kind == RUN_SPAWNED) folder->has_others = 1;
  if (row->kind == RUN_END || row->kind == RUN_REAPED) process->ended = 1;
  if (row->kind == RUN_END && row->pid == 1 && row->pid_namespace) end_namespace(folder, process);
  if (row->kind == RUN_JOB) process->is_rank = 1;
  if (row->kind == RUN_UNWATCHED) folder->has_unwatched = 1;
}

static int take_row(void *folder, const struct run_event *row) {
  add_row(folder, row);
  return 0;
}

static int read_events(struct tree *folder) {
  int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  int failed = events_read(fd, take_row, folder) < 0 && faccessat(fd, RUN_EVENTS, F_OK, 0) == 0;
  close(fd);
  return failed ? -1 : 0;
}

/* Kinds of files in a run directory that contain no records of I/O. */
enum {
  OWN_CLOSED = 1,
  OWN_LOGS = 2,
  OWN_LIBRARY = 4,
  OWN_EVENTS = 8,
  OWN_NAMES = 16,
  OWN_PACK = 32 /* a packed file that contains no part */
};
static unsigned own_kind(const char *name) {
  if (strcmp(name, RUN_CLOSED) == 0) return OWN_CLOSED;
  if (strcmp(name, RUN_LOGS) == 0) return OWN_LOGS;
  if (strcmp(name, TREE_LIBRARY) == 0) return OWN_LIBRARY;
  if (events_is_file(name)) return OWN_EVENTS;
  return events_is_name(name) ? OWN_NAMES : 0;
}

/* Notes a file of the run directory: lists a part or journal, counts files of unknown kind. */
static void add_entry(struct tree *folder, const char *name) {
  char path[PATH_MAX];
  struct stat st;
  if (join(path, folder->path, name) < 0) return;
  if (strcmp(name, RUN_PACK) == 0) {
    folder->has_pack = lstat(path, &st) == 0 && st.st_size > 0;
    if (!folder->has_pack) folder->own |= OWN_PACK;
  } else if (strstr(name, "_mmap-log-"))
    path_list_add(&folder->journals, path);
  else if (strncmp(name, RUN_PART, sizeof(RUN_PART) - 1) == 0)
    path_list_add(&folder->parts, path);
  else if (own_kind(name))
    folder->own |= own_kind(name);
  else if (name[0] != '.')
    folder->strange++;
  folder->is_closed = (folder->own & OWN_CLOSED) != 0;
}

int tree_close(const struct tree *folder) {
  char path[PATH_MAX];
  if (join(path, folder->path, RUN_CLOSED) < 0) return -1;
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd < 0 ? -1 : close(fd);
}

/* Lists the journals and parts of a run directory, and notes which other files it has. Does not
 * read the event files. Returns 0, or -1 if the folder cannot be opened. */
static int list(struct tree *folder, const char *path) {
  memset(folder, 0, sizeof(*folder));
  id_table_init(&folder->processes, sizeof(struct tree_process));
  snprintf(folder->path, sizeof(folder->path), "%s", path);
  DIR *dir = opendir(path);
  if (!dir) return -1;
  for (struct dirent *entry; (entry = readdir(dir));)
    add_entry(folder, entry->d_name);
  closedir(dir);
  return 0;
}

int tree_read(struct tree *folder, const char *path) {
  return list(folder, path) < 0 ? -1 : read_events(folder);
}

void tree_free(struct tree *folder) {
  id_table_free(&folder->processes);
  path_list_free(&folder->parts);
  path_list_free(&folder->journals);
}

/* Decides whether a process is alive, from its rows and from the kernel. */
static enum alive_answer answer_of(const struct tree_process *process,
                                   const struct alive_here *here) {
  return process->ended ? ALIVE_NOT : alive_process(here, &process->traces, process->seen_ns);
}

int tree_has_ended(const struct tree *folder, pid_t but) {
  for (size_t i = 0; i < folder->processes.count; i++) {
    const struct tree_process *process = id_table_value(&folder->processes, i);
    if (!process->ended && process->traces.pid != but) return 0;
  }
  return 1;
}

size_t tree_running(const struct tree *folder, const struct alive_here *here, pid_t but) {
  size_t count = 0;
  for (size_t i = 0; i < folder->processes.count; i++) {
    const struct tree_process *process = id_table_value(&folder->processes, i);
    count += process->starts && process->traces.pid != but && answer_of(process, here) == ALIVE_YES;
  }
  return count;
}

size_t tree_alive(const struct tree *folder, const struct alive_here *here,
                  enum alive_answer answer) {
  const struct alive_traces *parent = &folder->parent;
  size_t count = parent->pid && alive_process(here, parent, parent->start_ns) == answer;
  for (size_t i = 0; i < folder->processes.count; i++) {
    const struct tree_process *process = id_table_value(&folder->processes, i);
    count += !process->ended && answer_of(process, here) == answer;
  }
  return count;
}

static int open_events(const char *path, int flags) {
  char events[PATH_MAX];
  if (join(events, path, RUN_EVENTS) < 0) return -1;
  return open(events, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Writes a row about a process. Its PID namespace and host are those of the process's other rows;
 * if there are none, those of the first process. Does nothing if the event file cannot be
 * opened. */
static void write_row(const struct tree *folder, struct run_event *row) {
  int fd = open_events(folder->path, O_WRONLY | O_APPEND);
  if (fd < 0) return;
  row->magic = RUN_EVENT_MAGIC;
  row->parent = getpid();
  for (size_t i = 0; i < folder->processes.count; i++) {
    const struct tree_process *process = id_table_value(&folder->processes, i);
    if (i > 0 && process->traces.pid != row->pid) continue;
    row->pid_namespace = process->traces.pid_namespace;
    memcpy(row->host, process->traces.host, sizeof(row->host));
  }
  ssize_t written = write(fd, row, sizeof(*row));
  (void)written; /* if it fails, the log lacks how the process ended */
  close(fd);
}

void tree_unwatched(struct tree *folder, const struct child_end *end, const char *command) {
  enum { BASE = 1, HAS_CHILDREN = 2 };
  struct run_event row = {.kind = RUN_UNWATCHED,
                          .pid = end->pid,
                          .token = BASE | HAS_CHILDREN,
                          .now_ns = end->begun_ns,
                          .start_ns = end->before.calls_read,
                          .job = (uint64_t)end->before.calls_written};
  row.status = (int32_t)reason_of_row(command, row.program);
  for (size_t i = 0; i < folder->processes.count; i++) {
    const struct tree_process *process = id_table_value(&folder->processes, i);
    if (process->traces.pid == end->pid && process->starts && row.status != RUN_GO) return;
  }
  if (row.status == RUN_WATCHED) return;
  write_row(folder, &row);
  folder->has_unwatched = 1;
}

void tree_reaped(const struct tree *folder, const struct child_end *end) {
  struct run_event row = {.kind = RUN_REAPED,
                          .pid = end->pid,
                          .status = end->status,
                          .token = 1,
                          .job = (uint64_t)end->cpu_ns};
  struct run_usage had = end->usage;
  had.storage_read -= end->before.storage_read;
  had.storage_written -= end->before.storage_written;
  memcpy(row.program, &had, sizeof(had));
  row.now_ns = end->begun_ns + (int64_t)(end->wall_time * BILLION);
  write_row(folder, &row);
}

int tree_hold(const char *path) {
  int fd = open_events(path, O_RDWR | O_CREAT);
  if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0) {
    close(fd);
    return -1;
  }
  return fd;
}

int tree_is_held(const char *path) {
  int fd = open_events(path, O_RDONLY);
  if (fd < 0) return 0;
  int held = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
  close(fd);
  return held;
}

int tree_is_empty(const struct tree *folder) {
  return !folder->parts.count && !folder->has_pack && !folder->journals.count && !folder->strange;
}

static int keeps_all(void *context, const struct packed_log *log) {
  (void)context;
  (void)log;
  return 1;
}

static void remove_empty_pack(int folder) {
  static const char new_name[] = "writing";
  int fd = packed_lock(folder);
  if (fd < 0) return;
  packed_remove(folder, fd, new_name, keeps_all, NULL);
  close(fd);
}

/* Removes the files of the run directory that are in `own`, a sum of OWN_ values. Removes `events`
 * before `closed`: a process that sees neither knows that the run has its log. */
static void remove_own(const char *path, unsigned own) {
  static const struct {
    unsigned kind;
    const char *name;
  } files[] = {{OWN_CLOSED, RUN_CLOSED}, {OWN_LOGS, RUN_LOGS}, {OWN_LIBRARY, TREE_LIBRARY}};
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  if (own & OWN_EVENTS) events_remove(fd);
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
    if (own & files[i].kind) unlinkat(fd, files[i].name, 0);
  if (own & OWN_PACK) remove_empty_pack(fd);
  close(fd);
  if (own & OWN_NAMES) events_remove_names(path, 0);
}

void tree_discard(const char *path) {
  struct tree folder;
  if (list(&folder, path) == 0 && tree_is_empty(&folder) && !tree_is_held(path))
    remove_own(path, folder.own);
  tree_free(&folder);
  rmdir(path);
}
