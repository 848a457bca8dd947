/* Adds up the journal of one process by file system (tally.h). */
#define _GNU_SOURCE
#include "tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../../runs/unattributed.h"
#include "merge/merge.h"
#include "modules/daos/records.h"
#include "records.h"

enum { FILES_MOST = 1 << 20, BILLION = 1000000000, IGNORED = -1, UNKNOWN = 0 };

struct tally_file {
  signed char place;       /* index of its file system in tally.places; IGNORED: the record is of a
                              standard stream, which is not a file */
  unsigned char has_posix; /* 1: it has a POSIX record */
};

const struct export_count_name export_counts[EXPORT_COUNTS] = {
#define EXPORTED(SYMBOL, name, unit, meaning) {name, unit, meaning},
#define LAYER(SYMBOL, name)
#define OF_LAYER(MODULE, LAYER)
#define PART(EXPORTED, MODULE, COUNTER, sign)
#include "counters.def"
#undef EXPORTED
#undef LAYER
};

const char *const export_layers[EXPORT_LAYERS] = {
#define EXPORTED(SYMBOL, name, unit, meaning)
#define LAYER(SYMBOL, name) name,
#include "counters.def"
#undef LAYER
#undef OF_LAYER
};

const char *const export_times[EXPORT_TIMES] = {"read", "write", "metadata"};

static const struct {
  int module, layer;
} modules[] = {
#define LAYER(SYMBOL, name)
#define OF_LAYER(MODULE, LAYER) {DARSHAN_MOD_##MODULE, EXPORT_LAYER_##LAYER},
#include "counters.def"
#undef OF_LAYER
#undef PART
};

static const struct part {
  int exported, module, counter, sign;
} parts[] = {
#define OF_LAYER(MODULE, LAYER)
#define PART(TO, MODULE, COUNTER, sign) {EXPORT_##TO, DARSHAN_MOD_##MODULE, COUNTER, sign},
#include "counters.def"
#undef EXPORTED
#undef LAYER
#undef OF_LAYER
#undef PART
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]), MODULES = sizeof(modules) / sizeof(modules[0]) };

/* Returns a hash of a record id and a secret of this process. Record ids are untrusted: without the
 * secret, a journal could contain ids that collide in the table. */
static uint64_t hidden(uint64_t id) {
  static uint64_t secret[2];
  if (!secret[1] && getrandom(secret, sizeof(secret), GRND_NONBLOCK) < (ssize_t)sizeof(secret))
    secret[0] = (uint64_t)(uintptr_t)&parts ^ UINT64_C(0x9E3779B97F4A7C15);
  secret[1] |= 1;
  id ^= secret[0];
  id = (id ^ id >> 32) * secret[1];
  return (id ^ id >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

/* --- file systems ------------------------------------------------------------------------ */

/* Adds a file system. Returns its index; UNKNOWN if there are too many or if out of memory. */
static int new_place(struct tally *tally, const char *mount, const char *type) {
  if (tally->num_places == TALLY_PLACES) return UNKNOWN;
  struct tally_place *all =
      realloc(tally->places, ((size_t)tally->num_places + 1) * sizeof(*tally->places));
  if (!all) return UNKNOWN;
  tally->places = all;
  memset(&all[tally->num_places], 0, sizeof(*all));
  all[tally->num_places].mount = mount;
  all[tally->num_places].type = type;
  return tally->num_places++;
}

/* Returns the index of the file system of a record with this name, which is added if it is new;
 * IGNORED for a standard stream. */
static int place_of(struct tally *tally, const char *name) {
  if (strcmp(name, "<STDIN>") == 0 || strcmp(name, "<STDOUT>") == 0 ||
      strcmp(name, "<STDERR>") == 0)
    return IGNORED;
  int mount = darshan_mounts_find(&tally->job, name);
  if (mount < 0) return UNKNOWN;
  signed char *place = &tally->place_of_mount[mount];
  if (*place < 0)
    *place =
        (signed char)new_place(tally, tally->job.mounts[mount].path, tally->job.mounts[mount].type);
  return *place;
}

static void take_name(uint64_t id, const char *name, void *context) {
  struct tally *tally = context;
  int is_new;
  if (tally->files.count >= FILES_MOST) return;
  struct tally_file *file = id_table_get(&tally->files, hidden(id), &is_new);
  if (file && is_new) file->place = (signed char)place_of(tally, name);
}

int tally_begin(struct tally *tally, struct darshan_live *live, struct darshan_error *error) {
  memset(tally, 0, sizeof(*tally));
  id_table_init(&tally->files, sizeof(struct tally_file));
  if (darshan_live_job(live, &tally->job, error) != 0) return -1;
  size_t mounts = (size_t)tally->job.num_mounts;
  tally->place_of_mount = malloc(mounts + 1);
  if (!tally->place_of_mount) return darshan_fail(error, "cannot read the journal: out of memory");
  memset(tally->place_of_mount, -1, mounts + 1);
  new_place(tally, "unknown", "unknown");
  return tally->num_places ? 0 : darshan_fail(error, "cannot read the journal: out of memory");
}

void tally_free(struct tally *tally) {
  darshan_job_free(&tally->job);
  id_table_free(&tally->files);
  free(tally->places);
  free(tally->place_of_mount);
  memset(tally, 0, sizeof(*tally));
}

/* --- records ----------------------------------------------------------------------------- */

/* Converts an untrusted number of seconds to nanoseconds: 0 if it is negative or NaN, and at most
 * 127 years, so that sums fit into int64_t. */
static int64_t nanoseconds(double seconds) {
  static const double most = 4e9; /* 127 years */
  if (!(seconds > 0)) return 0;
  return (int64_t)((seconds < most ? seconds : most) * BILLION);
}

static void add_seconds(struct values *into, int layer, int time, double seconds) {
  int64_t *sum = &into->value[export_time_place(layer, time)];
  *sum = export_sum(*sum, nanoseconds(seconds));
}

/* Adds the counters of one record to the exported values. first to end: rows that assign counters
 * to values, in the order of the values. */
static void add_counts(struct values *into, const struct part *first, const struct part *end,
                       const int64_t *counters) {
  for (const struct part *part = first; part < end;) {
    int to = part->exported;
    int64_t sum = 0;
    for (; part < end && part->exported == to; part++) {
      int64_t value = counters[part->counter];
      if (value <= 0) continue;
      sum = part->sign > 0 ? export_sum(sum, value) : sum > value ? sum - value : 0;
    }
    into->value[to] = export_sum(into->value[to], sum);
  }
}

/* Finds the rows of the table `parts` for a module: from *first up to *end (exclusive). */
static void parts_of(int module, const struct part **first, const struct part **end) {
  *first = parts;
  while (*first < parts + PARTS && (*first)->module != module)
    ++*first;
  for (*end = *first; *end < parts + PARTS && (*end)->module == module;)
    ++*end;
}

/* Returns the merge plan of the module at this index of the table. Makes it once, because this
 * takes long. */
static const struct darshan_merge_plan *plan_of(int number) {
  static struct darshan_merge_plan plans[MODULES];
  if (!plans[number].module)
    darshan_merge_plan_make(&plans[number], darshan_module_by_id(modules[number].module));
  return &plans[number];
}

static struct tally_file *file_of(const struct tally *tally, const void *record) {
  return id_table_find(&tally->files, hidden(((const struct darshan_base_record *)record)->id));
}

static void add_times(struct values *into, int layer, const struct darshan_merge_plan *plan,
                      const void *record) {
  const double *times = darshan_record_fcounters(plan, record);
  if (plan->read_time >= 0) add_seconds(into, layer, EXPORT_READING, times[plan->read_time]);
  if (plan->write_time >= 0) add_seconds(into, layer, EXPORT_WRITING, times[plan->write_time]);
  if (plan->meta_time >= 0) add_seconds(into, layer, EXPORT_METADATA_TIME, times[plan->meta_time]);
}

/* Adds the records of a journal's module to the tally. number: index of the module in the table.
 * Returns 0, or -1 with an error. */
static int add_module(struct tally *tally, struct darshan_live *live,
                      struct darshan_live_room *room, int number, struct darshan_error *error) {
  const struct darshan_merge_plan *plan = plan_of(number);
  const struct part *first, *end;
  const unsigned char *record = NULL;
  int id = modules[number].module;
  long count = darshan_live_records(live, room, id, &record, error);
  if (count <= 0) return (int)count;
  parts_of(id, &first, &end);
  for (long i = 0; i < count; i++, record += plan->record_size) {
    struct tally_file *file = file_of(tally, record);
    int place = file ? file->place : UNKNOWN;
    if (file && id == DARSHAN_MOD_POSIX) file->has_posix = 1;
    if (place == IGNORED) continue;
    struct values *into = &tally->places[place].now;
    add_counts(into, first, end, darshan_record_counters(plan, record));
    add_times(into, modules[number].layer, plan, record);
  }
  return 0;
}

/* Adds the metadata operations that only POSIX_EXT counts. Returns 0, or -1 with an error. A failed
 * lookup is either one of the accesses or an operation of its own. */
static int add_unattributed(struct tally *tally, struct darshan_live *live,
                            struct darshan_live_room *room, struct darshan_error *error) {
  const struct part *first, *end;
  const unsigned char *record = NULL;
  long count = darshan_live_records(live, room, DARSHAN_MOD_POSIX_EXT, &record, error);
  parts_of(DARSHAN_MOD_POSIX_EXT, &first, &end);
  for (long i = 0; i < count; i++) {
    const struct darshan_posix_ext_record *one = (const void *)record;
    struct tally_file *file = file_of(tally, record);
    int place = file ? file->place : UNKNOWN;
    record += sizeof(*one);
    if (place == IGNORED) continue;
    struct values *into = &tally->places[place].now;
    struct beside_sums sums = {0};
    int64_t accesses = one->counters[POSIX_EXT_ACCESSES], misses = one->counters[POSIX_EXT_MISSES];
    int64_t lookups = accesses > misses ? accesses : misses;
    add_counts(into, first, end, one->counters);
    if (lookups > 0)
      into->value[EXPORT_METADATA] = export_sum(into->value[EXPORT_METADATA], lookups);
    beside_add(&sums, one, file && file->has_posix);
    add_seconds(into, EXPORT_LAYER_POSIX, EXPORT_METADATA_TIME,
                beside_metadata(&sums) + sums.syncs);
  }
  return count < 0 ? -1 : 0;
}

/* --- largest possible values of a process
 * --------------------------------------------------------------- */

/* Checks that all values are possible for a process in `elapsed` seconds: at most 1 TiB or 2^40
 * calls per second, and 65,536 threads that are in I/O all the time. Returns 0, or -1 with an
 * error. */
static int check(const struct tally *tally, double elapsed, struct darshan_error *error) {
  static const double counts_per_second = 1099511627776.0, threads = 65536;
  double most = counts_per_second * (elapsed + 1), longest = threads * (elapsed + 1) * BILLION;
  for (int place = 0; place < tally->num_places; place++)
    for (int i = 0; i < EXPORT_VALUES; i++)
      if ((double)tally->places[place].now.value[i] > (i < EXPORT_COUNTS ? most : longest))
        return darshan_fail(error, "claims more I/O than a process can do in %.0f s", elapsed);
  return 0;
}

int tally_look(struct tally *tally, struct darshan_live *live, struct darshan_live_room *room,
               double elapsed, struct darshan_error *error) {
  if (darshan_live_look(live, error) != 0 ||
      darshan_live_names(live, room, take_name, tally, error) != 0)
    return -1;
  for (int i = 0; i < tally->num_places; i++)
    memset(&tally->places[i].now, 0, sizeof(tally->places[i].now));
  for (int i = 0; i < MODULES; i++)
    if (add_module(tally, live, room, i, error) != 0) return -1;
  if (add_unattributed(tally, live, room, error) != 0) return -1;
  return check(tally, elapsed, error);
}
