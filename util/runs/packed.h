/* Reads the file of a run that holds the small logs of many processes, `packed`
 * (runtime/format/run.h); no byte is trusted. Removes logs from it. */
#ifndef DARSHAN_RUNS_PACKED_H
#define DARSHAN_RUNS_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../runtime/format/run.h"

struct packed_log {
  int32_t pid;
  uint32_t number;
  int64_t start_ns;
  uint64_t at, length; /* of the log in the file */
};

/* Opens the file in a run directory, without following a link. Returns a descriptor, or -1 with
 * errno; ENOENT: there is no regular file with a part. */
int packed_open(int folder);
/* Calls `take` for each complete log, in the order of the file. Skips bytes that are not a log,
 * such as an incomplete log of a killed process, but ends after 64 MiB of such bytes. Returns 0, or
 * -1 with errno, or the negative value that `take` returned. */
int packed_each(int fd, int (*take)(void *context, const struct packed_log *log), void *context);
/* Waits until no process appends. Returns a descriptor that holds the exclusive lock on the file,
 * which closing it frees; -1 with errno: ENOENT (there is no file), EWOULDBLOCK (a process has held
 * a lock for a second). */
int packed_lock(int folder);
/* Removes logs: rewrites the file with the logs for which `keeps` returns nonzero, or removes the
 * file if there are none. fd: from packed_lock; new_name: name in the folder of the file while it
 * is written. Returns 0, or -1 with errno and the file unchanged. */
int packed_remove(int folder, int fd, const char *new_name,
                  int (*keeps)(void *context, const struct packed_log *log), void *context);

#endif
