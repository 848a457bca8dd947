#define _GNU_SOURCE
#include "run-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { ROWS_AT_ONCE = 256, BILLION = 1000000000 };

static const char *const launchers[] = {
#define LAUNCHER_NAME(name) name,
#include "../../runtime/job/launcher-names.def"
#undef LAUNCHER_NAME
};

/* name, or name and more after a point */
static int is_named(const char *program, const char *name, size_t length) {
  return length && strncmp(program, name, length) == 0 &&
         (program[length] == '\0' || program[length] == '.');
}

static int is_launcher(const char *program) {
  const char *more = getenv("DARSHAN_LAUNCHERS");
  for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
    if (is_named(program, launchers[i], strlen(launchers[i]))) return 1;
  for (; more && *more; more += strspn(more, ",")) {
    size_t length = strcspn(more, ",");
    if (is_named(program, more, length)) return 1;
    more += length;
  }
  return 0;
}

static int join(char out[PATH_MAX], const char *folder, const char *name) {
  return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX ? 0 : -1;
}

static uint64_t key_of(const struct run_event *row) {
  uint64_t key = (uint64_t)(uint32_t)row->pid | row->pid_namespace << 32;
  for (int i = 0; i < RUN_HOST && row->host[i]; i++)
    key = key * 31 + (unsigned char)row->host[i];
  return key;
}

/* The number has been given to another process: the former one counts, and is over. */
static void begin_anew(struct run_folder *folder, struct folder_process *process) {
  folder->others += process->starts && !process->is_rank && !process->is_launcher;
  process->starts = process->ended = process->is_rank = process->is_launcher = 0;
}

static void add_start(struct run_folder *folder, struct folder_process *process,
                      const struct run_event *row) {
  char program[RUN_PROGRAM + 1];
  if (process->ended) begin_anew(folder, process);
  snprintf(program, sizeof(program), "%.*s", RUN_PROGRAM, row->program);
  process->is_launcher |= is_launcher(program);
  process->traces.start_ns = row->start_ns;
  process->starts++;
}

static void add_row(struct run_folder *folder, const struct run_event *row) {
  int is_new;
  if (row->magic != RUN_EVENT_MAGIC || row->pid <= 0) return;
  struct folder_process *process = id_table_get(&folder->processes, key_of(row), &is_new);
  if (!process) return;
  if (is_new) {
    process->traces.pid = row->pid;
    process->traces.pid_namespace = row->pid_namespace;
    snprintf(process->host, sizeof(process->host), "%.*s", RUN_HOST, row->host);
  }
  process->seen_ns = row->now_ns;
  folder->rows++;
  if (row->kind == RUN_START) add_start(folder, process, row);
  if (row->kind == RUN_EXEC) process->ended = 0;
  if (row->kind == RUN_END || row->kind == RUN_REAPED) process->ended = 1;
  if (row->kind == RUN_JOB) process->is_rank = 1;
}

static int read_events(struct run_folder *folder) {
  char path[PATH_MAX];
  struct run_event *rows = malloc(ROWS_AT_ONCE * sizeof(*rows));
  size_t n;
  errno = ENAMETOOLONG;
  if (!rows || join(path, folder->path, RUN_EVENTS) < 0) {
    free(rows);
    return -1;
  }
  FILE *events = fopen(path, "re");
  int missing = errno == ENOENT;
  while (events && (n = fread(rows, sizeof(*rows), ROWS_AT_ONCE, events)) > 0)
    for (size_t i = 0; i < n; i++)
      add_row(folder, &rows[i]);
  int failed = events ? ferror(events) : !missing;
  if (events) fclose(events);
  free(rows);
  return failed ? -1 : 0;
}

static void add_entry(struct run_folder *folder, const char *name) {
  char path[PATH_MAX];
  if (join(path, folder->path, name) < 0) return;
  if (strcmp(name, RUN_CLOSED) == 0) folder->is_closed = 1;
  if (strstr(name, "_mmap-log-")) path_list_add(&folder->journals, path);
  if (strncmp(name, RUN_PART, sizeof(RUN_PART) - 1) != 0) return;
  folder->parts++;
  memcpy(folder->part, path, sizeof(path));
}

int run_folder_read(struct run_folder *folder, const char *path) {
  memset(folder, 0, sizeof(*folder));
  id_table_init(&folder->processes, sizeof(struct folder_process));
  snprintf(folder->path, sizeof(folder->path), "%s", path);
  DIR *dir = opendir(path);
  if (!dir) return -1;
  for (struct dirent *entry; (entry = readdir(dir));)
    add_entry(folder, entry->d_name);
  closedir(dir);
  if (read_events(folder) < 0) return -1;
  for (size_t i = 0; i < folder->processes.count; i++) {
    const struct folder_process *process = id_table_value(&folder->processes, i);
    folder->others += process->starts && !process->is_rank && !process->is_launcher;
  }
  return 0;
}

void run_folder_free(struct run_folder *folder) {
  id_table_free(&folder->processes);
  path_list_free(&folder->journals);
}

size_t run_folder_alive(const struct run_folder *folder, const struct alive *alive,
                        enum alive_answer answer) {
  size_t count = 0;
  for (size_t i = 0; i < folder->processes.count; i++) {
    const struct folder_process *process = id_table_value(&folder->processes, i);
    struct alive_traces traces = process->traces;
    if (process->ended) continue;
    traces.host = process->host;
    count += alive_process(alive, &traces, process->seen_ns) == answer;
  }
  return count;
}

const struct alive_traces *run_folder_traces(const struct run_folder *folder, int64_t start_ns) {
  for (size_t i = 0; i < folder->processes.count; i++) {
    struct folder_process *process = id_table_value(&folder->processes, i);
    process->traces.host = process->host;
    if (process->traces.start_ns == start_ns) return &process->traces;
  }
  return NULL;
}

static int open_events(const char *path, int flags) {
  char events[PATH_MAX];
  if (join(events, path, RUN_EVENTS) < 0) return -1;
  return open(events, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void run_folder_reaped(const struct run_folder *folder, pid_t pid, int status) {
  struct run_event row = {.magic = RUN_EVENT_MAGIC,
                          .kind = RUN_REAPED,
                          .pid = pid,
                          .parent = getpid(),
                          .status = status};
  struct timespec now;
  int fd = open_events(folder->path, O_WRONLY | O_APPEND);
  if (fd < 0) return;
  for (size_t i = 0; i < folder->processes.count; i++) {
    const struct folder_process *process = id_table_value(&folder->processes, i);
    if (process->traces.pid != pid) continue;
    row.pid_namespace = process->traces.pid_namespace;
    memcpy(row.host, process->host, sizeof(row.host));
  }
  clock_gettime(CLOCK_REALTIME, &now);
  row.now_ns = (int64_t)now.tv_sec * BILLION + now.tv_nsec;
  ssize_t written = write(fd, &row, sizeof(row));
  (void)written; /* then it is not known how it ended */
  close(fd);
}

int run_folder_hold(const char *path) {
  int fd = open_events(path, O_RDWR | O_CREAT);
  if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0) {
    close(fd);
    return -1;
  }
  return fd;
}

int run_folder_is_held(const char *path) {
  int fd = open_events(path, O_RDONLY);
  if (fd < 0) return 0;
  int held = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
  close(fd);
  return held;
}

void run_folder_discard(const char *path) {
  char file[PATH_MAX];
  struct run_folder folder;
  int needed = run_folder_read(&folder, path) < 0 || folder.parts || folder.journals.count ||
               run_folder_is_held(path);
  run_folder_free(&folder);
  if (needed) return;
  if (join(file, path, RUN_EVENTS) == 0) unlink(file);
  if (join(file, path, RUN_CLOSED) == 0) unlink(file);
  rmdir(path);
}
