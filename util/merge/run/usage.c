/* See usage.h. */
#include "usage.h"

#include <stdio.h>

#include "../../../runtime/format/records.h"
#include "../../../runtime/format/store-modules.h"
#include "record-id.h"

static const int since_birth[PROCESS_SUMS] = {USAGE_CHARS_READ, USAGE_CHARS_WRITTEN,
                                              USAGE_READ_CALLS, USAGE_WRITE_CALLS, USAGE_CANCELLED};

/* Numbers of a stranger's may be any. */
static int64_t plus(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
static int64_t minus(int64_t a, int64_t b) {
  int64_t rest;
  return b < 0 ? a : __builtin_sub_overflow(a, b, &rest) || rest < 0 ? 0 : rest;
}

/* A wait adds what the child had to what its parent has. */
static void take_sum(struct run_tree *tree, struct run_process *process, int i, int64_t value) {
  int64_t more = minus(value, process->sums[i]);
  process->sums[i] = value;
  if (process->parent < 0 || !process->was_reaped || value < 0) return;
  int64_t *of_children = tree->processes[process->parent].sums_of_children;
  of_children[i] = plus(of_children[i], more);
}

static void hear_record(struct run_tree *tree, struct run_process *process,
                        const struct darshan_usage_record *record) {
  const int64_t *counters = record->counters;
  int64_t start = counters[USAGE_STORAGE_START];
  for (int i = 0; i < PROCESS_SUMS; i++)
    take_sum(tree, process, i, counters[since_birth[i]]);
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

static size_t name_of(char name[48], int number) {
  return (size_t)snprintf(name, 48, "<process %d>", number);
}

static uint64_t id_of(int number) {
  char name[48];
  size_t length = name_of(name, number);
  return darshan_hash(name, length, 0);
}

static int has_record(const struct run_tree *tree, const struct run_rank *rank) {
  for (int i = rank->first; i >= 0; i = tree->processes[i].next_of_rank)
    if (tree->processes[i].has_usage) return 1;
  return 0;
}

int usage_name(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
               int number) {
  char name[48];
  name_of(name, number);
  return has_record(tree, rank) ? combined_name(combined, id_of(number), name) : 0;
}

static void set_own(struct darshan_usage_record *record, const struct run_tree *tree,
                    const struct run_rank *rank) {
  int64_t *counters = record->counters;
  for (int i = 0; i < PROCESS_SUMS; i++)
    counters[since_birth[i]] = rank->folded ? -1 : 0;
  if (rank->folded) return; /* what several processes have said is added up already */
  counters[USAGE_STORAGE_START] = 0;
  for (int at = rank->first; at >= 0; at = tree->processes[at].next_of_rank) {
    const struct run_process *process = &tree->processes[at];
    for (int i = 0; i < PROCESS_SUMS; i++) {
      int64_t *sum = &counters[since_birth[i]];
      *sum = plus(*sum, minus(process->sums[i], process->sums_of_children[i]));
    }
    counters[USAGE_STORAGE_START] = plus(counters[USAGE_STORAGE_START], process->storage_start);
  }
}

int usage_settle(struct combined *combined, const struct run_tree *tree,
                 const struct run_rank *rank, int number) {
  struct bytes *records = &combined->modules[DARSHAN_MOD_USAGE].records;
  struct darshan_usage_record *record = (void *)records->at;
  if (!has_record(tree, rank) || records->n != sizeof(*record)) return 0;
  record->base.id = id_of(number);
  set_own(record, tree, rank);
  return 0;
}
