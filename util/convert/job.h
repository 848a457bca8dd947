/* The job region of the new log. */
#ifndef DARSHAN_CONVERT_JOB_H
#define DARSHAN_CONVERT_JOB_H

#include "options.h"

/* Writes job record, command line and mount table to a place of DARSHAN_JOB_REGION_MAX
 * bytes.  Returns the length, -1 after a line: the annotation does not fit. */
long job_region(const struct convert_options *options, const struct darshan_info *info, char *out);

#endif
