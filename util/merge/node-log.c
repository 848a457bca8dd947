/* Reads a node log, which was made from the journals of one node while other ranks of the job ran
 * on other nodes (journals.h). */
#include "journals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/format/apmpi.h"
#include "metadata.h"

uint64_t node_log_job(const struct darshan_info *info) {
  const char *text = launch_metadata(info, NODE_LOG_KEY);
  return text ? strtoull(text, NULL, 10) : 0;
}

static void unload(struct node_log *log) {
  if (log->open) darshan_log_free(log->open);
  free(log->path);
  log->open = NULL;
  log->path = NULL;
}

/* Reads a node log into memory unless it is there already. Returns 0, or -1 with an error. */
static int load(struct node_log *log, const char *path, struct darshan_error *error) {
  if (log->path && strcmp(log->path, path) == 0) return 0;
  unload(log);
  log->open = darshan_log_read(path, error);
  if (!log->open || part_read(&log->part, log->open, error) < 0) return -1;
  log->path = strdup(path);
  return log->path ? 0 : -1;
}

/* Returns the size of a record in bytes; 0 if the size of this kind of record is unknown. */
static size_t size_of(const struct part_module *of, const char *record) {
  const struct darshan_apmpi_head *head = (const void *)record;
  if (of->module->kind != DARSHAN_KIND_APMPI) return part_record_size(of, record);
  return head->magic == APMPI_MAGIC ? sizeof(*head) : sizeof(struct darshan_apmpi_record);
}

/* Appends the name of a record to the names of the rank, once per id. Returns 0, or -1 if out of
 * memory. */
static int take_name(struct node_log *log, uint64_t id, struct bytes *names) {
  const char *name = darshan_log_name(log->open, id);
  int64_t *known = map_at(&log->named, id);
  if (!known) return -1;
  if (!name || *known >= 0) return 0;
  *known = 1;
  return bytes_add(names, &id, sizeof(id)) < 0 ? -1 : bytes_add(names, name, strlen(name) + 1);
}

/* Appends the rank's records of one module to `records`, and their names to `names`. Returns 0, or
 * -1 if out of memory. A node log has one APMPI head, but each journal has its own, so the copy of
 * each rank includes the head. */
static int take_module(struct node_log *log, const struct part_module *from, int64_t rank,
                       struct bytes *records, struct bytes *names) {
  const char *head = NULL;
  for (size_t at = 0, size; at < from->length; at += size) {
    const char *record = log->part.records.at + from->at + at;
    const struct darshan_base_record *base = (const void *)record;
    size = size_of(from, record);
    if (size == 0 || size > from->length - at) break;
    if (from->module->kind == DARSHAN_KIND_APMPI && size == sizeof(struct darshan_apmpi_head)) {
      head = record;
      continue;
    }
    if (base->rank != rank) continue;
    if (head &&
        (bytes_add(records, head, sizeof(struct darshan_apmpi_head)) < 0 ||
         take_name(log, ((const struct darshan_base_record *)(const void *)head)->id, names) < 0))
      return -1;
    if (bytes_add(records, record, size) < 0 || take_name(log, base->id, names) < 0) return -1;
  }
  return 0;
}

/* Adds the rank's records of one module to the content. Returns 0, or -1 if out of memory. */
static int take_part(struct node_log *log, const struct part_module *from, int64_t rank,
                     struct journal_content *content, struct bytes *names) {
  struct bytes records = {NULL, 0, 0};
  int result = take_module(log, from, rank, &records, names);
  struct log_part part = {.module = from->module->id,
                          .partial = from->partial,
                          .version = (uint32_t)from->module->version,
                          .records = records.at,
                          .length = records.n};
  if (from->module->kind == DARSHAN_KIND_COUNTERS) part.record_size = from->module->record_size;
  content->blocks[content->num_blocks++] = records.at;
  log_content_add(&content->content, &part);
  return result;
}

int node_log_rank(struct node_log *log, const char *path, int64_t rank,
                  struct journal_content *content, struct darshan_error *error) {
  struct bytes names = {NULL, 0, 0};
  int result = 0;
  memset(content, 0, sizeof(*content));
  snprintf(error->text, sizeof(error->text), "out of memory");
  if (load(log, path, error) < 0) return -1;
  map_clear(&log->named);
  for (int i = 0; result == 0 && i < log->part.count && content->num_blocks < LOG_PARTS; i++)
    if (log->part.modules[i].length > 0)
      result = take_part(log, &log->part.modules[i], rank, content, &names);
  content->names = names.at;
  content->content.names = names.at;
  content->content.names_length = names.n;
  if (result == 0) error->text[0] = '\0';
  return result;
}

void node_log_free(struct node_log *log) {
  unload(log);
  part_free(&log->part);
  map_free(&log->named);
}
