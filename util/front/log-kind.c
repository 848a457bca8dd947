#include "log-kind.h"

#include <string.h>

#include "darshan-util.h"

struct log_kind log_kind_of(const char *path) {
  struct darshan_error error = {""};
  struct log_kind kind = {1, 0};
  darshan_log *log = darshan_log_open(path, &error);
  if (!log) return kind;
  const struct darshan_info *info = darshan_log_info(log);
  kind.has_records = info->num_modules > 0;
  kind.of_job = info->job.nprocs > 1;
  for (int i = 0; i < info->num_metadata; i++)
    kind.of_job |= strcmp(info->metadata[i].key, "mpi") == 0;
  darshan_log_close(log);
  return kind;
}
