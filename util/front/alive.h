/* Which processes live, as far as this one can see.  A journal is mapped as long as
 * its process lives; where that cannot be seen, the process's number, its start and
 * its namespace tell, and where they do not either, nothing happened for a week. */
#ifndef DARSHAN_FRONT_ALIVE_H
#define DARSHAN_FRONT_ALIVE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../../runtime/format/run.h"
#include "../parser/id-table.h"

struct alive_hidden { /* a process of ours whose mappings are not shown */
  pid_t pid;
  int64_t start_ns;
  char name[16];
};

struct alive {
  int64_t now_ns, boot_ns; /* wall clock, since the epoch */
  uint64_t pid_namespace;  /* ours; 0: not known */
  char host[RUN_HOST];
  int looked, can_look;
  struct id_table mapped; /* journals, by device and inode */
  struct alive_hidden *hidden;
  size_t num_hidden;
};

enum alive_answer { ALIVE_NOT, ALIVE_YES, ALIVE_UNKNOWN };

/* What is known of a process from what it left. */
struct alive_traces {
  pid_t pid;              /* 0: not known */
  uint64_t pid_namespace; /* 0: not known */
  int64_t start_ns;       /* of its program; 0: not known */
  const char *host;       /* NULL: this one */
};

/* A time of a stranger's, in nanoseconds, so that it can be reckoned with: 0 if there is no
 * such. */
static inline int64_t alive_time(int64_t seconds, int64_t nanoseconds) {
  enum { BILLION = 1000000000 };
  if (seconds < 0 || seconds > INT64_MAX / 4 / BILLION) return 0;
  return seconds * BILLION + (nanoseconds >= 0 && nanoseconds < BILLION ? nanoseconds : 0);
}

void alive_init(struct alive *alive);
void alive_free(struct alive *alive);

/* Whether somebody has this journal mapped. */
int alive_maps(struct alive *alive, const struct stat *journal);
/* Of a process without a journal; seen_ns: when it was last heard of. */
enum alive_answer alive_process(const struct alive *alive, const struct alive_traces *traces,
                                int64_t seen_ns);
/* Of the owner of a journal.  mapped 0: it lies where none is mapped, and is a copy.
 * start_ns, program: what it says of its program. */
enum alive_answer alive_journal(struct alive *alive, const struct stat *journal, int mapped,
                                int64_t start_ns, const char *program);

#endif
