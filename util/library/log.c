/* Opens a log, and returns its job record, command line, mount table and modules. */
#include "handle.h"
#include "reader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXE_ROOM = 4096 };

void handle_complain(const struct handle *handle, const char *module,
                     const struct darshan_error *error) {
  fprintf(stderr, "darshan: %s: %s%s%s\n", handle->path, module ? module : "", module ? ": " : "",
          error->text);
}

void *darshan_log_open(const char *path) {
  struct darshan_error error = {""};
  struct handle *handle = path ? calloc(1, sizeof(*handle)) : NULL;
  if (handle) handle->path = strdup(path);
  if (!handle || !handle->path) {
    free(handle);
    return NULL;
  }
  handle->log = darshan_log_read(path, &error);
  if (!handle->log) {
    handle_complain(handle, NULL, &error);
    darshan_log_close(handle);
    return NULL;
  }
  memcpy(handle->version, darshan_log_info(handle->log)->version, sizeof(handle->version));
  return handle;
}

void darshan_log_close(void *log) {
  struct handle *handle = log;
  if (!handle) return;
  for (int i = 0; i < handle->num_modules; i++)
    darshan_records_close(handle->modules[i].records);
  free(handle->modules);
  darshan_log_free(handle->log);
  free(handle->path);
  free(handle);
}

int darshan_log_get_job(void *log, struct darshan_job *job) {
  const struct handle *handle = log;
  if (!handle || !job) return -1;
  *job = darshan_log_info(handle->log)->job;
  job->metadata[sizeof(job->metadata) - 1] = '\0';
  return 0;
}

int darshan_log_get_job_runtime(void *log, struct darshan_job job, double *runtime) {
  const struct handle *handle = log;
  if (!handle || !runtime) return -1;
  *runtime = darshan_run_time(&handle->log->frame, &job);
  return 0;
}

int darshan_log_get_exe(void *log, char *exe) {
  const struct handle *handle = log;
  if (!handle || !exe) return -1;
  /* 3.5 does not find the end of the command line if no mount table follows, and PyDarshan's tests
   * expect "N/A" for it. So the result is then empty. */
  bool ends = handle->log->job.tokens != NULL;
  snprintf(exe, EXE_ROOM, "%s", ends ? darshan_log_info(handle->log)->exe : "");
  return 0;
}

int darshan_log_get_mounts(void *log, struct darshan_mnt_info **mounts, int *count) {
  const struct handle *handle = log;
  if (!handle || !mounts || !count) return -1;
  const struct darshan_info *info = darshan_log_info(handle->log);
  *count = 0;
  *mounts = calloc((size_t)info->num_mounts + 1, sizeof(**mounts)); /* NULL means failure */
  if (!*mounts) return -1;
  for (int i = 0; i < info->num_mounts; i++) {
    struct darshan_mnt_info *mount = &(*mounts)[i];
    snprintf(mount->mnt_type, sizeof(mount->mnt_type), "%s", info->mounts[i].type);
    snprintf(mount->mnt_path, sizeof(mount->mnt_path), "%s", info->mounts[i].path);
  }
  *count = info->num_mounts;
  return 0;
}

/* Returns true if darshan_log_get_modules lists this region. It does not list modules of the annex,
 * because callers expect to know every module. */
static bool is_listed(const struct darshan_module_region *region) {
  enum { BITS = 31 }; /* number of bits in partial_flag */
  return region->id < BITS && region->length > 0 && region->name;
}

void darshan_log_get_modules(void *log, struct darshan_mod_info **modules, int *count) {
  const struct handle *handle = log;
  if (count) *count = 0;
  if (modules) *modules = NULL;
  if (!handle || !modules || !count) return;
  const struct darshan_info *info = darshan_log_info(handle->log);
  *modules = calloc((size_t)info->num_modules + 1, sizeof(**modules));
  for (int i = 0; *modules && i < info->num_modules; i++) {
    const struct darshan_module_region *region = &info->modules[i];
    if (!is_listed(region)) continue;
    (*modules)[(*count)++] =
        (struct darshan_mod_info){.name = (char *)region->name,
                                  .len = region->length > INT_MAX ? INT_MAX : (int)region->length,
                                  .ver = region->version,
                                  .idx = region->id,
                                  .partial_flag = region->partial ? 1 << region->id : 0};
  }
}

char *darshan_log_get_lib_version(void) {
  static char version[] =
      "3.5.0"; /* of this interface; PyDarshan for this interface accepts no other version */
  return version;
}

void darshan_free(void *memory) {
  free(memory);
}
