/* Prepares the records of one journal for the reduction (content.h). */
#include "content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/format/owner.h"
#include "../../runtime/job/text/jobtext.h"

struct bytes {
  char *at;
  size_t n, room;
};

/* Appends n bytes. Returns 0, or -1 if out of memory. */
static int append(struct bytes *bytes, const void *more, size_t n) {
  if (n > bytes->room - bytes->n) {
    size_t room = 2 * (bytes->n + n);
    char *at = realloc(bytes->at, room);
    if (!at) return -1;
    bytes->at = at;
    bytes->room = room;
  }
  memcpy(bytes->at + bytes->n, more, n);
  bytes->n += n;
  return 0;
}

static void add_name(uint64_t id, const char *name, void *context) {
  struct bytes *bytes = context;
  size_t before = bytes->n;
  if (append(bytes, &id, sizeof(id)) < 0 || append(bytes, name, strlen(name) + 1) < 0)
    bytes->n = before;
}

/* Reads all records of a module in the newest layout and adds them to the content. Returns 0, even
 * if the module has no data or is unknown, or -1 with an error. */
static int read_part(struct journal_content *content, darshan_log *log,
                     const struct darshan_module_region *region, struct darshan_error *error) {
  const struct darshan_module *module = darshan_module_by_id(region->id);
  struct bytes bytes = {NULL, 0, 0};
  const void *record;
  size_t size;
  int more;
  if (region->length == 0 || !module || module->kind == DARSHAN_KIND_NONE) return 0;
  darshan_records *records = darshan_records_open(log, region->id, error);
  if (!records) return -1;
  while ((more = darshan_records_next(records, &record, &size, error)) > 0)
    if (append(&bytes, record, size) < 0) {
      snprintf(error->text, sizeof(error->text), "cannot read the records: out of memory");
      more = -1;
      break;
    }
  darshan_records_close(records);
  content->blocks[content->num_blocks++] = bytes.at;
  struct log_part part = {.module = region->id,
                          .partial = region->partial,
                          .version = (uint32_t)module->version,
                          .records = bytes.at,
                          .length = bytes.n};
  if (module->kind == DARSHAN_KIND_COUNTERS) part.record_size = module->record_size;
  log_content_add(&content->content, &part);
  return more;
}

int journal_content_read(struct journal_content *content, const char *path, int with_records,
                         struct darshan_error *error) {
  struct bytes names = {NULL, 0, 0};
  int result = 0;
  memset(content, 0, sizeof(*content));
  darshan_log *log = darshan_log_read(path, error);
  if (!log) return -1;
  const struct darshan_info *info = darshan_log_info(log);
  darshan_log_each_name(log, add_name, &names);
  content->names = names.at;
  content->content.names = names.at;
  content->content.names_length = names.n;
  for (int i = 0; with_records && result == 0 && i < info->num_modules; i++)
    if (content->num_blocks < LOG_PARTS) result = read_part(content, log, &info->modules[i], error);
  darshan_log_free(log);
  return result;
}

void journal_content_free(struct journal_content *content) {
  for (int i = 0; i < content->num_blocks; i++)
    free(content->blocks[i]);
  free(content->names);
  memset(content, 0, sizeof(*content));
}

/* Writes the command line (NULL: that of `info`), and as many mount points as fit, the shortest
 * path first. room: bytes at `out`. Returns the number of bytes, with the final NUL. */
static size_t put_text(char *out, size_t room, const struct darshan_info *info,
                       const char *command) {
  size_t used = (size_t)snprintf(out, room, "%s", command ? command : info->exe);
  if (used >= room) used = room - 1;
  for (int i = info->num_mounts - 1; i >= 0; i--) {
    int n =
        snprintf(out + used, room - used, "\n%s\t%s", info->mounts[i].type, info->mounts[i].path);
    if ((size_t)n >= room - used) break;
    used += (size_t)n;
  }
  out[used] = '\0';
  return used + 1;
}

size_t journal_job(char *out, const darshan_log *log, struct darshan_job job, const char *more,
                   const char *command, int (*leave_out)(const char *key)) {
  size_t used = 0, text = 1;
  memset(job.metadata, 0, sizeof(job.metadata));
  out[sizeof(job)] = '\0';
  if (log) {
    const struct darshan_info *info = darshan_log_info(log);
    for (int i = 0; i < info->num_metadata; i++)
      if (strcmp(info->metadata[i].key, OWNER_KEY) != 0 &&
          !(leave_out && leave_out(info->metadata[i].key)))
        used = darshan_metadata_add(job.metadata, sizeof(job.metadata), used, info->metadata[i].key,
                                    info->metadata[i].value);
    text = put_text(out + sizeof(job), DARSHAN_JOB_REGION_MAX - sizeof(job), info, command);
  }
  if (used + strlen(more) < sizeof(job.metadata)) strcpy(job.metadata + used, more);
  memcpy(out, &job, sizeof(job));
  return sizeof(job) + text;
}

size_t journal_job_at(char *out, const char *path, struct darshan_job job, const char *more,
                      const char *command, int (*leave_out)(const char *key)) {
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_read(path, &error);
  size_t length = journal_job(out, log, job, more, command, leave_out);
  darshan_log_free(log);
  return length;
}
