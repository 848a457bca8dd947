/* Records, in the shape that this interface gives them. */
#include "handle.h"

#include <stdlib.h>
#include <string.h>

/* Memory for a record, or what the caller has. */
static char *room_for(void **record, size_t size) {
  if (!*record) *record = malloc(size);
  return *record;
}

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

/* The reader's segments know the thread, too. */
static int give_dxt(void **record, const struct darshan_dxt_head *head) {
  static_assert(sizeof(struct dxt_file_record) == sizeof(*head), "same head");
  static_assert(sizeof(segment_info) == offsetof(struct darshan_dxt_segment, pthread_id), "same");
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

static int give_record(int module, void **record, const void *from, size_t size) {
  switch (darshan_module_by_id(module)->kind) {
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

static bool has_data(const struct handle *handle, int id) {
  const struct darshan_info *info = darshan_log_info(handle->log);
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].id == id) return info->modules[i].length > 0;
  return false;
}

static void fail(const struct handle *handle, struct handle_module *module,
                 const struct darshan_error *error) {
  const struct darshan_module *known = darshan_module_by_id(module->id);
  handle_complain(handle, known ? known->name : "unknown module", error);
  module->failed = true;
}

/* Where reading of this module stands; NULL: no memory. */
static struct handle_module *module_of(struct handle *handle, int id) {
  for (int i = 0; i < handle->num_modules; i++)
    if (handle->modules[i].id == id) return &handle->modules[i];
  size_t size = ((size_t)handle->num_modules + 1) * sizeof(*handle->modules);
  struct handle_module *modules = realloc(handle->modules, size);
  if (!modules) return NULL;
  handle->modules = modules;
  struct handle_module *module = &modules[handle->num_modules++];
  *module = (struct handle_module){.id = id};
  struct darshan_error error = {""};
  module->records = darshan_records_open(handle->log, id, &error);
  if (!module->records) fail(handle, module, &error);
  return module;
}

int darshan_log_get_record(void *log, int id, void **record) {
  struct handle *handle = log;
  if (!handle || !record) return -1;
  if (!has_data(handle, id)) return 0;
  struct handle_module *module = module_of(handle, id);
  if (!module || module->failed) return -1;
  if (module->ended) return 0;
  const void *from = NULL;
  size_t size = 0;
  struct darshan_error error = {""};
  int result = darshan_records_next(module->records, &from, &size, &error);
  if (result == 0) module->ended = true;
  if (result < 0) fail(handle, module, &error);
  return result == 1 ? give_record(id, record, from, size) : result;
}
