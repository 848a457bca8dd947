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
  int64_t now_ns, boot_ns; /* now; last boot of the host; wall clock, nanoseconds since the epoch */
  uint64_t pid_namespace;  /* inode number of /proc/self/ns/pid; 0: unknown */
  char host[RUN_HOST];     /* host name without its domain; may be truncated */
  char boot[OWNER_BOOT + 1]; /* the kernel's boot id; "": unknown */
};

/* The data that a process stored about itself, in its row or journal. */
struct alive_traces {
  pid_t pid;                 /* 0: unknown */
  uint64_t pid_namespace;    /* 0: unknown */
  int64_t start_ns;          /* start of its program, nanoseconds since the epoch; 0: unknown */
  char host[RUN_HOST];       /* "": this host */
  char boot[OWNER_BOOT + 1]; /* boot id under which it ran; "": unknown */
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

/* Fills *here for the calling process. Values that cannot be read are 0 or "". */
void alive_look_here(struct alive_here *here);
/* Returns 1 if start_ns is certainly before the last boot, otherwise 0. */
int alive_is_before_boot(const struct alive_here *here, int64_t start_ns);
/* Returns 1 if the process ran under the current boot, or if one of the two boots is unknown;
 * otherwise 0. */
int alive_is_of_this_boot(const struct alive_here *here, const struct alive_traces *traces);
/* Decides whether the process that left these traces is alive. seen_ns: the time of its last sign
 * of life, such as its last row or the last change of its journal; nanoseconds since the epoch. */
enum alive_answer alive_process(const struct alive_here *here, const struct alive_traces *traces,
                                int64_t seen_ns);
/* Decides by age only: ALIVE_NOT if the last sign of life is more than a week ago, otherwise
 * ALIVE_UNKNOWN. */
enum alive_answer alive_by_age(const struct alive_here *here, int64_t seen_ns);
/* Reads the owner of a journal, the value of a metadata key (format/owner.h), into *traces: pid,
 * PID namespace, boot and host. Does not set start_ns. Returns 0; -1 if the value is not valid. */
int alive_read_owner(struct alive_traces *traces, const char *value);

/* Reads the text of the file /proc/PID/name into `out` of `room` bytes. Returns 0, or -1 if the
 * file cannot be read or is empty. */
int alive_read_proc(char *out, size_t room, pid_t pid, const char *name);
/* Reads /proc/PID/stat into *out. Returns 0; -1 if the process does not exist or the file cannot be
 * read. */
int alive_read_stat(const struct alive_here *here, pid_t pid, struct alive_stat *out);
/* Returns 1 if the process began more than two seconds (the clock error) after start_ns, so that it
 * is another one with the same pid. Otherwise, and for start_ns 0 (unknown), returns 0. */
int alive_is_younger(const struct alive_stat *stat, int64_t start_ns);

#endif
