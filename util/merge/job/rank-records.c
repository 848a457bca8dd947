/* Reads the records of one rank of a job from all logs that contain the rank (rank-records.h). The
 * launcher's rank numbers replace a log's own numbers. A shared record belongs to the launcher's
 * rank whose processes made it. If several ranks made it, the record belongs to the lowest of them
 * and stays shared. */
#include "rank-records.h"

#include <stdio.h>

#include "../../../runtime/format/records.h"
#include "record-id.h"

/* Returns a key for the maps: one number from module and record id. */
static uint64_t key_of(int module, uint64_t id) {
  return id ^ ((uint64_t)(module + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* --- a log in memory ------------------------------------------------------------------------ */

static const struct part_module *module_of(const struct part *part, int id) {
  for (int i = 0; i < part->count; i++)
    if (part->modules[i].module->id == id) return &part->modules[i];
  return NULL;
}

/* Fills records->shared with the SHARED records of the log in memory. Returns 0, or -1 if out of
 * memory. */
static int index_shared(struct rank_records *records) {
  const struct part_module *rows = module_of(&records->all, DARSHAN_MOD_SHARED);
  map_clear(&records->shared);
  for (size_t at = 0; rows && at < rows->length; at += sizeof(struct darshan_shared_record)) {
    const struct darshan_shared_record *row =
        (const void *)(records->all.records.at + rows->at + at);
    int64_t module = row->counters[SHARED_MODULE];
    if (module < 0 || module >= PART_MODULES) continue;
    int64_t *place = map_at(&records->shared, key_of((int)module, row->base.id));
    if (!place) return -1;
    *place = (int64_t)(rows->at + at);
  }
  return 0;
}

static void unload(struct rank_records *records) {
  if (records->open) darshan_log_free(records->open);
  records->open = NULL;
  records->loaded = NULL;
}

/* Reads a log unless it is already in memory. Returns 1 if it is in memory, 0 if it is unreadable,
 * -1 if out of memory. */
static int load(struct rank_records *records, struct job_log *log) {
  struct darshan_error error = {""};
  if (log->left_out) return 0;
  if (records->loaded == log) return 1;
  unload(records);
  records->open = darshan_log_read(log->path, &error);
  if (!records->open || part_read(&records->all, records->open, &error) < 0) {
    job_log_leave_out(records->logs, log, error.text);
    unload(records);
    return 0;
  }
  records->loaded = log;
  memset(records->range, 0, sizeof(records->range)); /* discards the range of the previous log */
  return index_shared(records) < 0 ? -1 : 1;
}

/* --- owners of a record --------------------------------------------------------------------- */

struct users { /* processes that share a record, from its SHARED row; without row, all of the log */
  int64_t count, lowest, highest; /* their number; ranks in the log */
};

static struct users users_of(const struct rank_records *records, int module, uint64_t id) {
  const struct job_log *log = records->loaded;
  int64_t at = map_get(&records->shared, key_of(module, id));
  struct users all = {log->num_units, 0, log->num_units - 1};
  if (at < 0) return all;
  const struct darshan_shared_record *row = (const void *)(records->all.records.at + at);
  struct users some = {row->counters[SHARED_RANKS], row->counters[SHARED_LOWEST_RANK],
                       row->counters[SHARED_HIGHEST_RANK]};
  int is_sound = some.lowest >= 0 && some.highest < log->num_units && some.lowest <= some.highest;
  return is_sound ? some : all;
}

/* Computes the span of the launcher's ranks of these processes: the number of ranks, the lowest and
 * the highest. Only the lowest and the highest of the processes are known. So with more than two of
 * them, every rank between these two counts, but not more ranks than there are processes. Stores
 * the span in records->span. Returns 0, or -1 if out of memory. */
static int count_ranks(struct rank_records *records, const struct users *users) {
  struct rank_span *span = &records->span;
  *span = (struct rank_span){0, INT32_MAX, -1};
  map_clear(&records->seen);
  for (int64_t at = users->lowest; at <= users->highest; at++) {
    int64_t rank = job_world_rank(records->world, records->loaded, at);
    if (users->count == 2 && at != users->lowest && at != users->highest) continue;
    if (rank < 0) continue;
    int64_t *known = map_at(&records->seen, (uint64_t)rank);
    if (!known) return -1;
    if (*known >= 0) continue;
    *known = span->ranks++;
    if (rank < span->lowest) span->lowest = (int32_t)rank;
    if (rank > span->highest) span->highest = (int32_t)rank;
  }
  if (span->ranks > users->count && users->count > 1) span->ranks = (uint32_t)users->count;
  return 0;
}

/* Finds the launcher's ranks that made a record together. Reuses the previous result if the record
 * has the same users, as most records have. Returns 1; 0 if the ranks are not of this job; -1 if
 * out of memory. */
static int span_of(struct rank_records *records, int module, uint64_t id, struct rank_span *span) {
  struct users users = users_of(records, module, id);
  int64_t range[3] = {users.count, users.lowest, users.highest};
  if (memcmp(range, records->range, sizeof(range)) != 0) {
    if (count_ranks(records, &users) < 0) return -1;
    memcpy(records->range, range, sizeof(range));
  }
  *span = records->span;
  return span->ranks > 0;
}

/* Stores the span of a record of the current rank, or widens the stored one. Returns 0, or -1 if
 * out of memory. */
static int note_span(struct rank_records *records, int module, uint64_t id,
                     const struct rank_span *span) {
  int64_t *place = map_at(&records->spans, key_of(module, id));
  if (!place) return -1;
  if (*place < 0) {
    struct rank_span *more = list_more((void **)&records->span_list, records->num_spans,
                                       &records->room_spans, sizeof(*more));
    if (!more) return -1;
    *place = (int64_t)records->num_spans++;
    *more = *span;
    return 0;
  }
  struct rank_span *known = &records->span_list[*place];
  if (span->ranks > known->ranks) known->ranks = span->ranks;
  if (span->lowest < known->lowest) known->lowest = span->lowest;
  if (span->highest > known->highest) known->highest = span->highest;
  return 0;
}

/* Converts the fastest and slowest rank of a record to the launcher's rank numbers; a rank of
 * another job becomes 0. If a single rank made the record (is_one 1), clears both, with their bytes
 * and seconds, and the variances. */
static void name_extremes(const struct rank_records *records, const struct darshan_module *module,
                          void *record, int is_one) {
  struct darshan_merge_plan plan;
  if (!darshan_merge_plan_of(&plan, module->id)) return;
  int64_t *counters = darshan_record_counters(&plan, record);
  double *fcounters = darshan_record_fcounters(&plan, record);
  const struct darshan_extreme_places *const both[] = {&plan.fastest, &plan.slowest};
  for (int i = 0; i < 2; i++) {
    if (both[i]->rank < 0) continue;
    int64_t rank = job_world_rank(records->world, records->loaded, counters[both[i]->rank]);
    counters[both[i]->rank] = is_one || rank < 0 ? 0 : rank;
    if (is_one && both[i]->bytes >= 0) counters[both[i]->bytes] = 0;
    if (is_one && both[i]->time >= 0) fcounters[both[i]->time] = 0;
  }
  if (is_one && plan.variance_time >= 0) fcounters[plan.variance_time] = 0;
  if (is_one && plan.variance_bytes >= 0) fcounters[plan.variance_bytes] = 0;
}

/* Returns 1 if the record belongs to the rank, 0 if not, -1 if out of memory. A record of several
 * ranks belongs to the lowest of them, and the span of these ranks is stored. */
static int is_own(struct rank_records *records, const struct darshan_module *module, char *record) {
  const struct darshan_base_record *base = (const void *)record;
  struct rank_span span;
  if (base->rank >= 0)
    return job_world_rank(records->world, records->loaded, base->rank) == records->rank;
  int found = span_of(records, module->id, base->id, &span);
  if (found <= 0 || span.lowest != records->rank) return found < 0 ? -1 : 0;
  if (span.ranks > 1 && note_span(records, module->id, base->id, &span) < 0) return -1;
  return 1;
}

/* Adds the name of a record to records->combined, if the log has it. Returns 0, or -1 if out of
 * memory. */
static int take_name(struct rank_records *records, uint64_t id) {
  const char *name = darshan_log_name(records->open, id);
  return name ? combined_name(&records->combined, id, name) : 0;
}

/* Copies the rank's records of a module, and their names, from records->all to records->own. Skips
 * SHARED and PROCESS records. Returns 0, or -1 if out of memory. */
static int take_module(struct rank_records *records, const struct part_module *from) {
  struct part *own = &records->own;
  struct part_module *into = &own->modules[own->count++];
  *into = (struct part_module){from->module, from->partial, own->records.n, 0};
  int id = from->module->id;
  if (id == DARSHAN_MOD_SHARED || id == DARSHAN_MOD_PROCESS) return 0;
  for (size_t at = 0, size; at < from->length; at += size) {
    char *record = records->all.records.at + from->at + at;
    uint64_t file = ((const struct darshan_base_record *)(const void *)record)->id;
    size = part_record_size(from, record);
    if (size == 0 || size > from->length - at) break;
    int mine = is_own(records, from->module, record);
    if (mine < 0) return -1;
    if (!mine) continue;
    size_t begin = own->records.n;
    if (bytes_add(&own->records, record, size) < 0 || take_name(records, file) < 0) return -1;
    struct rank_span span;
    if (((const struct darshan_base_record *)(const void *)record)->rank < 0)
      name_extremes(records, from->module, own->records.at + begin,
                    !rank_records_span(records, id, file, &span));
  }
  into->length = own->records.n - into->at;
  return 0;
}

/* --- all records ---------------------------------------------------------------------------- */

/* Adds the rank's records from one log to records->combined, and its processes to `row`. Returns 0,
 * also for an unreadable log, or -1 if out of memory. */
static int take_log(struct rank_records *records, struct job_log *log, struct process_row *row) {
  struct job_world *world = records->world;
  struct combine_clock clock = {.grid = records->grid,
                                .shift = (double)(log->start_ns - world->start_ns) * 1e-9,
                                .end = (double)(log->end_ns - world->start_ns) * 1e-9};
  int is_there = load(records, log);
  if (is_there <= 0) return is_there;
  records->own.count = 0;
  records->own.records.n = 0;
  for (int i = 0; i < records->all.count; i++)
    if (take_module(records, &records->all.modules[i]) < 0) return -1;
  if (!log->is_whole)
    process_row_add(row, records->open, log, &records->all, clock.shift);
  else if (process_row_add_whole(row, records->open, log, &records->own, clock.shift) < 0)
    return -1;
  return combined_add(&records->combined, &records->own, &clock);
}

/* Returns 1 if the log contains the current rank, otherwise 0. */
static int knows(const struct rank_records *records, const struct job_log *log) {
  for (int64_t i = 0; i < log->num_units; i++)
    if (job_world_rank(records->world, log, i) == records->rank) return 1;
  return 0;
}

/* Sets the rank to -1 in records that several ranks made. */
static void mark_spans(struct rank_records *records) {
  for (int id = 0; records->num_spans && id < PART_MODULES; id++) {
    struct bytes *bytes = &records->combined.modules[id].records;
    struct darshan_merge_plan plan;
    struct rank_span span;
    if (!bytes->n || !darshan_merge_plan_of(&plan, id)) continue;
    for (size_t at = 0; at < bytes->n; at += plan.record_size) {
      struct darshan_base_record *base = (void *)(bytes->at + at);
      if (rank_records_span(records, id, base->id, &span)) base->rank = -1;
    }
  }
}

int rank_records_take(struct rank_records *records, int64_t rank) {
  struct process_row row;
  records->rank = rank;
  records->num_spans = 0;
  map_clear(&records->spans);
  combined_clear(&records->combined);
  process_row_begin(&row, records->world, rank);
  for (size_t i = 0; i < records->world->num_logs; i++)
    if (knows(records, records->world->logs[i]) &&
        take_log(records, records->world->logs[i], &row) < 0)
      return -1;
  snprintf(records->host, sizeof(records->host), "%s", row.host);
  const char *command = strstr(row.name, ": ");
  for (const char *next = command; next;
       next = strstr(next + 1, " -> ")) /* the text after the last arrow is the last program */
    command = next == command ? command + 2 : next + 4;
  snprintf(records->command, sizeof(records->command), "%s", command ? command : "");
  records->start = row.record.fcounters[PROCESS_F_START_TIMESTAMP];
  if (process_row_end(&row, &records->combined) < 0) return -1;
  if (combined_finish(&records->combined, rank) < 0) return -1;
  mark_spans(records);
  return 0;
}

int rank_records_span(const struct rank_records *records, int module, uint64_t id,
                      struct rank_span *span) {
  int64_t at = records->num_spans ? map_get(&records->spans, key_of(module, id)) : -1;
  if (at < 0) return 0;
  *span = records->span_list[at];
  return 1;
}

void rank_records_free(struct rank_records *records) {
  unload(records);
  combined_free(&records->combined);
  part_free(&records->all);
  part_free(&records->own);
  map_free(&records->shared);
  map_free(&records->seen);
  map_free(&records->spans);
  free(records->span_list);
}
