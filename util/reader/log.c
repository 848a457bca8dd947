/* Opens a log and fills its struct darshan_info. */
#include "reader.h"
#include "record-id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_region(struct darshan_log *log, struct darshan_module_region region) {
  const struct darshan_module *module = darshan_module_by_id(region.id);
  region.name = module ? module->name : NULL;
  log->regions[log->info.num_modules++] = region;
}

static void list_modules(struct darshan_log *log) {
  const struct darshan_header *header = &log->frame.header;
  for (int i = 0; i < DARSHAN_MAX_MODULES; i++) {
    struct darshan_module_region region = {.id = i,
                                           .length = header->modules[i].len,
                                           .version = (int)header->module_versions[i],
                                           .partial = header->partial_flag >> i & 1};
    if (region.length || region.partial) add_region(log, region);
  }
  for (int i = 0; i < log->annex.num_blocks; i++) {
    const struct darshan_annex_block *block = &log->annex.blocks[i].block;
    struct darshan_module_region region = {
        .id = (int)block->module,
        .length = block->comp_type == DARSHAN_UNCOMPRESSED ? block->raw_len : block->stored_len,
        .version = (int)block->version,
        .partial = (block->flags & DARSHAN_ANNEX_PARTIAL) != 0};
    if (region.length || region.partial) add_region(log, region);
  }
}

static void fill_info(struct darshan_log *log) {
  struct darshan_info *info = &log->info;
  memcpy(info->version, log->frame.version, sizeof(info->version));
  info->compression = log->frame.header.comp_type;
  info->swapped = log->frame.swapped;
  info->partial_flag = log->frame.header.partial_flag;
  info->job_length = log->job.length;
  info->name_length = log->frame.header.names.len;
  info->job = log->job.job;
  info->run_time = log->job.run_time;
  info->exe = log->job.text;
  info->num_metadata = log->job.num_metadata;
  info->metadata = log->job.metadata;
  info->num_mounts = log->job.num_mounts;
  info->mounts = log->job.mounts;
  info->modules = log->regions;
  info->annex_problem = log->annex.problem.text[0] ? log->annex.problem.text : NULL;
  list_modules(log);
}

/* Reads the log in log->file, which is open. Returns the log. On failure, frees the log and returns
 * NULL with an error. */
static darshan_log *read_file(struct darshan_log *log, struct darshan_error *error) {
  if (darshan_header_read(&log->frame, &log->file, error) != 0 ||
      darshan_job_read(&log->job, &log->file, &log->frame, error) != 0 ||
      darshan_names_read(&log->names, &log->file, &log->frame, error) != 0) {
    darshan_log_free(log);
    return NULL;
  }
  darshan_annex_read(&log->annex, &log->file, log->frame.swapped);
  fill_info(log);
  return log;
}

static struct darshan_log *new_log(struct darshan_error *error) {
  struct darshan_log *log = calloc(1, sizeof(*log));
  if (log)
    log->file.fd = -1;
  else
    darshan_fail(error, "cannot open the log: out of memory");
  return log;
}

darshan_log *darshan_log_read(const char *path, struct darshan_error *error) {
  struct darshan_log *log = new_log(error);
  if (!log || darshan_file_open(&log->file, path, error) == 0)
    return log ? read_file(log, error) : NULL;
  darshan_log_free(log);
  return NULL;
}

darshan_log *darshan_log_read_part(int fd, uint64_t at, uint64_t length,
                                   struct darshan_error *error) {
  struct darshan_log *log = new_log(error);
  if (!log) return NULL;
  log->file.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  darshan_file_restrict(&log->file, at, length);
  if (log->file.fd >= 0) return read_file(log, error);
  darshan_fail(error, "%s", strerror(errno));
  darshan_log_free(log);
  return NULL;
}

void darshan_log_free(darshan_log *log) {
  if (!log) return;
  if (log->file.fd >= 0) close(log->file.fd);
  darshan_job_free(&log->job);
  darshan_names_free(&log->names);
  free(log);
}

const struct darshan_info *darshan_log_info(const darshan_log *log) {
  return &log->info;
}

const char *darshan_log_name(const darshan_log *log, uint64_t id) {
  return darshan_names_find(&log->names, id);
}

void darshan_log_each_name(const darshan_log *log,
                           void (*each)(uint64_t id, const char *name, void *context),
                           void *context) {
  darshan_names_each(&log->names, each, context);
}

void darshan_log_each_lookup(const darshan_log *log,
                             void (*each)(const char *name, size_t length, void *context),
                             void *context) {
  struct darshan_lookups all;
  char name[sizeof(all.slot[0].name)];
  darshan_lookups_read(&all, &log->file, log->frame.swapped);
  for (uint32_t i = 0; i < DARSHAN_LOOKUPS && i < all.count; i++) {
    const struct darshan_lookup *slot = &all.slot[(all.count - 1 - i) % DARSHAN_LOOKUPS];
    if (slot->taken || slot->length == 0 || slot->length >= sizeof(name)) continue;
    memcpy(name, slot->name, slot->length);
    name[slot->length] = '\0';
    each(name, strlen(name), context);
  }
}

int darshan_log_mount(const darshan_log *log, const char *name) {
  return darshan_mounts_find(&log->job, name);
}

uint64_t darshan_id_of_name(const char *name, size_t length) {
  return darshan_hash(name, length, 0);
}
