/* Reads logs of one run into a summary that fits on a terminal (summary.h). */
#define _GNU_SOURCE
#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "../message.h"
#include "modules/daos/records.h"
#include "records.h"
#include "store-modules.h"
#include "unattributed.h"

void picture_init(struct picture *picture) {
  memset(picture, 0, sizeof(*picture));
  id_table_init(&picture->files, sizeof(struct picture_file));
  id_table_init(&picture->renamed, sizeof(struct renamed));
  id_table_init(&picture->groups, sizeof(struct picture_group));
  id_table_init(&picture->epochs.loops, sizeof(double));
  datasets_init(&picture->datasets);
  programs_init(&picture->programs);
}

static void free_file(struct picture_file *file) {
  free(file->name);
  free(file->was);
}

void picture_free(struct picture *picture) {
  for (size_t i = 0; i < picture->files.count; i++)
    free_file(id_table_value(&picture->files, i));
  id_table_free(&picture->files);
  id_table_free(&picture->renamed);
  id_table_free(&picture->groups);
  id_table_free(&picture->epochs.loops);
  datasets_free(&picture->datasets);
  programs_free(&picture->programs);
  for (int i = 0; i < picture->num_layers; i++) {
    free(picture->layers[i].total);
    id_table_free(&picture->layers[i].files);
  }
  for (int i = 0; i < PICTURE_MISSED; i++)
    free(picture->not_found[i]);
  free(picture->not_found_by);
  free(picture->command);
}

int picture_is_bottom(const struct darshan_merge_plan *plan) {
  int id = plan->module->id;
  return id == DARSHAN_MOD_POSIX || id == DARSHAN_MOD_STDIO || id == DARSHAN_MOD_DFS;
}

/* Adds a counter to a sum. Counters are untrusted: the sum stops at INT64_MAX, and unknown
 * (negative) values are ignored. */
static void add(int64_t *sum, int64_t value) {
  if (value > 0 && __builtin_add_overflow(*sum, value, sum)) *sum = INT64_MAX;
}

/* Returns the number of calls of a record: the sum of its counters READS, INDEP_READS, COLL_READS
 * and so on. word: "READS" or "WRITES". Does not include counters such as SEQ_READS, which count
 * calls with a property. */
static int64_t calls(const struct darshan_merge_plan *plan, const void *record, const char *word) {
  static const char *const kinds[] = {"", "INDEP_", "COLL_", "SPLIT_", "NB_"};
  const struct darshan_counter *counter = plan->module->counters;
  const int64_t *values = darshan_record_counters(plan, record);
  int64_t sum = 0;
  for (; counter->name[0]; counter++) {
    size_t prefix = strcspn(counter->name, "_") + 1;
    if (plan->module->id == DARSHAN_MOD_PNETCDF_VAR) prefix = sizeof("PNETCDF_VAR");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
      size_t n = strlen(kinds[i]);
      if (counter->index >= 0 && strncmp(counter->name + prefix, kinds[i], n) == 0 &&
          strcmp(counter->name + prefix + n, word) == 0)
        add(&sum, values[counter->index]);
    }
  }
  return sum;
}

/* Returns the number of read calls (write: 0) or write calls (write: 1) of a DAOS record, including
 * asynchronous ones. Its counters have other names than those that `calls` adds. */
static int64_t calls_of_daos(const struct darshan_merge_plan *plan, const void *record, int write) {
  static const int dfs[2][3] = {{DFS_READS, DFS_READXS, -1}, {DFS_WRITES, DFS_WRITEXS, -1}};
  static const int daos[2][3] = {{DAOS_OBJ_FETCHES, DAOS_ARRAY_READS, DAOS_KV_GETS},
                                 {DAOS_OBJ_UPDATES, DAOS_ARRAY_WRITES, DAOS_KV_PUTS}};
  const int *counters = plan->module->id == DARSHAN_MOD_DFS ? dfs[write] : daos[write];
  const int64_t *values = darshan_record_counters(plan, record);
  int64_t sum = 0;
  for (int i = 0; i < 3 && counters[i] >= 0; i++)
    add(&sum, values[counters[i]]);
  return sum;
}

static int is_daos(const struct darshan_module *module) {
  return module->kind == DARSHAN_KIND_DFS || module->kind == DARSHAN_KIND_DAOS;
}

int64_t picture_reads(const struct darshan_merge_plan *plan, const void *record) {
  return is_daos(plan->module) ? calls_of_daos(plan, record, 0) : calls(plan, record, "READS");
}

int64_t picture_writes(const struct darshan_merge_plan *plan, const void *record) {
  return is_daos(plan->module) ? calls_of_daos(plan, record, 1) : calls(plan, record, "WRITES");
}

/* Returns the layer of a module, which is added if it is new; NULL if the module moves no bytes, if
 * there are too many layers, or if out of memory. */
static struct picture_layer *layer_of(struct picture *picture,
                                      const struct darshan_module *module) {
  struct picture_layer *layer = picture->layers;
  for (int i = 0; i < picture->num_layers; i++, layer++)
    if (layer->plan.module == module) return layer;
  if (picture->num_layers == PICTURE_LAYERS || !(layer->total = calloc(1, module->record_size)))
    return NULL;
  darshan_merge_plan_make(&layer->plan, module);
  if (layer->plan.bytes_read < 0 || layer->plan.read_time < 0) {
    free(layer->total);
    memset(layer, 0, sizeof(*layer));
    return NULL;
  }
  id_table_init(&layer->files, 1);
  picture->num_layers++;
  return layer;
}

/* Adds a record of a lowest layer (the caller checks this by picture_is_bottom) to the numbers of
 * its file. Does nothing if out of memory. */
static void add_file(struct picture *picture, const struct darshan_merge_plan *plan,
                     const darshan_log *log, const void *record) {
  const struct darshan_base_record *base = record;
  const int64_t *counters = darshan_record_counters(plan, record);
  int is_new;
  struct picture_file *file = id_table_get(&picture->files, base->id, &is_new);
  if (!file) return;
  const char *name = darshan_log_name(log, base->id);
  if (!file->name && name) file->name = strdup(name);
  file->time += darshan_record_time(plan, record);
  add(&file->read, counters[plan->bytes_read]);
  add(&file->written, counters[plan->bytes_written]);
  add(&file->calls, picture_reads(plan, record));
  add(&file->calls, picture_writes(plan, record));
}

/* Returns 1 for a standard stream that is not a file, otherwise 0. In a run, time in such a stream
 * is waiting for another program, and both ends of a pipe would count its bytes. */
static int is_stream(const darshan_log *log, const struct darshan_base_record *record) {
  const char *name = darshan_log_name(log, record->id);
  return name && (strcmp(name, "<STDIN>") == 0 || strcmp(name, "<STDOUT>") == 0 ||
                  strcmp(name, "<STDERR>") == 0);
}

/* State of a log that is being added. */
struct adding {
  darshan_log *log;
  const char *path;     /* for messages */
  int is_tree;          /* 1: the log of a run with several processes */
  struct id_table seen; /* ids of POSIX records */
  struct log_shares shares;
};

/* Returns 1 for layers that move no bytes themselves, so that only their time counts. Otherwise
 * returns 0. */
static int is_above(int id) {
  return id == DARSHAN_MOD_H5F || id == DARSHAN_MOD_PNETCDF_FILE;
}

/* Adds only the time of the records of a module that moves no bytes itself. */
static void add_time_above(struct adding *adding, const struct darshan_module *module) {
  struct darshan_error error = {""};
  struct darshan_merge_plan plan;
  const void *record;
  size_t size;
  darshan_merge_plan_make(&plan, module);
  darshan_records *records = darshan_records_open(adding->log, module->id, &error);
  while (records && darshan_records_next(records, &record, &size, &error) > 0)
    log_shares_record(&adding->shares, &plan, record, 0);
  if (records) darshan_records_close(records);
  log_shares_end_module(&adding->shares, 0);
}

/* Adds the records of a module that moves bytes, and prints a message if they are damaged. Ignores
 * other modules. */
static void add_module(struct picture *picture, struct adding *adding, int id) {
  struct darshan_error error = {""};
  darshan_log *log = adding->log;
  const struct darshan_module *module = darshan_module_by_id(id);
  if (!module || id >= DARSHAN_MAX_MODULES ||
      (module->kind != DARSHAN_KIND_COUNTERS && module->kind != DARSHAN_KIND_FILE_COUNTERS &&
       !is_daos(module)))
    return;
  if (is_above(id)) add_time_above(adding, module);
  struct picture_layer *layer = layer_of(picture, module);
  if (!layer) return;
  darshan_records *records = darshan_records_open(log, id, &error);
  const void *record;
  size_t size;
  int more = -1, is_new;
  while (records && (more = darshan_records_next(records, &record, &size, &error)) > 0) {
    int elsewhere = is_stream(log, record);
    log_shares_record(&adding->shares, &layer->plan, record, elsewhere);
    if (adding->is_tree && elsewhere) continue;
    darshan_total_add(&layer->plan, &layer->state, layer->total, record);
    uint64_t number = ((const struct darshan_base_record *)record)->id;
    id_table_get(&layer->files, number, &is_new);
    if (id == DARSHAN_MOD_POSIX) id_table_get(&adding->seen, number, &is_new);
    if (id == DARSHAN_MOD_POSIX) renamed_note(picture, record);
    if (picture_is_bottom(&layer->plan)) add_file(picture, &layer->plan, log, record);
  }
  log_shares_end_module(&adding->shares, picture_is_bottom(&layer->plan));
  if (more < 0) say("%s: %s: %s", say_path(adding->path), module->name, say_path(error.text));
  if (records) darshan_records_close(records);
}

/* Adds the touched bytes of mapped files to the rows of the files. A mapped file was opened before,
 * so it has a row if POSIX was recorded. */
static void add_touched(struct picture *picture, const struct id_table *touched) {
  for (size_t i = 0; i < touched->count; i++) {
    struct picture_file *file = id_table_find(&picture->files, touched->keys[i]);
    if (file) add(&file->touched, *(const int64_t *)id_table_value(touched, i));
  }
}

/* Adds the operations that only POSIX_EXT counts, or prints a message if the module is damaged. */
static void add_beside(struct picture *picture, struct adding *adding) {
  struct darshan_error error = {""};
  struct beside sum;
  struct id_table touched;
  id_table_init(&touched, sizeof(int64_t));
  int is_damaged = beside_of(&sum, adding->log, &adding->seen, &touched, &error) != 0;
  add_touched(picture, &touched);
  id_table_free(&touched);
  if (is_damaged) {
    say("cannot read the module POSIX_EXT of %s: %s", say_path(adding->path), say_path(error.text));
    return;
  }
  picture->locks += sum.locks;
  picture->syncing += sum.syncing;
  picture->listing += sum.listing;
  picture->mapped += sum.mapped;
  picture->mapped_touched += sum.touched;
  picture->mapped_unmeasured += sum.unmeasured;
  if (sum.metadata + sum.syncs <= 0) return;
  log_shares_beside(&adding->shares, sum.metadata + sum.syncs);
  struct picture_layer *layer = layer_of(picture, darshan_module_by_id(DARSHAN_MOD_POSIX));
  if (!layer) return;
  double *total = darshan_record_fcounters(&layer->plan, layer->total);
  total[layer->plan.meta_time] += sum.metadata;
  total[layer->plan.write_time] += sum.syncs;
}

static void add_datasets(struct picture *picture, struct adding *adding) {
  struct darshan_error error = {""};
  double own = 0;
  if (datasets_add(&picture->datasets, &own, adding->log, &error) != 0)
    say("%s: %s", say_path(adding->path), say_path(error.text));
  log_shares_own(&adding->shares, own);
}

/* Adds the processes of a run. In a run's log, a rank may be several processes. Ranks of an MPI job
 * are counted in the job's own log. Returns 1; 0 if the log has no PROCESS records, or if they are
 * damaged. */
static int add_programs(struct picture *picture, darshan_log *log, const char *path) {
  const struct darshan_info *info = darshan_log_info(log);
  struct darshan_error error = {""};
  for (int i = 0; i < info->num_modules; i++) {
    if (info->modules[i].id != DARSHAN_MOD_PROCESS || !info->modules[i].length) continue;
    if (programs_add(&picture->programs, log, &picture->processes, &error) == 0) return 1;
    say("%s: %s", say_path(path), say_path(error.text));
  }
  return 0;
}

/* Adds the groups of a log: records that several files share. The number of files of a group is the
 * largest number in any process or log, which is a lower bound. Sets PICTURE_ESTIMATED if the
 * number can be inexact. Returns 1 if some of these files share a record because a limit was
 * reached, otherwise 0. */
static int add_groups(struct picture *picture, darshan_log *log) {
  enum {
    COUNTED = 114688
  }; /* names of files in groups that a process counts exactly (overflow.c) */
  struct darshan_error error = {""};
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_GROUP, &error);
  const void *record;
  size_t size;
  int past_the_limit = 0, is_new;
  int64_t names = 0;
  while (records && darshan_records_next(records, &record, &size, &error) > 0) {
    const struct darshan_group_record *group = record;
    struct picture_group *known = id_table_get(&picture->groups, group->base.id, &is_new);
    int is_tree = group->counters[GROUP_KIND] == GROUP_TREE;
    if (known && group->counters[GROUP_FILES] > known->files)
      known->files = group->counters[GROUP_FILES];
    if (known) known->is_of_program = is_tree;
    past_the_limit |= !is_tree;
    add(&names, group->counters[GROUP_FILES]);
  }
  if (records) darshan_records_close(records);
  if (darshan_log_info(log)->job.nprocs > 1 || names >= COUNTED)
    picture->missing |= PICTURE_ESTIMATED;
  return past_the_limit;
}

int64_t picture_files_of(const struct picture *picture, uint64_t id) {
  const struct picture_group *group = id_table_find(&picture->groups, id);
  return group && group->files > 1 ? group->files : 1;
}

int picture_is_of_program(const struct picture *picture, uint64_t id) {
  const struct picture_group *group = id_table_find(&picture->groups, id);
  return group && group->is_of_program;
}

int64_t picture_files(const struct picture *picture, const struct id_table *records) {
  int64_t all = 0;
  for (size_t i = 0; i < records->count; i++)
    add(&all, picture_files_of(picture, records->keys[i]));
  return all;
}

/* Called for a module that lacks records. Returns 1 if they are only records of single files, whose
 * sums are in overflow records or groups. Otherwise returns 0. has_groups: 1 if files of the log
 * share a record because a limit was reached. */
static int shares_record(const darshan_log *log, int module, int has_groups) {
  static const char overflow[] = "<overflow>";
  static const int of_files[] = {DARSHAN_MOD_POSIX, DARSHAN_MOD_POSIX_EXT, DARSHAN_MOD_STDIO,
                                 DARSHAN_MOD_STDIO_EXT};
  int is_of_files = 0;
  for (size_t i = 0; i < sizeof(of_files) / sizeof(of_files[0]); i++)
    is_of_files |= module == of_files[i];
  if (!is_of_files || has_groups) return is_of_files;
  const char *name = darshan_log_name(log, darshan_id_of_name(overflow, sizeof(overflow) - 1));
  return name && strcmp(name, overflow) == 0;
}

/* Returns which data the log lacks, as bits of enum picture_missing. has_groups: as in
 * shares_record. */
static int missing_of(const darshan_log *log, int has_groups) {
  static const char *const lost[] = {"processes_without_records", "parts_left_out"};
  const struct darshan_info *info = darshan_log_info(log);
  int found = info->annex_problem ? PICTURE_LOST : 0;
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].partial)
      found |= shares_record(log, info->modules[i].id, has_groups) ? PICTURE_SHARED : PICTURE_LOST;
  /* STDIO only estimates the number of files of a group, by a sketch. */
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].partial && info->modules[i].id == DARSHAN_MOD_STDIO)
      found |= PICTURE_ESTIMATED;
  for (int i = 0; i < info->num_metadata; i++)
    for (size_t j = 0; j < sizeof(lost) / sizeof(lost[0]); j++)
      if (strcmp(info->metadata[i].key, lost[j]) == 0) found |= PICTURE_LOST;
  return found;
}

/* Adds the numbers of dropped events from the log's metadata. The key "dropped_in_signal_handlers"
 * becomes "in signal handlers". */
static void add_dropped(struct picture *picture, const struct darshan_info *info) {
  static const char prefix[] = "dropped_";
  for (int i = 0; i < info->num_metadata; i++) {
    const char *key = info->metadata[i].key;
    struct picture_dropped *one = picture->dropped, *end = one + PICTURE_DROPPED;
    if (strncmp(key, prefix, sizeof(prefix) - 1) != 0) continue;
    char where[sizeof(one->where)];
    say_printable(where, sizeof(where), key + sizeof(prefix) - 1, sizeof(where) / 4 - 1, 0);
    for (char *c = where; *c; c++)
      if (*c == '_') *c = ' ';
    while (one < end && one->where[0] && strcmp(one->where, where) != 0)
      one++;
    if (one == end) continue;
    memcpy(one->where, where, sizeof(where));
    add(&one->number, strtoll(info->metadata[i].value, NULL, 10));
  }
}

/* Copies the failed lookups from a log's metadata, unless an earlier log had some. */
static void add_not_found(struct picture *picture, const struct darshan_info *info) {
  static const char key[] = "not_found", by[] = "not_found_by";
  int n = 0;
  if (picture->not_found[0]) return;
  for (int i = 0; i < info->num_metadata; i++)
    if (strcmp(info->metadata[i].key, by) == 0 && !picture->not_found_by)
      picture->not_found_by = strdup(info->metadata[i].value);
    else if (strncmp(info->metadata[i].key, key, sizeof(key) - 1) == 0 && n < PICTURE_MISSED)
      picture->not_found[n++] = strdup(info->metadata[i].value);
}

static void add_job(struct picture *picture, darshan_log *log) {
  const struct darshan_info *info = darshan_log_info(log);
  double began = (double)info->job.start_time_sec + (double)info->job.start_time_nsec * 1e-9;
  double ended = (double)info->job.end_time_sec + (double)info->job.end_time_nsec * 1e-9;
  if (picture->logs == 0 || began < picture->began) {
    picture->began = began;
    free(picture->command);
    picture->command = strdup(info->exe);
  }
  if (ended > picture->ended) picture->ended = ended;
  int has_groups = add_groups(picture, log);
  picture->missing |= missing_of(log, has_groups);
  if (!has_groups || picture->logs > 0) picture->missing |= PICTURE_ESTIMATED;
  add_dropped(picture, info);
  add_not_found(picture, info);
  picture->logs++;
}

static void add_regions(struct picture *picture, struct adding *adding) {
  const struct darshan_info *info = darshan_log_info(adding->log);
  struct darshan_error error = {""};
  if (log_shares_begin(&adding->shares, adding->log, &error) != 0)
    say("%s: %s", say_path(adding->path), say_path(error.text));
  for (int i = 0; i < info->num_modules; i++) {
    if (!info->modules[i].length) continue;
    add_module(picture, adding, info->modules[i].id);
    if (info->modules[i].id == DARSHAN_MOD_LAYERS) add_datasets(picture, adding);
    if (info->modules[i].id == DARSHAN_MOD_TRAINING) epochs_add(&picture->epochs, adding->log);
    if (info->modules[i].id == DARSHAN_MOD_MPIWAIT)
      picture->rank_waits += rank_waits_of(adding->log);
    if (info->modules[i].id == DARSHAN_MOD_POSIX_EXT) add_beside(picture, adding);
    if (info->modules[i].id == DARSHAN_MOD_USAGE) beside_faults_of(&picture->faults, adding->log);
  }
  log_shares_end(&adding->shares, adding->log, &picture->shares);
}

void picture_add(struct picture *picture, const char *path) {
  struct darshan_error error = {""};
  struct adding adding = {.log = darshan_log_read(path, &error), .path = path};
  if (!adding.log) {
    say("%s: %s", say_path(path), say_path(error.text));
    return;
  }
  const struct darshan_info *info = darshan_log_info(adding.log);
  int64_t before = picture->processes;
  id_table_init(&adding.seen, 1);
  add_job(picture, adding.log);
  int is_told = add_programs(picture, adding.log, path);
  adding.is_tree = is_told && picture->processes - before > 1;
  if (!is_told) add(&picture->processes, info->job.nprocs > 0 ? info->job.nprocs : 1);
  add_regions(picture, &adding);
  id_table_free(&adding.seen);
  darshan_log_free(adding.log);
}
