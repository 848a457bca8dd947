/* Reads the logs of processes that a launcher started in parallel, and the data about these
 * processes in each log (logs.h). */
#include "logs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../runtime/format/records.h"
#include "../journals.h"
#include "../run/records/bytes.h"
#include "../run/records/combined-module.h"
#include "../run/records/part.h"

enum { UNITS_MOST = 1 << 20 };

static const char journal_mark[] = "_mmap-log-", ending[] = ".darshan";

static int is_journal(const char *path) {
  const char *slash = strrchr(path, '/');
  return strstr(slash ? slash : path, journal_mark) != NULL;
}

static int is_log(const char *name) {
  size_t length = strlen(name), end = sizeof(ending) - 1;
  return length > end && strcmp(name + length - end, ending) == 0;
}

static int has_records_of(const struct darshan_info *info, int module) {
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].id == module && info->modules[i].length > 0) return 1;
  return 0;
}

/* Returns 1 for a log that darshan-merge made from the logs of ranks, otherwise 0. A merged log is
 * not the log of a rank. */
static int is_merged(const struct darshan_info *info) {
  return launch_metadata(info, "ranks_merged") != NULL;
}

/* --- its processes ------------------------------------------------------------------------ */

/* Returns the only rank of a log without PROCESS records. */
static struct job_unit unit_of(const struct launch *launch) {
  return (struct job_unit){launch->rank < 0 ? 0 : launch->id, launch->rank, launch->size,
                           launch->pid, 0};
}

/* Stores the launcher's data of a rank from its PROCESS record. Returns 0; -1 if the log has no
 * such rank. */
static int take_process(struct job_log *log, const struct darshan_process_record *record) {
  const int64_t *counters = record->counters;
  int64_t rank = record->base.rank, size = counters[PROCESS_WORLD_SIZE];
  if (rank < 0 || rank >= log->num_units) return -1;
  struct job_unit unit = {counters[PROCESS_LAUNCH], counters[PROCESS_WORLD_RANK], size,
                          counters[PROCESS_PID], 1};
  int is_sound = unit.launch > 0 && unit.rank >= 0 && unit.rank < INT32_MAX && size >= 0 &&
                 size <= INT32_MAX && (size == 0 || unit.rank < size);
  if (!is_sound) unit.launch = 0;
  log->units[rank] = unit;
  return 0;
}

static int read_processes(struct job_log *log, darshan_log *open, struct darshan_error *error) {
  const void *record;
  size_t size;
  int more;
  darshan_records *records = darshan_records_open(open, DARSHAN_MOD_PROCESS, error);
  if (!records) return -1;
  while ((more = darshan_records_next(records, &record, &size, error)) > 0)
    if (take_process(log, record) < 0) {
      snprintf(error->text, sizeof(error->text), "a process has a rank that is not in the log");
      more = -1;
      break;
    }
  darshan_records_close(records);
  return more;
}

/* Fills in the ranks of a log. Returns 0, or -1 with an error. */
static int read_units(struct job_log *log, darshan_log *open, struct darshan_error *error) {
  const struct darshan_info *info = darshan_log_info(open);
  log->num_units = info->job.nprocs < 1 ? 1 : info->job.nprocs;
  if (log->num_units > UNITS_MOST) {
    snprintf(error->text, sizeof(error->text), "it has more ranks than a run can have");
    return -1;
  }
  log->units = calloc((size_t)log->num_units, sizeof(*log->units));
  if (!log->units) {
    snprintf(error->text, sizeof(error->text), "cannot store its ranks: out of memory");
    return -1;
  }
  if (has_records_of(info, DARSHAN_MOD_PROCESS)) return read_processes(log, open, error);
  log->is_whole = 1;
  for (int64_t i = 0; i < log->num_units; i++)
    log->units[i] = unit_of(&log->launch);
  return 0;
}

/* Fills in the start and end of a log. Returns 0, or -1 with an error. A killed process has no end
 * time, so the latest timestamp of its records is used. */
static int read_times(struct job_log *log, darshan_log *open, struct darshan_error *error) {
  struct part part = {.count = 0};
  traces_note(open);
  log->start_ns = part_start_ns(&log->job);
  log->end_ns = part_end_ns(&log->job);
  if (log->start_ns == 0) {
    snprintf(error->text, sizeof(error->text), "it does not say when it began");
    return -1;
  }
  if (log->end_ns == 0) {
    log->is_journal = 1;
    if (part_read(&part, open, error) < 0) {
      part_free(&part);
      return -1;
    }
    log->end_ns = log->start_ns + (int64_t)(part_last(&part) * 1e9);
    part_free(&part);
  }
  if (log->end_ns < log->start_ns) log->end_ns = log->start_ns;
  return 0;
}

/* Fills in the data about the log at log->path. Returns 0; -1 with an error, also if the log names
 * no launcher or is a merged log. */
static int read_log(struct job_log *log, struct darshan_error *error) {
  struct stat st;
  int result = -1;
  darshan_log *open = darshan_log_read(log->path, error);
  if (!open) return -1;
  const struct darshan_info *info = darshan_log_info(open);
  log->job = info->job;
  dropped_add(&log->dropped, info);
  log->is_child = launch_metadata(info, "fork_parent") != NULL;
  if (is_merged(info) || !launch_read(&log->launch, info))
    snprintf(error->text, sizeof(error->text), "no launcher said which rank it is");
  else if (stat(log->path, &st) < 0)
    snprintf(error->text, sizeof(error->text), "%s", strerror(errno));
  else
    result = read_units(log, open, error) < 0 ? -1 : read_times(log, open, error);
  log->device = result < 0 ? 0 : st.st_dev;
  log->inode = result < 0 ? 0 : st.st_ino;
  darshan_log_free(open);
  return result;
}

/* --- finding the logs --------------------------------------------------------------------- */

static int is_there(const struct job_logs *logs, const struct job_log *log) {
  for (size_t i = 0; i < logs->count; i++)
    if (logs->logs[i].inode == log->inode && logs->logs[i].device == log->device) return 1;
  return 0;
}

static void drop(struct job_log *log) {
  free(log->path);
  free(log->units);
}

/* Adds a log unless it is in the list already. Returns 0, or -1 with an error. */
static int add_log(struct job_logs *logs, const char *path, struct darshan_error *error) {
  struct job_log log = {.path = strdup(path)};
  snprintf(error->text, sizeof(error->text), "out of memory");
  int result = log.path ? read_log(&log, error) : -1;
  int is_new = result == 0 && !is_there(logs, &log);
  if (is_new && !list_more((void **)&logs->logs, logs->count, &logs->room, sizeof(log)))
    result = is_new = -1;
  if (is_new == 1)
    logs->logs[logs->count++] = log;
  else
    drop(&log);
  return result;
}

/* Returns 1 if the log names a launcher, a rank or a number of ranks. Returns 0 if it names none of
 * them, or if it is a merged log; -1 with an error if it is unreadable. */
static int tells_of_one(const char *path, struct darshan_error *error) {
  struct launch launch;
  darshan_log *log = darshan_log_read(path, error);
  if (!log) return -1;
  const struct darshan_info *info = darshan_log_info(log);
  int result = !is_merged(info) && launch_read(&launch, info);
  darshan_log_free(log);
  return result;
}

/* Prints that a log is skipped and why, and remembers its name for the metadata. */
static void say_unreadable(struct job_logs *logs, const char *path, const char *why) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t used = strlen(logs->damaged), length = strlen(name);
  merge_say("skipped %s: %s", path, why);
  logs->unreadable++;
  if (used + length + 2 > sizeof(logs->damaged)) return;
  if (used) logs->damaged[used++] = ',';
  memcpy(logs->damaged + used, name, length + 1);
}

void job_log_leave_out(struct job_logs *logs, struct job_log *log, const char *why) {
  if (!log->left_out) say_unreadable(logs, log->path, why);
  log->left_out = 1;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_candidate(const struct dirent *entry) {
  return is_log(entry->d_name);
}

/* Returns 1 for a regular file, otherwise 0. Opening another kind of file, for example a pipe, may
 * block. */
static int is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Calls `each` for the logs of a folder in the order of their names, until `each` returns a nonzero
 * value. Returns that value; 0 at the end of the folder; -1 after a message if the folder cannot be
 * read. */
static int each_in_folder(const char *folder, int (*each)(void *context, const char *path),
                          void *context) {
  struct dirent **entries;
  int n = scandir(folder, &entries, is_candidate, by_name), result = n < 0 ? -1 : 0;
  if (n < 0) merge_say("cannot read the folder %s: %s", folder, strerror(errno));
  for (int i = 0; i < n; i++) {
    char *path = NULL;
    if (result == 0 && asprintf(&path, "%s/%s", folder, entries[i]->d_name) >= 0 && is_file(path))
      result = each(context, path);
    free(path);
    free(entries[i]);
  }
  if (n >= 0) free(entries);
  return result;
}

static int add_from_folder(void *context, const char *path) {
  struct job_logs *logs = context;
  struct darshan_error error = {""};
  int tells = tells_of_one(path, &error);
  if (tells < 0 || (tells > 0 && add_log(logs, path, &error) < 0))
    say_unreadable(logs, path, error.text);
  return 0;
}

static int is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int job_logs_add(struct job_logs *logs, const char *path) {
  struct darshan_error error = {""};
  if (is_folder(path)) return each_in_folder(path, add_from_folder, logs);
  if (add_log(logs, path, &error) == 0) return 0;
  merge_say("%s: %s", path, error.text);
  return -1;
}

enum { TELLS = 1, MPI_JOB = 2 };

/* Stores in the int at `context`: TELLS if the log names a launcher, MPI_JOB if it is a journal
 * that names none. Returns nonzero for MPI_JOB, so that the search ends. */
static int look_at(void *context, const char *path) {
  struct darshan_error error = {""};
  int tells = tells_of_one(path, &error);
  if (tells == 0 && is_journal(path)) return *(int *)context = MPI_JOB;
  if (tells > 0) *(int *)context = TELLS;
  return 0;
}

int job_logs_is_one(const char *path) {
  int found = 0;
  if (!is_folder(path)) {
    look_at(&found, path);
    return found == TELLS;
  }
  merge_quiet++; /* job_logs_add reports an unreadable folder */
  each_in_folder(path, look_at, &found);
  merge_quiet--;
  return found == TELLS;
}

void job_logs_free(struct job_logs *logs) {
  for (size_t i = 0; i < logs->count; i++)
    drop(&logs->logs[i]);
  free(logs->logs);
  *logs = (struct job_logs){.logs = NULL};
}
