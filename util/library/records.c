/* Converts records of the reader to the structs of this interface (darshan-logutils.h). */
#include "handle.h"

#include <stdlib.h>
#include <string.h>

/* Returns the memory for a record, *record. If *record is NULL, allocates it; the caller frees it
 * later. Returns NULL if out of memory. */
static char *room_for(void **record, size_t size) {
  if (!*record) *record = malloc(size);
  return *record;
}

/* Copies a record of `size` bytes to *record. If *record is NULL, allocates it; the caller frees it
 * later. Returns 1, or -1 if out of memory. */
static int give(void **record, const void *from, size_t size) {
  char *to = room_for(record, size);
  if (!to) return -1;
  memcpy(to, from, size);
  return 1;
}

static int give_lustre(void **record, const struct darshan_lustre_head *head) {
  struct darshan_lustre_record *to;
  const struct darshan_lustre_component *comps = (const void *)(head + 1);
  size_t comps_size = (size_t)head->num_comps * sizeof(*comps);
  size_t osts_size = (size_t)head->num_stripes * sizeof(int64_t);
  char *room = room_for(record, sizeof(*to) + comps_size + osts_size);
  if (!room) return -1;
  to = (void *)room;
  *to = (struct darshan_lustre_record){.base_rec = head->base,
                                       .num_comps = head->num_comps,
                                       .num_stripes = head->num_stripes,
                                       .comps = (void *)(to + 1)};
  to->ost_ids = (int64_t *)(void *)(room + sizeof(*to) + comps_size);
  memcpy(to->comps, comps, comps_size);
  memcpy(to->ost_ids, (const char *)comps + comps_size, osts_size);
  return 1;
}

static int give_heatmap(void **record, const struct darshan_heatmap_head *head, size_t size) {
  static_assert(sizeof(struct darshan_heatmap_record) == sizeof(*head), "pointers fit");
  if (give(record, head, size) < 0) return -1;
  struct darshan_heatmap_record *to = *record;
  to->write_bins = (int64_t *)(void *)(to + 1);
  to->read_bins = to->write_bins + head->nbins;
  return 1;
}

size_t darshan_log_get_segment_size(void) {
  return sizeof(segment_info);
}

/* Copies a trace in the form of this interface. Returns 1, or -1 if out of memory. The reader's
 * segments always have the thread id, as their last member. */
static int give_dxt(void **record, const struct darshan_dxt_head *head) {
  static_assert(sizeof(struct dxt_file_record) == sizeof(*head), "same head");
  static_assert(sizeof(segment_info) == (DARSHAN_DXT_THREADS
                                             ? sizeof(struct darshan_dxt_segment)
                                             : offsetof(struct darshan_dxt_segment, pthread_id)),
                "same");
  const struct darshan_dxt_segment *from = (const void *)(head + 1);
  size_t segments = (size_t)head->write_count + (size_t)head->read_count;
  char *room = room_for(record, sizeof(*head) + segments * sizeof(segment_info));
  if (!room) return -1;
  memcpy(room, head, sizeof(*head));
  segment_info *to = (void *)(room + sizeof(*head));
  for (size_t i = 0; i < segments; i++)
    memcpy(&to[i], &from[i], sizeof(to[i]));
  return 1;
}

/* Copies a POSIX record. Returns 1, or -1 if out of memory. Sets the variances of versions 2 and 3
 * to 0, as PyDarshan's tests expect. */
static int give_posix(void **record, const void *from, size_t size, int version) {
  if (give(record, from, size) < 0) return -1;
  struct darshan_posix_file *to = *record;
  if (version != 2 && version != 3) return 1;
  to->fcounters[POSIX_F_VARIANCE_RANK_TIME] = 0;
  to->fcounters[POSIX_F_VARIANCE_RANK_BYTES] = 0;
  return 1;
}

/* Copies a record of the reader to *record in the form of this interface. size: bytes of the
 * reader's record. Returns 1, or -1 if out of memory. */
static int give_record(const struct handle_module *module, void **record, const void *from,
                       size_t size) {
  if (module->id == DARSHAN_MOD_POSIX) return give_posix(record, from, size, module->version);
  switch (darshan_module_by_id(module->id)->kind) {
  case DARSHAN_KIND_LUSTRE:
    return give_lustre(record, from);
  case DARSHAN_KIND_HEATMAP:
    return give_heatmap(record, from, size);
  case DARSHAN_KIND_DXT:
    return give_dxt(record, from);
  default:
    return give(record, from, size);
  }
}

/* Returns the region of a module in the log; NULL if the module has no data. */
static const struct darshan_module_region *region_of(const struct handle *handle, int id) {
  const struct darshan_info *info = darshan_log_info(handle->log);
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].id == id) return info->modules[i].length > 0 ? &info->modules[i] : NULL;
  return NULL;
}

/* Prints the error, and marks the module so that it is not read any more. */
static void fail(const struct handle *handle, struct handle_module *module,
                 const struct darshan_error *error) {
  const struct darshan_module *known = darshan_module_by_id(module->id);
  const char *name = known ? known->name : "unknown module";
  handle_complain(handle, name, error);
  module->failed = true;
}

/* Returns the reading state of a module, which is made if necessary; NULL if out of memory. Valid
 * until the next call. */
static struct handle_module *module_of(struct handle *handle,
                                       const struct darshan_module_region *region) {
  for (int i = 0; i < handle->num_modules; i++)
    if (handle->modules[i].id == region->id) return &handle->modules[i];
  size_t size = ((size_t)handle->num_modules + 1) * sizeof(*handle->modules);
  struct handle_module *modules = realloc(handle->modules, size);
  if (!modules) return NULL;
  handle->modules = modules;
  modules[handle->num_modules] =
      (struct handle_module){.id = region->id, .version = region->version};
  return &modules[handle->num_modules++];
}

/* Called after the last record: closes the module's records, so that the next call reads the first
 * record again. PyDarshan counts the records before it reads them. */
static void rewind_module(struct handle_module *module) {
  darshan_records_close(module->records);
  module->records = NULL;
}

int darshan_log_get_record(void *log, int id, void **record) {
  struct handle *handle = log;
  if (!handle || !record) return -1;
  const struct darshan_module_region *region = region_of(handle, id);
  if (!region) return 0;
  struct handle_module *module = module_of(handle, region);
  if (!module || module->failed) return -1;
  const void *from = NULL;
  size_t size = 0;
  struct darshan_error error = {""};
  if (!module->records) module->records = darshan_records_open(handle->log, id, &error);
  int result = module->records ? darshan_records_next(module->records, &from, &size, &error) : -1;
  if (result == 1) return give_record(module, record, from, size);
  rewind_module(module);
  if (result < 0) fail(handle, module, &error);
  return result;
}
