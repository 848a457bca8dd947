/* Converts old record versions. The tables of counters give the new index of each 64-bit word. */
#include "../bytes.h"
#include "../reader.h"
#include "records.h"

#include <string.h>

#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes)                                        \
  static_assert((bytes) / 8 <= DARSHAN_WORDS_MAX, "room for a record of " name);
#include "modules.def"

static bool has_fixed_layout(enum darshan_kind kind) {
  return kind == DARSHAN_KIND_COUNTERS || kind == DARSHAN_KIND_FILE_COUNTERS ||
         kind == DARSHAN_KIND_DFS || kind == DARSHAN_KIND_DAOS;
}

static bool is_in_version(const struct darshan_counter *row, int version) {
  return row->since <= version && (row->last == 0 || version <= row->last);
}

static uint64_t word_of_double(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof(word));
  return word;
}

/* Maps the counters that this version contains, and sets the initial values of the counters that it
 * lacks. rows: the module's counter table, which ends with an empty name. word, target: index of
 * the first counter's word in the old and in the newest record. doubles: the counters are doubles.
 * Returns the index of the word after the counters in the old record. */
static size_t map_counters(struct darshan_layout *layout, const struct darshan_counter *rows,
                           size_t word, size_t target, int version, bool doubles) {
  for (const struct darshan_counter *row = rows; row->name[0]; row++) {
    size_t place = target + (size_t)row->index;
    if (is_in_version(row, version))
      layout->target[word++] = row->index < 0 ? -1 : (int16_t)place;
    else if (row->index >= 0)
      layout->initial[place] = doubles ? word_of_double(row->absent) : (uint64_t)row->absent;
  }
  return word;
}

/* Returns the index of a retired counter's word in records of this version; -1 if the records lack
 * it. first: index of the first counter's word. */
static int word_of_retired(const struct darshan_module *module, const char *name, size_t first,
                           int version) {
  int word = (int)first;
  for (const struct darshan_counter *row = module->counters; row->name[0]; row++) {
    if (!is_in_version(row, version)) continue;
    if (row->index < 0 && strcmp(row->name, name) == 0) return word;
    word++;
  }
  return -1;
}

/* Maps counters of POSIX and PNETCDF_FILE whose meaning has changed. first, target: index of the
 * first counter in the old and in the newest record. */
static void map_exceptions(struct darshan_layout *layout, const struct darshan_module *module,
                           size_t first, size_t target, int version) {
  if (module->id == DARSHAN_MOD_POSIX) /* records of streams are now in the STDIO module */
    layout->skip_if_positive = word_of_retired(module, "POSIX_FOPENS", first, version);
  if (module->id != DARSHAN_MOD_PNETCDF_FILE) return;
  int independent = word_of_retired(module, "PNETCDF_FILE_INDEP_OPENS", first, version);
  if (independent < 0) return;
  layout->addend_target = (int)target + PNETCDF_FILE_OPENS;
  layout->target[independent] = (int16_t)layout->addend_target;
  layout->addend = word_of_retired(module, "PNETCDF_FILE_COLL_OPENS", first, version);
}

int darshan_layout_make(struct darshan_layout *layout, const struct darshan_module *module,
                        int version, struct darshan_error *error) {
  if (version < 1 || version > module->version)
    return darshan_fail(error,
                        "record version %d is not supported; this release reads up to version %d",
                        version, module->version);
  if (!has_fixed_layout(module->kind))
    return darshan_fail(error, "records of variable size have no common layout");
  memset(layout, 0, sizeof(*layout));
  layout->skip_if_positive = layout->addend = -1;
  layout->newest = version == module->version;
  size_t word = 0, target = 2;
  for (; word < target; word++)
    layout->target[word] = (int16_t)word;
  bool has_file_id = module->kind == DARSHAN_KIND_FILE_COUNTERS;
  bool file_id_in_file = has_file_id && !(module->id == DARSHAN_MOD_H5D && version < 2);
  if (file_id_in_file) layout->target[word++] = (int16_t)target;
  if (has_file_id) target++;
  if (module->id == DARSHAN_MOD_BGQ && version < 2)
    layout->target[word++] = -1; /* alignment and padding */
  size_t first = word;
  word = map_counters(layout, module->counters, word, target, version, false);
  map_exceptions(layout, module, first, target, version);
  target += (size_t)module->num_counters;
  word = map_counters(layout, module->fcounters, word, target, version, true);
  target += (size_t)module->num_fcounters;
  if (module->kind == DARSHAN_KIND_DFS || module->kind == DARSHAN_KIND_DAOS) {
    layout->bytes_at = word; /* two UUIDs */
    layout->num_bytes = 4;
  }
  for (; target < module->record_size / 8; target++)
    layout->target[word++] = (int16_t)target;
  layout->words = word;
  return 0;
}

void darshan_layout_convert(const struct darshan_layout *layout, const uint64_t *record,
                            uint64_t *out, size_t out_words) {
  memcpy(out, layout->initial, out_words * sizeof(*out));
  for (size_t i = 0; i < layout->words; i++)
    if (layout->target[i] >= 0) out[layout->target[i]] = record[i];
  if (layout->addend >= 0) out[layout->addend_target] += record[layout->addend];
}
