/* Writes the log of this process or of all ranks, and its final line on stderr. */
#ifndef DARSHAN_WRITE_H
#define DARSHAN_WRITE_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../job/text/logname.h"
#include "log-format.h"

/* Writes the metadata that is known at the start into the job record, in place of older metadata.
 * */
void log_metadata_start(struct darshan_job *job);

/* Sets the end time, and adds the metadata that is known only at exit. */
void log_end_now(struct darshan_job *job);

/* Writes the log of this process. Returns 0, or -1 after adding a message that says where the
 * records are: in the journal, in a snapshot, or lost. */
int log_write(void);

struct rank_comm; /* ranks/rank.h */
/* Writes one log of all ranks of a job. All ranks call it before the communicator is freed.
 * Returns 0, or -1 if there is no log. */
int log_write_ranks(struct rank_comm *comm);

/* Prints the problems of this process (or else the times of DARSHAN_INTERNAL_TIMING) in one line,
 * if stderr is the same file as at the start and this process is the one that recorded
 * (runtime_may_leave_files). Returns 1 if a line was printed, otherwise 0. */
int log_say_problems(void);

/* Data for the line that the runtime prints on standard error at the end. */
struct log_state {
  uint64_t start_cost_ns, write_cost_ns; /* time that the start and writing the log took */
  int has_lost;     /* records were lost, because the log could not be written */
  dev_t stderr_dev; /* to recognise stderr at exit */
  ino_t stderr_ino;
};
extern struct log_state log_state __attribute__((visibility("hidden")));
extern char log_path[DARSHAN_PATH_ROOM] __attribute__((visibility("hidden"))); /* path of the log */

/* Writes a line to descriptor 2, whose status is st, without blocking. Returns 1 if it was written,
 * 0 if not: the pipe is full or has no reader, the file may not grow, or the write failed. */
int say_on_stderr(const struct stat *st, const char *line, size_t length);

#endif
