/* Converts records, and the job data of a log, to rows. */
#include "columns.h"
#include "records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = ROW_HEAD, BASE_WORDS = sizeof(struct darshan_base_record) / 8 };

bool rows_are_known(const struct darshan_module *module, int flags) {
  if (!module) return false;
  switch (module->kind) {
  case DARSHAN_KIND_COUNTERS:
  case DARSHAN_KIND_FILE_COUNTERS:
  case DARSHAN_KIND_DFS:
  case DARSHAN_KIND_DAOS:
  case DARSHAN_KIND_HEATMAP:
  case DARSHAN_KIND_LUSTRE:
  case DARSHAN_KIND_MDHIM:
  case DARSHAN_KIND_APMPI:
    return true;
  case DARSHAN_KIND_DXT:
    return flags & DARSHAN_BATCH_TRACES;
  default:
    return false;
  }
}

void row_begin(darshan_batch *batch, uint64_t *row) {
  struct darshan_base_record base;
  memcpy(&base, batch->record, sizeof(base));
  const char *name = darshan_log_name(batch->log, base.id);
  int mount = name ? darshan_log_mount(batch->log, name) : -1;
  const struct darshan_mount *mounts = darshan_log_info(batch->log)->mounts;
  row[0] = (uint64_t)batch->log_number;
  row[1] = base.id;
  row[2] = (uint64_t)base.rank;
  row[3] = batch_text(batch, name);
  row[4] = batch_text(batch, mount < 0 ? NULL : mounts[mount].path);
  row[5] = batch_text(batch, mount < 0 ? NULL : mounts[mount].type);
}

static bool counters_row(darshan_batch *batch, struct table *table) {
  uint64_t *row = batch_row(batch, table);
  if (!row) return false;
  row_begin(batch, row);
  size_t words = (size_t)table->words - HEAD;
  memcpy(row + HEAD, (const uint64_t *)batch->record + BASE_WORDS, words * 8);
  return true;
}

/* Returns the value of a bin as the word of a row. The bins of MPIWAIT (ns) and TRAINING_TIME (ms)
 * become doubles in seconds; those of heat maps stay integers in bytes. */
static uint64_t bin_bits(const struct darshan_module *module, int64_t value) {
  if (module->id == DARSHAN_MOD_MPIWAIT) return row_bits((double)value * 1e-9);
  if (module->id == DARSHAN_MOD_TRAINING_TIME) return row_bits((double)value * 1e-3);
  return (uint64_t)value;
}

/* Makes a row for each bin of a heat map that is not 0. Returns false if the batch is full or
 * memory is exhausted. */
static bool heatmap_rows(darshan_batch *batch, struct table *table) {
  struct darshan_heatmap_head head;
  memcpy(&head, batch->record, sizeof(head));
  const int64_t *written =
      (const int64_t *)((const struct darshan_heatmap_head *)batch->record + 1);
  const int64_t *read = written + head.nbins;
  for (; batch->row_of_record < head.nbins; batch->row_of_record++) {
    int64_t i = batch->row_of_record;
    if (read[i] == 0 && written[i] == 0) continue;
    uint64_t *row = batch_is_full(batch) ? NULL : batch_row(batch, table);
    if (!row) return false;
    row_begin(batch, row);
    row[HEAD] = (uint64_t)i;
    row[HEAD + 1] = row_bits(head.bin_width_seconds);
    row[HEAD + 2] = row_bits((double)i * head.bin_width_seconds);
    row[HEAD + 3] = bin_bits(batch->module, read[i]);
    row[HEAD + 4] = bin_bits(batch->module, written[i]);
  }
  return true;
}

/* Makes a row for each read and write of a trace, writes first. Returns false if the batch is full
 * or memory is exhausted. */
static bool segment_rows(darshan_batch *batch, struct table *table) {
  struct darshan_dxt_head head;
  memcpy(&head, batch->record, sizeof(head));
  const struct darshan_dxt_segment *segments =
      (const struct darshan_dxt_segment *)((const struct darshan_dxt_head *)batch->record + 1);
  char host[sizeof(head.hostname) + 1] = "";
  memcpy(host, head.hostname, sizeof(head.hostname));
  uint64_t first[HEAD + 1] = {0};
  row_begin(batch, first);
  first[HEAD] = batch_text(batch, host);
  for (; batch->row_of_record < head.write_count + head.read_count; batch->row_of_record++) {
    uint64_t *row = batch_is_full(batch) ? NULL : batch_row(batch, table);
    if (!row) return false;
    const struct darshan_dxt_segment *segment = segments + batch->row_of_record;
    memcpy(row, first, sizeof(first));
    row[HEAD + 1] = batch->row_of_record < head.write_count;
    row[HEAD + 2] = (uint64_t)segment->offset;
    row[HEAD + 3] = (uint64_t)segment->length;
    row[HEAD + 4] = row_bits(segment->start_time);
    row[HEAD + 5] = row_bits(segment->end_time);
    row[HEAD + 6] = segment->pthread_id;
  }
  return true;
}

/* Returns the index of a text that lists numbers of targets or servers, for example "3,0,1"; -1 if
 * out of memory. Lists only the first 65,536 numbers, more than any file system has, so that a
 * corrupt record with millions of targets does not make a string of megabytes. */
static uint64_t numbers(darshan_batch *batch, const int64_t *values, int64_t count) {
  enum { LONGEST = 21, MOST = 65536 };
  if (count > MOST) count = MOST;
  char *text = malloc(LONGEST * (size_t)count + 1), *end = text;
  if (!text) {
    batch->failed = true;
    return UINT64_MAX;
  }
  *end = '\0';
  for (int64_t i = 0; i < count; i++)
    end += snprintf(end, LONGEST + 1, "%s%" PRId64, i ? "," : "", values[i]);
  uint64_t place = batch_text(batch, text);
  free(text);
  return place;
}

static bool mdhim_row(darshan_batch *batch, struct table *table) {
  const struct darshan_mdhim_head *head = batch->record;
  int64_t servers = head->counters[MDHIM_SERVERS] > 1 ? head->counters[MDHIM_SERVERS] : 1;
  uint64_t *row = batch_row(batch, table);
  if (!row) return false;
  row_begin(batch, row);
  memcpy(row + HEAD, head->counters, 8 * (MDHIM_NUM_COUNTERS + MDHIM_NUM_FCOUNTERS));
  row[HEAD + MDHIM_NUM_COUNTERS + MDHIM_NUM_FCOUNTERS] =
      numbers(batch, (const int64_t *)(head + 1), servers);
  return true;
}

/* Makes a row for each component of a file's Lustre layout. Returns false if the batch is full or
 * memory is exhausted. */
static bool component_rows(darshan_batch *batch, struct table *table) {
  struct darshan_lustre_head head;
  memcpy(&head, batch->record, sizeof(head));
  const struct darshan_lustre_component *components =
      (const struct darshan_lustre_component *)((const struct darshan_lustre_head *)batch->record +
                                                1);
  const int64_t *osts = (const int64_t *)(components + head.num_comps);
  int64_t next = 0;
  for (int64_t i = 0; i < head.num_comps; i++) {
    const struct darshan_lustre_component *one = components + i;
    int64_t count = one->counters[LUSTRE_COMP_STRIPE_COUNT];
    if (count < 0 || count > head.num_stripes - next) count = 0;
    if (i == batch->row_of_record) {
      uint64_t *row = batch_is_full(batch) ? NULL : batch_row(batch, table);
      if (!row) return false;
      char pool[sizeof(one->pool_name) + 1] = "";
      memcpy(pool, one->pool_name, sizeof(one->pool_name));
      row_begin(batch, row);
      row[HEAD] = (uint64_t)i;
      memcpy(row + HEAD + 1, one->counters, sizeof(one->counters));
      row[HEAD + 1 + LUSTRE_COMP_NUM_COUNTERS] = batch_text(batch, pool);
      row[HEAD + 2 + LUSTRE_COMP_NUM_COUNTERS] = numbers(batch, osts + next, count);
      batch->row_of_record++;
    }
    next += count;
  }
  return true;
}

bool rows_of_record(darshan_batch *batch) {
  struct table *table = batch_table(batch, DARSHAN_TABLE_RECORDS, batch->module->id);
  if (!table) return false;
  switch (batch->module->kind) {
  case DARSHAN_KIND_HEATMAP:
    return heatmap_rows(batch, table);
  case DARSHAN_KIND_DXT:
    return segment_rows(batch, table);
  case DARSHAN_KIND_LUSTRE:
    return component_rows(batch, table);
  case DARSHAN_KIND_MDHIM:
    return mdhim_row(batch, table);
  case DARSHAN_KIND_APMPI:
    return call_rows(batch, table);
  default:
    return counters_row(batch, table);
  }
}

void row_of_total(darshan_batch *batch) {
  struct table *table = batch_table(batch, DARSHAN_TABLE_TOTALS, batch->module->id);
  uint64_t *row = table ? batch_row(batch, table) : NULL;
  if (!row) return;
  row[0] = (uint64_t)batch->log_number;
  row[1] = (uint64_t)batch->num_records;
  size_t words = (size_t)table->words - 2;
  memcpy(row + 2, batch->total_record + batch->plan.counters_at / 8, words * 8);
}

/* Returns the index of a text that lists the partial modules of a log, for example
 * "POSIX,STDIO". */
static uint64_t partial_modules(darshan_batch *batch, const struct darshan_info *info) {
  char text[4096] = "";
  size_t used = 0;
  for (int i = 0; i < info->num_modules; i++) {
    const struct darshan_module_region *region = &info->modules[i];
    if (!region->partial || used >= sizeof(text) - 1) continue;
    const char *name = region->name ? region->name : "?";
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? "," : "", name);
  }
  return batch_text(batch, text);
}

/* Returns the index of a text with the metadata of a log, one line key=value each. */
static uint64_t metadata(darshan_batch *batch, const struct darshan_info *info) {
  char text[2 * DARSHAN_JOB_METADATA_LEN + 2] = "";
  size_t used = 0;
  for (int i = 0; i < info->num_metadata && used < sizeof(text) - 1; i++)
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s=%s\n", info->metadata[i].key,
                             info->metadata[i].value);
  return batch_text(batch, text);
}

void row_of_log(darshan_batch *batch) {
  struct table *table = batch_table(batch, DARSHAN_TABLE_LOGS, -1);
  uint64_t *row = table ? batch_row(batch, table) : NULL;
  if (!row) return;
  const struct darshan_info *info = darshan_log_info(batch->log);
  const struct darshan_job *job = &info->job;
  const uint64_t values[] = {(uint64_t)batch->log_number,
                             batch_text(batch, info->version),
                             batch_text(batch, info->exe),
                             metadata(batch, info),
                             partial_modules(batch, info),
                             batch_text(batch, info->annex_problem),
                             (uint64_t)info->swapped,
                             (uint64_t)info->compression,
                             (uint64_t)job->uid,
                             (uint64_t)job->start_time_sec,
                             (uint64_t)job->start_time_nsec,
                             (uint64_t)job->end_time_sec,
                             (uint64_t)job->end_time_nsec,
                             (uint64_t)job->nprocs,
                             (uint64_t)job->jobid,
                             row_bits(info->run_time)};
  memcpy(row, values, sizeof(values));
}
