/* The job, as its log says it. */
#ifndef DARSHAN_DESCRIBE_H
#define DARSHAN_DESCRIBE_H

#include <stdint.h>

/* Fills in the job's record; the mount table is what costs most to read, and
 * serves only to place names. */
void runtime_describe_job(int with_mounts);

/* Wall clock at which recording started, or now. */
int64_t runtime_start_ns(void);

#endif
