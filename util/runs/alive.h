/* Decides which processes are alive, from their traces (doc/runs.md, "Which processes live"). The
 * kernel knows the processes of this host and PID namespace. A process of this host from before its
 * last boot is not alive. Any other process may be alive (ALIVE_UNKNOWN) until a week after its
 * last sign of life. */
#ifndef DARSHAN_RUNS_ALIVE_H
#define DARSHAN_RUNS_ALIVE_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../../runtime/format/owner.h"
#include "../../runtime/format/run.h"

enum alive_answer { ALIVE_NOT, ALIVE_YES, ALIVE_UNKNOWN };

struct alive_here {        /* host, PID namespace and time of the calling process */
  int64_t now_ns, boot_ns; /* wall clock, since the epoch */
  uint64_t pid_namespace;  /* 0: unknown */
  char host[RUN_HOST];
  char boot[OWNER_BOOT + 1]; /* "": unknown */
};

/* The data that a process stored about itself, in its row or journal. */
struct alive_traces {
  pid_t pid;              /* 0: unknown */
  uint64_t pid_namespace; /* 0: unknown */
  int64_t start_ns;       /* start of its program, nanoseconds since the epoch; 0: unknown */
  char host[RUN_HOST];    /* "": this host */
  char boot[OWNER_BOOT + 1];
};

/* The values of a process in /proc/PID/stat: its state letter, number of threads, and start in
 * nanoseconds since the epoch. */
struct alive_stat {
  char state;
  int64_t threads, start_ns;
};

/* Converts an untrusted time to nanoseconds that can be added and subtracted without overflow.
 * Returns 0 if the time is out of range. */
static inline int64_t alive_time(int64_t seconds, int64_t nanoseconds) {
  enum { BILLION = 1000000000 };
  if (seconds < 0 || seconds > INT64_MAX / 4 / BILLION) return 0;
  return seconds * BILLION + (nanoseconds >= 0 && nanoseconds < BILLION ? nanoseconds : 0);
}

void alive_look_here(struct alive_here *here);
/* Returns 1 if start_ns is certainly before the last boot, otherwise 0. */
int alive_is_before_boot(const struct alive_here *here, int64_t start_ns);
/* Returns 1 if the process ran under the current boot, or if one of the two boots is unknown;
 * otherwise 0. */
int alive_is_of_this_boot(const struct alive_here *here, const struct alive_traces *traces);
/* Decides whether the process that left these traces is alive. seen_ns: the time of its last sign
 * of life, nanoseconds since the epoch. */
enum alive_answer alive_process(const struct alive_here *here, const struct alive_traces *traces,
                                int64_t seen_ns);
enum alive_answer alive_by_age(const struct alive_here *here, int64_t seen_ns);
/* Reads the owner from a journal's metadata (format/owner.h) into *traces. Returns 0; -1 if the
 * value is not valid. */
int alive_read_owner(struct alive_traces *traces, const char *value);

/* Reads the text of the file /proc/PID/name into `out` of `room` bytes. Returns 0, or -1 if the
 * file cannot be read or is empty. */
int alive_read_proc(char *out, size_t room, pid_t pid, const char *name);
int alive_read_stat(const struct alive_here *here, pid_t pid, struct alive_stat *out);
/* Returns 1 if the process began after start_ns by more than the clock error, otherwise 0. */
int alive_is_younger(const struct alive_stat *stat, int64_t start_ns);

#endif
