/* Compares the job records, metadata and mount tables of two logs. */
#ifndef DARSHAN_DIFF_JOB_FIELDS_H
#define DARSHAN_DIFF_JOB_FIELDS_H

#include "darshan-read.h"
#include "options.h"
#include "output.h"

/* Prints the fields that differ. Returns their number. */
int job_fields_compare(const struct diff_options *options, const struct darshan_info *const info[2],
                       struct output *out);

#endif
