/* The job record of the log. */
#ifndef DARSHAN_DESCRIBE_H
#define DARSHAN_DESCRIBE_H

#include <stdint.h>

/* Fills in the job record.  The mount table takes longest to read and serves only to find the
 * mount point of a file. */
void runtime_describe_job(int with_mounts);

/* Returns the start of recording in nanoseconds since the epoch, or the current time if the process
 * does not record. */
int64_t runtime_start_ns(void);

#endif
