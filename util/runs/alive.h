/* Which processes live, by what they have said of themselves (doc/runs.md, "Who is alive"):
 * of those of this host and PID namespace the system knows it; of others nothing is known
 * until they have not been heard of for a week. */
#ifndef DARSHAN_RUNS_ALIVE_H
#define DARSHAN_RUNS_ALIVE_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../../runtime/format/owner.h"
#include "../../runtime/format/run.h"

enum alive_answer { ALIVE_NOT, ALIVE_YES, ALIVE_UNKNOWN };

struct alive_here {        /* this process's place and time */
  int64_t now_ns, boot_ns; /* wall clock, since the epoch */
  uint64_t pid_namespace;  /* 0: not known */
  char host[RUN_HOST];
  char boot[OWNER_BOOT + 1]; /* "": not known */
};

/* What is known of a process from what it left. */
struct alive_traces {
  pid_t pid;              /* 0: not known */
  uint64_t pid_namespace; /* 0: not known */
  int64_t start_ns;       /* of its program; 0: not known */
  char host[RUN_HOST];    /* "": this one */
  char boot[OWNER_BOOT + 1];
};

/* What /proc says of a process. */
struct alive_stat {
  char state;
  int64_t threads, start_ns;
};

/* A time of a stranger's, in nanoseconds, so that it can be reckoned with: 0 if there is no
 * such. */
static inline int64_t alive_time(int64_t seconds, int64_t nanoseconds) {
  enum { BILLION = 1000000000 };
  if (seconds < 0 || seconds > INT64_MAX / 4 / BILLION) return 0;
  return seconds * BILLION + (nanoseconds >= 0 && nanoseconds < BILLION ? nanoseconds : 0);
}

void alive_look_here(struct alive_here *here);
/* Began so before the last start of the system that it cannot be of this one. */
int alive_is_before_boot(const struct alive_here *here, int64_t start_ns);
/* The same kernel runs; or it is not known. */
int alive_is_of_this_boot(const struct alive_here *here, const struct alive_traces *traces);
/* seen_ns: when it was last heard of. */
enum alive_answer alive_process(const struct alive_here *here, const struct alive_traces *traces,
                                int64_t seen_ns);
enum alive_answer alive_by_age(const struct alive_here *here, int64_t seen_ns);
/* Reads what a journal says of its owner (format/owner.h).  0, or -1: nothing of use. */
int alive_read_owner(struct alive_traces *traces, const char *value);

/* A file below /proc/PID; its text, or -1. */
int alive_read_proc(char *out, size_t room, pid_t pid, const char *name);
int alive_read_stat(const struct alive_here *here, pid_t pid, struct alive_stat *out);
/* The process began later than that, by more than clocks err. */
int alive_is_younger(const struct alive_stat *stat, int64_t start_ns);

#endif
