/* See log-kind.h. */
#include "log-kind.h"

#include <string.h>

#include "darshan-read.h"

int log_is_of_job(const char *path) {
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_read(path, &error);
  if (!log) return 0;
  const struct darshan_info *info = darshan_log_info(log);
  int of_job = info->job.nprocs > 1;
  for (int i = 0; i < info->num_metadata; i++)
    of_job |= strcmp(info->metadata[i].key, "mpi") == 0;
  darshan_log_free(log);
  return of_job;
}
