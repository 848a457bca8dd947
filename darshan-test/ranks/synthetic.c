#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "merge/merge.h"
#include "record-id.h"
#include "records.h"

enum { NAME_ROOM = 64, SLOTS = 4 };

struct bytes {
  char *at;
  size_t n, room;
};

/* Appends bytes to an array that grows. */
static void append(struct bytes *bytes, const void *more, size_t n) {
  if (n > bytes->room - bytes->n) {
    bytes->room = 2 * (bytes->n + n);
    if (!(bytes->at = realloc(bytes->at, bytes->room))) abort();
  }
  memcpy(bytes->at + bytes->n, more, n);
  bytes->n += n;
}

/* Returns the next random number of the generator splitmix64 (public domain, by Sebastiano Vigna),
 * and advances *state. */
static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* --- which files ------------------------------------------------------------------ */

/* Returns the number of files that a rank may have. */
static int num_files(const struct synthetic *s) {
  return s->shared + s->own + s->part;
}

/* Writes the name of file number `file` of a rank to `out`. Returns the name's length; 0 if this
 * rank does not use the file. */
static int file_name(const struct synthetic *s, int rank, int file, char *out) {
  if (file < s->shared) return snprintf(out, NAME_ROOM, "/data/shared-%d", file);
  file -= s->shared;
  if (file < s->own) return snprintf(out, NAME_ROOM, "/data/own-%d-%d", rank, file);
  file -= s->own;
  /* Neighbours; two distant pairs; every seventh rank; nearly all ranks. */
  int far = s->ranks / 4 + 1;
  const int has[] = {rank / 4 == file % far, rank / 2 % far == file % far, rank % 7 == file % 7,
                     rank != file % s->ranks};
  return has[file % 4] ? snprintf(out, NAME_ROOM, "/data/part-%d", file) : 0;
}

/* --- what a record says -------------------------------------------------------------- */

/* Fills in up to four common values in descending order of their counts, which differ between
 * ranks. width: numbers in one value; state: of next(). */
static void make_top4(int64_t *values, int64_t *counts, int width, uint64_t *state) {
  int64_t count = 40 + (int64_t)(next(state) % 20);
  for (int slot = 0; slot < SLOTS; slot++) {
    int64_t *value = values + slot * width;
    value[0] = 512 * (1 + slot + (int64_t)(next(state) % 3) * SLOTS);
    for (int i = 1; i < width; i++)
      value[i] = (int64_t)(next(state) % 2);
    counts[slot] = count;
    count -= 1 + (int64_t)(next(state) % 9);
    if (next(state) % 8 == 0) return; /* fewer than four */
  }
}

/* Returns a random value that an integer counter may have. */
static int64_t counter_value(const struct darshan_counter *row, uint64_t *state) {
  uint64_t random = next(state);
  if (random % 3 == 0) return 0;
  switch (row->rule) {
  case DARSHAN_RULE_SUM_OR_UNKNOWN:
    return random % 16 == 1 ? -1 : (int64_t)(random >> 40 & 1023);
  case DARSHAN_RULE_OR:
    return 1;
  case DARSHAN_RULE_ANY:
    return 4096; /* must be equal on all ranks */
  case DARSHAN_RULE_SUM:
  case DARSHAN_RULE_MAX:
  case DARSHAN_RULE_COMPANION:
    return (int64_t)(random >> 40);
  default:
    return 0;
  }
}

/* Returns a random value that a floating-point counter may have. */
static double time_value(const struct darshan_counter *row, uint64_t *state) {
  uint64_t random = next(state);
  if (row->rule == DARSHAN_RULE_ANY) return 0.75;
  if (row->rule == DARSHAN_RULE_FASTEST || row->rule == DARSHAN_RULE_SLOWEST ||
      row->rule == DARSHAN_RULE_VARIANCE_TIME || row->rule == DARSHAN_RULE_VARIANCE_BYTES)
    return 0;
  return random % 4 == 0 ? 0 : (double)(random >> 38) / (1 << 20);
}

/* Fills in all counters of a record. */
static void fill_record(const struct darshan_module *module, char *record, uint64_t *state) {
  struct darshan_merge_plan plan;
  darshan_merge_plan_make(&plan, module);
  int64_t *counters = darshan_record_counters(&plan, record);
  double *fcounters = darshan_record_fcounters(&plan, record);
  for (const struct darshan_counter *row = module->counters; row->name[0]; row++)
    if (row->index >= 0) counters[row->index] = counter_value(row, state);
  for (const struct darshan_counter *row = module->fcounters; row->name[0]; row++)
    if (row->index >= 0) fcounters[row->index] = time_value(row, state);
  for (int i = 0; i < module->num_counters;) {
    int first = i;
    while (i < module->num_counters && plan.rules[i] == DARSHAN_RULE_TOP4_VALUE)
      i++;
    if (i > first) make_top4(counters + first, counters + i, (i - first) / SLOTS, state);
    if (i == first) i++;
  }
}

/* Appends a record of LUSTRE. */
static void add_lustre(struct bytes *bytes, uint64_t id, int rank) {
  struct darshan_lustre_head head = {{id, rank}, 1, 1 + (int64_t)(id % 3)};
  struct darshan_lustre_component component = {.pool_name = "pool"};
  component.counters[0] = 1 << 20;
  component.counters[1] = head.num_stripes;
  append(bytes, &head, sizeof(head));
  append(bytes, &component, sizeof(component));
  for (int64_t i = 0; i < head.num_stripes; i++)
    append(bytes, &i, sizeof(i));
}

/* Appends a record of HEATMAP. */
static void add_heatmap(struct bytes *bytes, int rank) {
  static const char name[] = "heatmap:POSIX";
  struct darshan_heatmap_head head = {
      {darshan_hash(name, sizeof(name) - 1, 0), rank}, 0.1, 3, {0, 0}};
  int64_t bins[6] = {1, 2, 3, 4, 5, 6 + rank};
  append(bytes, &head, sizeof(head));
  append(bytes, bins, sizeof(bins));
}

/* --- all of a rank --------------------------------------------------------------------- */

/* Adds the records of a module to the content of a log. */
static void add_part(struct synthetic_content *content, int module, struct bytes *bytes) {
  struct log_part part = {.module = module,
                          .version = (uint32_t)darshan_module_by_id(module)->version,
                          .records = bytes->at,
                          .length = bytes->n};
  content->parts[content->num_parts++] = bytes->at;
  log_content_add(&content->content, &part);
}

/* Adds the records of a module that has one per file. id: of the module. */
static void add_counted(struct synthetic_content *content, const struct synthetic *s, int rank,
                        int id) {
  const struct darshan_module *module = darshan_module_by_id(id);
  struct bytes bytes = {NULL, 0, 0};
  char name[NAME_ROOM], record[4096];
  for (int file = 0; file < num_files(s); file++) {
    int length = file_name(s, rank, file, name);
    /* Some modules have no record of some files. */
    if (length == 0 || (id != DARSHAN_MOD_POSIX && (file + id) % 3 == 0)) continue;
    uint64_t state = ((uint64_t)rank << 32 ^ (uint64_t)file << 8 ^ (uint64_t)id) + 77;
    struct darshan_base_record base = {darshan_hash(name, (size_t)length, 0), rank};
    memset(record, 0, sizeof(record));
    fill_record(module, record, &state);
    memcpy(record, &base, sizeof(base));
    append(&bytes, record, module->record_size);
  }
  add_part(content, id, &bytes);
}

/* Adds the names of a rank's files. */
static void add_names(struct synthetic_content *content, const struct synthetic *s, int rank) {
  static const char heat[] = "heatmap:POSIX";
  struct bytes bytes = {NULL, 0, 0};
  char name[NAME_ROOM];
  for (int file = 0; file < num_files(s); file++) {
    int length = file_name(s, rank, file, name);
    if (length == 0) continue;
    uint64_t id = darshan_hash(name, (size_t)length, 0);
    append(&bytes, &id, sizeof(id));
    append(&bytes, name, (size_t)length + 1);
  }
  if (!s->posix_alone) {
    uint64_t id = darshan_hash(heat, sizeof(heat) - 1, 0);
    append(&bytes, &id, sizeof(id));
    append(&bytes, heat, sizeof(heat));
  }
  content->names = bytes.at;
  content->content.names = bytes.at;
  content->content.names_length = bytes.n;
}

void synthetic_make(struct synthetic_content *content, const struct synthetic *s, int rank) {
  static const int modules[] = {DARSHAN_MOD_MPIIO,       DARSHAN_MOD_H5F,
                                DARSHAN_MOD_H5D,         DARSHAN_MOD_PNETCDF_FILE,
                                DARSHAN_MOD_PNETCDF_VAR, DARSHAN_MOD_STDIO,
                                DARSHAN_MOD_POSIX_EXT,   DARSHAN_MOD_H5_META,
                                DARSHAN_MOD_LAYERS,      DARSHAN_MOD_STDIO_EXT};
  memset(content, 0, sizeof(*content));
  add_names(content, s, rank);
  add_counted(content, s, rank, DARSHAN_MOD_POSIX);
  if (s->posix_alone) return;
  for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
    add_counted(content, s, rank, modules[i]);
  struct bytes lustre = {NULL, 0, 0}, heat = {NULL, 0, 0};
  char name[NAME_ROOM];
  for (int file = 0; file < num_files(s); file += 2) {
    int length = file_name(s, rank, file, name);
    if (length) add_lustre(&lustre, darshan_hash(name, (size_t)length, 0), rank);
  }
  add_part(content, DARSHAN_MOD_LUSTRE, &lustre);
  add_heatmap(&heat, rank);
  add_part(content, DARSHAN_MOD_HEATMAP, &heat);
}

void synthetic_free(struct synthetic_content *content) {
  for (int i = 0; i < content->num_parts; i++)
    free(content->parts[i]);
  free(content->names);
}
