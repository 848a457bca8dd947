/* Prints rows of records that contain other values than counters. */
#include "apmpi.h"
#include "records.h"
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *lustre_pattern(int64_t pattern) {
  switch (pattern) {
  case 0:
    return "raid0";
  case 2:
    return "mdt";
  case 4:
    return "raid0,overstriped";
  case 8:
    return "foreign";
  default:
    return "N/A";
  }
}

/* Writes the names of the set flags of a Lustre component, separated by commas; "N/A" for -1, "0"
 * if no flag is set. size: bytes of `text`. */
static void lustre_flags(int64_t flags, char *text, size_t size) {
  static const char *const names[] = {"stale",    "prefrd",  "prefwr",    "offline",
                                      "init",     "nosync",  "extension", "parity",
                                      "compress", "partial", "nocompr",   "neg"};
  text[0] = '\0';
  for (size_t i = 0, used = 0; flags != -1 && i < sizeof(names) / sizeof(names[0]); i++)
    if (flags >> i & 1)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", names[i]);
  if (!text[0]) snprintf(text, size, "%s", flags == -1 ? "N/A" : "0");
}

static void lustre_component(struct rows *rows, const struct darshan_lustre_component *component,
                             int64_t number) {
  char counter[96], text[160];
  for (const struct darshan_counter *row = rows->module->counters; row->name[0]; row++) {
    int64_t value = component->counters[row->index];
    snprintf(counter, sizeof(counter), "LUSTRE_COMP%" PRId64 "%s", number,
             row->name + strlen("LUSTRE_COMP"));
    if (row->index == LUSTRE_COMP_STRIPE_PATTERN) {
      rows_text(rows, counter, lustre_pattern(value));
    } else if (row->index == LUSTRE_COMP_FLAGS) {
      lustre_flags(value, text, sizeof(text));
      rows_text(rows, counter, text);
    } else {
      rows_signed(rows, counter, value);
    }
  }
  snprintf(counter, sizeof(counter), "LUSTRE_COMP%" PRId64 "_POOL_NAME", number);
  snprintf(text, sizeof(text), "%.*s", (int)sizeof(component->pool_name), component->pool_name);
  rows_text(rows, counter, text[0] ? text : "N/A");
}

int rows_lustre(struct rows *rows, const struct darshan_lustre_head *head) {
  const struct darshan_lustre_component *components = (const void *)(head + 1);
  const int64_t *osts = (const int64_t *)(components + head->num_comps);
  if (rows_begin_file(rows, &head->base) != 0) return -1;
  rows_signed(rows, "LUSTRE_NUM_COMPONENTS", head->num_comps);
  rows_signed(rows, "LUSTRE_NUM_STRIPES", head->num_stripes);
  for (int64_t i = 0; i < head->num_comps; i++) {
    char counter[96];
    int64_t count = components[i].counters[LUSTRE_COMP_STRIPE_COUNT];
    lustre_component(rows, &components[i], i + 1);
    for (int64_t j = 0; j < count; j++) {
      snprintf(counter, sizeof(counter), "LUSTRE_COMP%" PRId64 "_OST_ID_%" PRId64, i + 1, j);
      rows_signed(rows, counter, *osts++);
    }
  }
  rows_end(rows);
  return 0;
}

static void rows_bins(struct rows *rows, const char *counters, const int64_t *bins, int64_t n) {
  char counter[64];
  for (int64_t i = 0; i < n; i++) {
    snprintf(counter, sizeof(counter), "%s_%" PRId64, counters, i);
    rows_signed(rows, counter, bins[i]);
  }
}

int rows_heatmap(struct rows *rows, const struct darshan_heatmap_head *head) {
  const int64_t *first = (const int64_t *)(head + 1), *second = first + head->nbins;
  static const char *const bytes[] = {"HEATMAP_F_BIN_WIDTH_SECONDS", "HEATMAP_READ_BIN",
                                      "HEATMAP_WRITE_BIN"};
  static const char *const waits[] = {"MPIWAIT_F_BIN_WIDTH_SECONDS", "MPIWAIT_MESSAGE_BIN",
                                      "MPIWAIT_COLLECTIVE_BIN"};
  static const char *const times[] = {"TRAINING_TIME_F_BIN_WIDTH_SECONDS", "TRAINING_TIME_PART_BIN",
                                      "TRAINING_TIME_WHOLE_BIN"};
  const char *const *called = bytes;
  if (rows->module->id == DARSHAN_MOD_MPIWAIT) called = waits;
  if (rows->module->id == DARSHAN_MOD_TRAINING_TIME) called = times;
  if (rows_begin_file(rows, &head->base) != 0) return -1;
  rows_double(rows, called[0], head->bin_width_seconds);
  rows_bins(rows, called[1], second, head->nbins);
  rows_bins(rows, called[2], first, head->nbins);
  rows_end(rows);
  return 0;
}

int rows_mdhim(struct rows *rows, const struct darshan_mdhim_head *head) {
  const int64_t *operations = (const int64_t *)(head + 1);
  int64_t servers = head->counters[MDHIM_SERVERS] > 1 ? head->counters[MDHIM_SERVERS] : 1;
  if (rows_begin_file(rows, &head->base) != 0) return -1;
  rows_counters(rows, head->counters);
  rows_fcounters(rows, head->fcounters);
  for (int64_t i = 0; i < servers; i++) {
    char counter[64];
    snprintf(counter, sizeof(counter), "MDHIM_SERVER_%" PRId64, i);
    rows_signed(rows, counter, operations[i]);
  }
  rows_end(rows);
  return 0;
}

enum { UUID_SIZE = 16, UUID_TEXT = 37 };

/* Writes a UUID in its canonical lower-case form. Returns the end of the text. */
static char *uuid_text(char *to, const unsigned char *uuid) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < UUID_SIZE; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *to++ = '-';
    *to++ = digits[uuid[i] >> 4];
    *to++ = digits[uuid[i] & 15];
  }
  *to = '\0';
  return to;
}

static void container_text(char *to, const unsigned char *pool, const unsigned char *container) {
  to = uuid_text(to, pool);
  *to++ = ':';
  uuid_text(to, container);
}

int rows_dfs(struct rows *rows, const struct darshan_dfs_record *record) {
  static const unsigned char zero[UUID_SIZE];
  char container[2 * UUID_TEXT] = "UNKNOWN";
  if (memcmp(record->pool_uuid, zero, UUID_SIZE) != 0 &&
      memcmp(record->cont_uuid, zero, UUID_SIZE) != 0)
    container_text(container, record->pool_uuid, record->cont_uuid);
  const char *name = darshan_log_name(rows->log, record->base.id);
  if (rows_begin(rows, &record->base, name ? name : "(null)", container, "N/A") != 0) return -1;
  rows_counters(rows, record->counters);
  rows_fcounters(rows, record->fcounters);
  rows_end(rows);
  return 0;
}

int rows_daos(struct rows *rows, const struct darshan_daos_record *record) {
  char container[2 * UUID_TEXT], object[64];
  container_text(container, record->pool_uuid, record->cont_uuid);
  snprintf(object, sizeof(object), "%" PRIu64 ".%" PRIu64, record->oid_hi, record->oid_lo);
  if (rows_begin(rows, &record->base, object, container, "N/A") != 0) return -1;
  rows_counters(rows, record->counters);
  rows_fcounters(rows, record->fcounters);
  rows_end(rows);
  return 0;
}

/* Prints the APMPI head of a log, and stores whether the records of the ranks have synchronization
 * times. Returns 0, or -1 if out of memory. */
static int rows_apmpi_head(struct rows *rows, const struct darshan_apmpi_head *head) {
  rows->apmpi_sync = head->sync != 0;
  if (rows_begin(rows, &head->base, "", "", "") != 0) return -1;
  rows_double(rows, "MPI_TOTAL_COMM_TIME_VARIANCE", head->variance_of_time);
  if (rows->apmpi_sync)
    rows_double(rows, "MPI_TOTAL_COMM_SYNC_TIME_VARIANCE", head->variance_of_sync_time);
  rows_end(rows);
  return 0;
}

int rows_apmpi(struct rows *rows, const struct darshan_apmpi_record *record) {
  const struct darshan_apmpi_head *head = (const void *)record;
  char processor[sizeof(record->processor) + 1];
  if (head->magic == APMPI_MAGIC) return rows_apmpi_head(rows, head);
  if (rows_begin(rows, &record->base, "", "", "") != 0) return -1;
  snprintf(processor, sizeof(processor), "%.*s", (int)sizeof(record->processor), record->processor);
  rows_text(rows, "MPI_PROCESSOR_NAME", processor);
  for (int i = 0; i < APMPI_COUNTERS; i++)
    rows_unsigned(rows, apmpi_counter_names[i], record->counters[i]);
  for (int i = 0; i < APMPI_TIMES; i++)
    rows_double(rows, apmpi_f_mpiop_totaltime_counter_names[i], record->times[i]);
  for (int i = 0; rows->apmpi_sync && i < APMPI_SYNC_TIMES; i++)
    rows_double(rows, apmpi_f_mpiop_synctime_counter_names[i], record->sync_times[i]);
  rows_double(rows, "MPI_TOTAL_COMM_TIME", record->total_time);
  if (rows->apmpi_sync) rows_double(rows, "MPI_TOTAL_COMM_SYNC_TIME", record->total_sync_time);
  rows_end(rows);
  return 0;
}
