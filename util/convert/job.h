/* Writes the job region of the new log. */
#ifndef DARSHAN_CONVERT_JOB_H
#define DARSHAN_CONVERT_JOB_H

#include "options.h"

/* Writes job record, command line and mount table; out has DARSHAN_JOB_REGION_MAX bytes. Returns
 * the length, or -1 after a message if the metadata do not fit or memory is exhausted. */
long job_region(const struct convert_options *options, const struct darshan_info *info, char *out);

#endif
