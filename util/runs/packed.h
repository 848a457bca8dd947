/* Declares functions that read the file `packed` of a run, which contains the small logs of many
 * processes (runtime/format/run.h); no byte is trusted. They also remove logs from the file. */
#ifndef DARSHAN_RUNS_PACKED_H
#define DARSHAN_RUNS_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../runtime/format/run.h"

/* A log in the file, and what its head says about the process that wrote it. */
struct packed_log {
  int32_t pid;
  uint32_t number;     /* number among the logs of the same program */
  int64_t start_ns;    /* start of the program, nanoseconds since the epoch */
  uint64_t at, length; /* offset and length of the log in the file */
};

/* Opens the file in a run directory, without following a link. folder: descriptor of the directory.
 * Returns a descriptor, or -1 with errno. ENOENT: the directory has no regular file with a part. */
int packed_open(int folder);
/* Calls `take` for each complete log, in the order of the file. Skips bytes that are not a log,
 * such as an incomplete log of a killed process, but stops after 64 MiB of them. Returns 0; -1 with
 * errno; or the negative value that `take` returned. */
int packed_each(int fd, int (*take)(void *context, const struct packed_log *log), void *context);
/* Waits until no process appends, and locks the file exclusively. folder: descriptor of the run
 * directory. Returns a descriptor that holds the lock; closing it releases the lock. Returns -1
 * with errno: ENOENT if there is no file, EWOULDBLOCK if the lock is not free within a second. */
int packed_lock(int folder);
/* Removes logs: rewrites the file with the logs for which `keeps` returns nonzero, or removes the
 * file if no log remains. fd: from packed_lock. new_name: name in the folder of the new file while
 * it is written. Returns 0, or -1 with errno and the file unchanged. */
int packed_remove(int folder, int fd, const char *new_name,
                  int (*keeps)(void *context, const struct packed_log *log), void *context);

#endif
