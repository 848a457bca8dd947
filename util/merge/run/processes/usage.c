/* Computes the resource usage of a run's processes from the kernel's counters (USAGE), so that each
 * byte is in the record of only one rank (usage.h). */
#include "usage.h"

#include <stdio.h>

#include "../../../../runtime/format/records.h"
#include "../../../../runtime/format/store-modules.h"
#include "record-id.h"

/* Kernel counters that count from the begin of a process on, also over exec. */
static const int since_birth[PROCESS_SUMS] = {USAGE_CHARS_READ, USAGE_CHARS_WRITTEN,
                                              USAGE_READ_CALLS, USAGE_WRITE_CALLS, USAGE_CANCELLED};

/* Returns a + b, or INT64_MAX if the sum overflows, because counters are untrusted. */
static int64_t plus(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
/* Returns a - b, and 0 if that is negative or overflows. Returns a if b is negative (unknown), even
 * if a is negative, too. */
static int64_t minus(int64_t a, int64_t b) {
  int64_t rest;
  return b < 0 ? a : __builtin_sub_overflow(a, b, &rest) || rest < 0 ? 0 : rest;
}

/* Stores counter i of a process. Adds the increase to the parent's sum of its children: the kernel
 * adds a child's counters to its parent's when the parent waits for it. */
static void take_sum(struct run_tree *tree, struct run_process *process, int i, int64_t value) {
  int64_t more = minus(value, process->sums[i]);
  process->sums[i] = value;
  if (process->parent < 0 || value < 0) return;
  if (!process->was_reaped && !tree->processes[process->parent].unseen) return;
  int64_t *of_children = tree->processes[process->parent].sums_of_children;
  of_children[i] = plus(of_children[i], more);
}

/* Adds a child's storage bytes to the sum of an uninstrumented parent, unless the parent recorded
 * the child's usage. The waits of such a parent are not recorded, so the usage that its own parent
 * recorded for it is assumed to include its children's. add_told subtracts these bytes. */
static void tell_silent_parent(struct run_tree *tree, const struct run_process *process,
                               const int64_t *counters) {
  struct run_process *parent = process->parent < 0 ? NULL : &tree->processes[process->parent];
  if (!parent || !parent->unseen || process->was_used) return;
  int64_t *had[] = {&parent->late_read, &parent->late_written};
  const int64_t now[] = {counters[USAGE_STORAGE_READ], counters[USAGE_STORAGE_WRITTEN]};
  const int64_t below[] = {process->of_children.storage_read, process->of_children.storage_written};
  for (int i = 0; i < 2; i++) {
    *had[i] = plus(*had[i], now[i] > 0 ? now[i] : 0);
    if (!process->has_usage) *had[i] = plus(*had[i], below[i]);
  }
  if (!process->has_usage && counters[USAGE_STORAGE_START] > 0)
    *had[0] = plus(*had[0], counters[USAGE_STORAGE_START]);
}

static void hear_record(struct run_tree *tree, struct run_process *process,
                        const struct darshan_usage_record *record) {
  const int64_t *counters = record->counters;
  int64_t start = counters[USAGE_STORAGE_START];
  for (int i = 0; i < PROCESS_SUMS; i++)
    take_sum(tree, process, i, counters[since_birth[i]]);
  tell_silent_parent(tree, process, counters);
  if (start >= 0) {
    process->storage_start = plus(process->storage_start, minus(start, process->storage_known));
    process->storage_known = plus(start, counters[USAGE_STORAGE_READ]);
  }
  process->has_usage = 1;
}

void usage_hear(struct run_tree *tree, struct run_process *process, darshan_log *log) {
  struct darshan_error error = {""};
  const void *record;
  size_t size;
  int has = 0;
  const struct darshan_info *info = darshan_log_info(log);
  for (int i = 0; i < info->num_modules; i++)
    has |= info->modules[i].id == DARSHAN_MOD_USAGE && info->modules[i].length > 0;
  darshan_records *records = has ? darshan_records_open(log, DARSHAN_MOD_USAGE, &error) : NULL;
  if (!records) return;
  if (darshan_records_next(records, &record, &size, &error) > 0) hear_record(tree, process, record);
  darshan_records_close(records);
}

/* Writes the name of a rank's USAGE record. Returns its length. */
static size_t name_of(char name[48], int number) {
  return (size_t)snprintf(name, 48, "<process %d>", number);
}

static uint64_t id_of(int number) {
  char name[48];
  size_t length = name_of(name, number);
  return darshan_hash(name, length, 0);
}

/* Returns 1 if only the parent recorded this process's usage, otherwise 0. */
static int is_told_of(const struct run_process *process) {
  return process->was_used && !process->has_usage;
}

/* Returns 1 if the usage of a process of the rank is known, otherwise 0. */
static int has_record(const struct run_tree *tree, const struct run_rank *rank) {
  for (int i = rank->first; i >= 0; i = tree->processes[i].next_of_rank)
    if (tree->processes[i].has_usage || is_told_of(&tree->processes[i])) return 1;
  return 0;
}

int usage_name(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
               int number) {
  char name[48];
  name_of(name, number);
  return has_record(tree, rank) ? combined_name(combined, id_of(number), name) : 0;
}

static void at_least(int64_t *value, int64_t least) {
  if (*value < least) *value = least;
}

/* Raises the numbers of a USAGE record to the numbers that the parent recorded. The record ends
 * when the process became an uninstrumented program. But the parent's numbers include all programs
 * of the process. read, written: bytes of its calls. stored: bytes written to storage. */
static void add_after_exec(struct darshan_usage_record *record, const struct run_process *process,
                           int64_t read, int64_t written, int64_t stored) {
  double *times = record->fcounters;
  at_least(&record->counters[USAGE_CHARS_READ], read);
  at_least(&record->counters[USAGE_CHARS_WRITTEN], written);
  at_least(&record->counters[USAGE_STORAGE_WRITTEN], stored);
  if (process->unseen == RUN_GO) return; /* the record ends with the process */
  double rest =
      (double)process->cpu_ns * 1e-9 - times[USAGE_F_USER_TIME] - times[USAGE_F_SYSTEM_TIME];
  if (rest > 0) times[USAGE_F_USER_TIME] += rest;
  times[USAGE_F_RUNNABLE_TIME] = times[USAGE_F_BLOCKED_TIME] = -1;
}

/* Adds the usage that the parent recorded, for two kinds of processes: one without USAGE record,
 * and one that later became an uninstrumented program. */
static void add_told(struct darshan_usage_record *record, const struct run_process *process) {
  int64_t *counters = record->counters;
  const struct run_usage *used = &process->used;
  if (!process->was_used || (process->has_usage && !process->unseen)) return;
  int64_t known = plus(process->has_usage ? process->storage_known : 0, process->late_read);
  counters[USAGE_STORAGE_READ] =
      plus(counters[USAGE_STORAGE_READ], minus(used->storage_read, known));
  const int64_t *below = process->sums_of_children;
  int64_t read = minus(used->calls_read, below[0]);
  int64_t written = minus(used->calls_written, below[1]);
  int64_t stored = minus(used->storage_written, process->late_written);
  if (process->has_usage) {
    add_after_exec(record, process, read, written, stored);
    return;
  }
  counters[USAGE_PROCESSES]++;
  counters[USAGE_STORAGE_WRITTEN] = plus(counters[USAGE_STORAGE_WRITTEN], stored);
  counters[USAGE_CHARS_READ] = plus(counters[USAGE_CHARS_READ], read);
  counters[USAGE_CHARS_WRITTEN] = plus(counters[USAGE_CHARS_WRITTEN], written);
  record->fcounters[USAGE_F_USER_TIME] += (double)process->cpu_ns * 1e-9;
  record->fcounters[USAGE_F_RUNNABLE_TIME] = record->fcounters[USAGE_F_BLOCKED_TIME] = -1;
}

/* Sets the kernel counters of a rank's record to those of its own processes, without their
 * children. For a rank that many processes share, they are unknown (-1). */
static void set_own(struct darshan_usage_record *record, const struct run_tree *tree,
                    const struct run_rank *rank) {
  int64_t *counters = record->counters;
  for (int i = 0; i < PROCESS_SUMS; i++)
    counters[since_birth[i]] = rank->folded ? -1 : 0;
  if (rank->folded) return; /* the records of its processes are already summed */
  counters[USAGE_STORAGE_START] = 0;
  for (int at = rank->first; at >= 0; at = tree->processes[at].next_of_rank) {
    const struct run_process *process = &tree->processes[at];
    const struct run_usage *told = &process->of_children; /* usage of children without record */
    for (int i = 0; i < PROCESS_SUMS; i++) {
      int64_t *sum = &counters[since_birth[i]];
      *sum = plus(*sum, minus(process->sums[i], process->sums_of_children[i]));
      if (i < 2) *sum = minus(*sum, i ? told->calls_written : told->calls_read);
    }
    counters[USAGE_STORAGE_START] = plus(counters[USAGE_STORAGE_START], process->storage_start);
  }
}

int usage_settle(struct combined *combined, const struct run_tree *tree,
                 const struct run_rank *rank, int number) {
  struct bytes *records = &combined->modules[DARSHAN_MOD_USAGE].records;
  static const struct darshan_usage_record none;
  if (!has_record(tree, rank) || (records->n && records->n != sizeof(none))) return 0;
  if (!records->n && combined_record(combined, DARSHAN_MOD_USAGE, &none, sizeof(none)) < 0)
    return -1;
  struct darshan_usage_record *record = (void *)records->at;
  record->base.id = id_of(number);
  set_own(record, tree, rank);
  if (!rank->folded)
    for (int at = rank->first; at >= 0; at = tree->processes[at].next_of_rank)
      add_told(record, &tree->processes[at]);
  return 0;
}
