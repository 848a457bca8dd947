/* Converts a log into a new one (convert.h). */
#include "convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../parser/id-table.h"
#include "darshan-read.h"
#include "output.h"
#include "regions.h"

/* Numbers that replace thread ids in traces: the result of pthread_self is an address, which
 * reveals the memory layout of a process. */

struct threads {
  struct id_table ranks;   /* rank -> number of its threads so far */
  struct id_table numbers; /* rank and thread -> number */
};

static void threads_open(struct threads *threads) {
  id_table_init(&threads->ranks, sizeof(uint64_t));
  id_table_init(&threads->numbers, sizeof(uint64_t));
}

static void threads_close(struct threads *threads) {
  id_table_free(&threads->ranks);
  id_table_free(&threads->numbers);
}

/* Returns a key for a thread of a rank. The product distributes the rank over all bits, so that
 * keys of two ranks practically never coincide. */
static uint64_t key_of(int64_t rank, uint64_t thread) {
  return (uint64_t)rank * UINT64_C(0x9E3779B97F4A7C15) ^ thread;
}

/* Returns the number, from 1 on, that replaces this thread id of a rank. Returns 0 if out of
 * memory. */
static uint64_t number_of(struct threads *threads, int64_t rank, uint64_t thread) {
  int is_new;
  uint64_t *number = id_table_get(&threads->numbers, key_of(rank, thread), &is_new);
  if (!number || !is_new) return number ? *number : 0;
  uint64_t *last = id_table_get(&threads->ranks, (uint64_t)rank, &is_new);
  return last ? *number = ++*last : 0;
}

/* Replaces the thread ids of a DXT record in its newest layout by 1, 2, ... per rank; a thread has
 * the same number in all records. 0 (unknown) does not change. Returns 0, or -1 after a message. */
static int threads_number(struct threads *threads, void *record) {
  struct darshan_dxt_head *head = record;
  struct darshan_dxt_segment *segments = (void *)(head + 1);
  int64_t n = head->write_count + head->read_count;
  for (int64_t i = 0; i < n; i++) {
    uint64_t thread = segments[i].pthread_id;
    if (thread == 0) continue;
    segments[i].pthread_id = number_of(threads, head->base.rank, thread);
    if (segments[i].pthread_id == 0)
      return convert_say("cannot number the threads of a trace: out of memory");
  }
  return 0;
}

/* The state of a conversion. */
struct conversion {
  const struct convert_options *options;
  darshan_log *log;
  const struct darshan_info *info;
  struct output_file out;
  struct regions regions;
  struct threads threads; /* maps thread addresses to numbers */
  uint64_t records;       /* number of written records */
};

/* Prints that a part of the old log cannot be read. what: the part, such as a module; "": the whole
 * log. Returns -1. */
static int cannot_read(const struct conversion *conversion, const char *what,
                       const struct darshan_error *error) {
  return convert_say("%s: %s%s%s", conversion->options->in, what, what[0] ? ": " : "", error->text);
}

/* Bytes of a trace segment up to release 3.5.0, which lacks the thread id. */
static const size_t old_segment = offsetof(struct darshan_dxt_segment, pthread_id);

/* Returns true for a trace of an older version, which has no thread ids. Its version does not
 * change, so that older readers can read it. */
static bool stays_old(const struct darshan_module *module, int version) {
  return module->kind == DARSHAN_KIND_DXT && version < module->version;
}

/* Returns the version of a module's records in the new log. version: their version in the old
 * log. */
static int written_version(const struct darshan_module *module, int version) {
  return stays_old(module, version) ? module->version - 1 : module->version;
}

/* Appends a record to the current region of the new log, and anonymizes it there if that was
 * requested. version: record version in the old log. size: bytes of the record in the newest
 * layout. Returns 0, or -1 after a message. */
static int put_record(struct conversion *conversion, const struct darshan_module *module,
                      int version, const void *record, size_t size) {
  const char *from = record;
  size_t head = sizeof(struct darshan_dxt_head), step = sizeof(struct darshan_dxt_segment);
  bool old = stays_old(module, version);
  size_t segments = old ? (size - head) / step : 0;
  char *room = regions_room(&conversion->regions, old ? head + segments * old_segment : size);
  if (!room) return -1;
  memcpy(room, from, old ? head : size);
  for (size_t i = 0; i < segments; i++)
    memcpy(room + head + i * old_segment, from + head + i * step, old_segment);
  hide_record(&conversion->options->hiding, module, room);
  conversion->records++;
  bool numbers = conversion->options->hiding.names && module->kind == DARSHAN_KIND_DXT && !old;
  return numbers ? threads_number(&conversion->threads, room) : 0;
}

static bool is_wanted(const struct conversion *conversion, const void *record) {
  const struct darshan_base_record *base = record;
  return !conversion->options->one_file || base->id == conversion->options->file;
}

/* Writes the records of a module into the region that the caller began: all, or those of the
 * requested file. Returns 0, or -1 after a message. */
static int put_records(struct conversion *conversion, const struct darshan_module_region *region,
                       const struct darshan_module *module) {
  struct darshan_error error = {""};
  const void *record;
  size_t size;
  int more;
  darshan_records *records = darshan_records_open(conversion->log, region->id, &error);
  if (!records) return cannot_read(conversion, module->name, &error);
  while ((more = darshan_records_next(records, &record, &size, &error)) > 0) {
    if (!is_wanted(conversion, record)) continue;
    if (put_record(conversion, module, region->version, record, size) < 0) break;
  }
  darshan_records_close(records);
  if (more < 0) return cannot_read(conversion, module->name, &error);
  return more > 0 ? -1 : 0;
}

/* Prints that the new log lacks a module, because this release cannot read the module's records.
 * Prints nothing if the module has no data. Returns 0, so that the conversion continues. */
static int leave_out(const struct conversion *conversion,
                     const struct darshan_module_region *region) {
  if (region->length == 0) return 0;
  if (region->name)
    convert_say("%s: skipped the module %s, whose records have an unknown form",
                conversion->options->in, region->name);
  else
    convert_say("%s: skipped the unknown module %d", conversion->options->in, region->id);
  return 0;
}

/* Writes the region of a module and its entry in the header. Returns 0, or -1 after a message. A
 * partial module may have no records. */
static int convert_region(struct conversion *conversion, const struct darshan_module_region *region,
                          const struct darshan_module *module) {
  struct darshan_header *header = &conversion->regions.header;
  struct darshan_region *place = &header->modules[region->id];
  regions_begin(&conversion->regions);
  if (region->length && put_records(conversion, region, module) < 0) return -1;
  if (regions_end(&conversion->regions, place) < 0) return -1;
  if (place->len)
    header->module_versions[region->id] = (uint32_t)written_version(module, region->version);
  if (region->partial && (place->len || !conversion->options->one_file))
    header->partial_flag |= UINT64_C(1) << region->id;
  return 0;
}

/* Writes the annex block of a module. Returns 0, or -1 after a message. */
static int convert_block(struct conversion *conversion, const struct darshan_module_region *region,
                         const struct darshan_module *module) {
  struct darshan_annex_block block = {.module = (uint32_t)region->id,
                                      .version = (uint32_t)module->version,
                                      .flags = region->partial ? DARSHAN_ANNEX_PARTIAL : 0};
  if (regions_begin_block(&conversion->regions) < 0) return -1;
  if (region->length && put_records(conversion, region, module) < 0) return -1;
  return regions_end_block(&conversion->regions, block);
}

/* Writes the regions of all modules. Returns 0, or -1 after a message. The modules are in the order
 * of their ids, so modules of the annex are last. */
static int convert_modules(struct conversion *conversion) {
  const struct darshan_info *info = conversion->info;
  int result = 0;
  for (int i = 0; i < info->num_modules && result == 0; i++) {
    const struct darshan_module_region *region = &info->modules[i];
    const struct darshan_module *module = darshan_module_by_id(region->id);
    bool in_annex = region->id >= DARSHAN_MAX_MODULES;
    if (in_annex && !conversion->options->annex) continue;
    if (!module || (module->kind == DARSHAN_KIND_NONE && region->length))
      result = leave_out(conversion, region);
    else if (in_annex)
      result = convert_block(conversion, region, module);
    else
      result = convert_region(conversion, region, module);
  }
  return result;
}

static int convert_job(struct conversion *conversion) {
  char job[DARSHAN_JOB_REGION_MAX];
  struct darshan_region where;
  long length = job_region(conversion->options, conversion->info, job);
  regions_begin(&conversion->regions);
  if (length < 0 || regions_add(&conversion->regions, job, (size_t)length) < 0) return -1;
  return regions_end(&conversion->regions, &where);
}

/* Writes the whole new log. Returns 0, or -1 after a message, also if --file matches no record. */
static int convert_all(struct conversion *conversion) {
  const struct convert_options *options = conversion->options;
  if (convert_job(conversion) < 0 ||
      names_region(options, conversion->log, &conversion->regions) < 0 ||
      convert_modules(conversion) < 0)
    return -1;
  if (options->one_file && conversion->records == 0)
    return convert_say("%s contains no record with the id %" PRIu64, options->in, options->file);
  return regions_finish(&conversion->regions);
}

int convert(const struct convert_options *options) {
  struct darshan_error error = {""};
  struct conversion conversion = {.options = options};
  conversion.log = darshan_log_read(options->in, &error);
  if (!conversion.log) return cannot_read(&conversion, "", &error);
  conversion.info = darshan_log_info(conversion.log);
  if (conversion.info->annex_problem && options->annex)
    convert_say("%s: skipped the annex: %s", options->in, conversion.info->annex_problem);
  int result = output_file_open(&conversion.out, options->out);
  if (result == 0) {
    regions_open(&conversion.regions, &conversion.out, options->compression);
    threads_open(&conversion.threads);
    result = convert_all(&conversion);
    threads_close(&conversion.threads);
    regions_close(&conversion.regions);
    if (output_file_close(&conversion.out, result == 0) < 0) result = -1;
  }
  darshan_log_free(conversion.log);
  return result;
}
