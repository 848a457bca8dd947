/* Makes the PROCESS record of a job's rank from the records of its processes in all logs
 * (rank-records.h). */
#include "rank-records.h"

#include <stdio.h>

#include "../../../runtime/job/text/text.h"
#include "record-id.h"

void process_row_begin(struct process_row *row, const struct job_world *world, int64_t rank) {
  *row = (struct process_row){.world = world, .rank = rank};
}

/* Returns a + b, which wraps if it overflows, because counters are untrusted. */
static int64_t sum(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Stores the record's name, "host: command", and the host at its begin; "" if the host is too
 * long. */
static void set_name(struct process_row *row, const char *name) {
  size_t length = strcspn(name, ":");
  snprintf(row->name, sizeof(row->name), "%s", name);
  snprintf(row->host, sizeof(row->host), "%.*s", (int)(length < LAUNCH_HOST ? length : 0), name);
}

/* Adds a PROCESS record to the sums. The record of the process that started first gives the values
 * that cannot be summed. name: name of the added record. */
static void add(struct process_row *row, const struct darshan_process_record *more,
                const char *name) {
  static const int sums[] = {PROCESS_COUNT,      PROCESS_PROGRAMS,     PROCESS_FAILED,
                             PROCESS_OPENS,      PROCESS_READS,        PROCESS_WRITES,
                             PROCESS_BYTES_READ, PROCESS_BYTES_WRITTEN};
  static const int times[] = {PROCESS_F_READ_TIME, PROCESS_F_WRITE_TIME, PROCESS_F_META_TIME};
  struct darshan_process_record before = row->record, *into = &row->record;
  double start = more->fcounters[PROCESS_F_START_TIMESTAMP];
  double end = more->fcounters[PROCESS_F_END_TIMESTAMP];
  int is_first = before.counters[PROCESS_COUNT] == 0;
  int is_earlier = is_first || start < before.fcounters[PROCESS_F_START_TIMESTAMP];
  if (is_earlier) {
    *into = *more;
    set_name(row, name);
  }
  if (is_first) return;
  const struct darshan_process_record *other = is_earlier ? &before : more;
  for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
    into->counters[sums[i]] = sum(into->counters[sums[i]], other->counters[sums[i]]);
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
    into->fcounters[times[i]] += other->fcounters[times[i]];
  if (is_earlier) end = before.fcounters[PROCESS_F_END_TIMESTAMP];
  if (end > into->fcounters[PROCESS_F_END_TIMESTAMP])
    into->fcounters[PROCESS_F_END_TIMESTAMP] = end;
  into->counters[PROCESS_LAUNCHER] |= other->counters[PROCESS_LAUNCHER];
  into->counters[PROCESS_ENDED] = 0; /* has no value for several processes */
  into->counters[PROCESS_STATUS] = -1;
}

/* Returns the launcher's rank of the parent process; -1 if the parent is not another rank of this
 * launch. parent: its rank in the log. */
static int64_t parent_of(const struct process_row *row, const struct job_log *log, int64_t parent) {
  int64_t rank = job_world_rank(row->world, log, parent);
  return rank == row->rank ? -1 : rank;
}

void process_row_add(struct process_row *row, darshan_log *open, const struct job_log *log,
                     const struct part *part, double shift) {
  for (int i = 0; i < part->count; i++) {
    const struct part_module *from = &part->modules[i];
    if (from->module->id != DARSHAN_MOD_PROCESS) continue;
    for (size_t at = 0; at < from->length; at += sizeof(row->record)) {
      struct darshan_process_record record;
      memcpy(&record, part->records.at + from->at + at, sizeof(record));
      if (job_world_rank(row->world, log, record.base.rank) != row->rank) continue;
      const char *name = darshan_log_name(open, record.base.id);
      if (record.counters[PROCESS_COUNT] <= 0) record.counters[PROCESS_COUNT] = 1;
      record.counters[PROCESS_PARENT_RANK] =
          parent_of(row, log, record.counters[PROCESS_PARENT_RANK]);
      record.fcounters[PROCESS_F_START_TIMESTAMP] += shift;
      record.fcounters[PROCESS_F_END_TIMESTAMP] += shift;
      add(row, &record, name ? name : "?: ?");
    }
  }
}

/* Returns the records of a module in a part, which owns them; empty if it has none. */
static struct bytes records_of(const struct part *part, int id) {
  for (int i = 0; i < part->count; i++)
    if (part->modules[i].module->id == id)
      return (struct bytes){part->records.at + part->modules[i].at, part->modules[i].length, 0};
  return (struct bytes){NULL, 0, 0};
}

int process_row_add_whole(struct process_row *row, darshan_log *open, const struct job_log *log,
                          const struct part *part, double shift) {
  struct darshan_process_record record = {.base = {0, 0}};
  const struct bytes posix = records_of(part, DARSHAN_MOD_POSIX);
  const struct bytes stdio = records_of(part, DARSHAN_MOD_STDIO);
  const struct bytes posix_ext = records_of(part, DARSHAN_MOD_POSIX_EXT);
  const struct bytes stdio_ext = records_of(part, DARSHAN_MOD_STDIO_EXT);
  const struct row_files files = {&posix, &stdio, &posix_ext, &stdio_ext};
  char name[ROW_NAME + 1];
  snprintf(name, sizeof(name), "%s: %.*s", log->launch.host[0] ? log->launch.host : "?",
           ROW_COMMAND, darshan_log_info(open)->exe);
  darshan_utf8_make_clean(name,
                          strlen(name)); /* the name may have been cut within a UTF-8 character */
  record.counters[PROCESS_COUNT] = record.counters[PROCESS_PROGRAMS] = 1;
  record.counters[PROCESS_PID] = log->launch.pid;
  record.counters[PROCESS_PARENT_RANK] = -1;
  record.counters[PROCESS_STATUS] = -1;
  record.counters[PROCESS_WORLD_SIZE] = row->world->size;
  record.counters[PROCESS_LAUNCH] = row->world->launch;
  if (row_sum(&record, &files) < 0) return -1;
  record.fcounters[PROCESS_F_START_TIMESTAMP] = shift;
  record.fcounters[PROCESS_F_END_TIMESTAMP] = shift + (double)(log->end_ns - log->start_ns) * 1e-9;
  add(row, &record, name);
  return 0;
}

int process_row_end(struct process_row *row, struct combined *combined) {
  struct darshan_process_record *record = &row->record;
  if (record->counters[PROCESS_COUNT] == 0) return 0; /* none of the rank's logs was readable */
  record->counters[PROCESS_WORLD_RANK] = row->rank;
  record->base.id = darshan_hash(row->name, strlen(row->name), 0);
  if (combined_name(combined, record->base.id, row->name) < 0) return -1;
  return combined_record(combined, DARSHAN_MOD_PROCESS, record, sizeof(*record));
}
