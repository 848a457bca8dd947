/* From records in memory to a log file. */
#ifndef DARSHAN_WRITE_H
#define DARSHAN_WRITE_H

#include <sys/types.h>

#include "../job/logname.h"
#include "log-format.h"

/* The metadata that is known from the start. */
void log_metadata_start(struct darshan_job *job);

/* The time of the end, and the metadata that only the end knows. */
void log_end_now(struct darshan_job *job);

/* Writes the log of this process: compressed, to a temporary name, renamed when
 * it is complete.  0, or -1 with a message noted: the journal is then the only
 * copy. */
int log_write(void);

struct rank_comm; /* ranks/rank.h */
/* The same with all ranks of a job, which call it before the communicator is gone. */
int log_write_ranks(struct rank_comm *comm);

/* Prints what went wrong, in one line, if stderr still is what it was; 1 if so. */
int log_say_problems(void);

/* What is said of the log, and where. */
struct log_state {
  uint64_t start_cost_ns, write_cost_ns;
  int has_lost;     /* records, when nothing could be written */
  dev_t stderr_dev; /* to recognise stderr at the end */
  ino_t stderr_ino;
};
extern struct log_state log_state __attribute__((visibility("hidden")));
extern char log_path[DARSHAN_PATH_ROOM] __attribute__((visibility("hidden"))); /* of the log */

#endif
