/* Converts a log into a new log: the options, and the regions that are rewritten. */
#ifndef DARSHAN_CONVERT_CONVERT_H
#define DARSHAN_CONVERT_CONVERT_H

#include "hide.h"
#include "regions.h"

struct convert_options {
  const char *in, *out;
  int compression;
  struct hiding hiding;
  char *annotation; /* lines, separated by tabs; NULL: none */
  bool reset_metadata;
  bool annex;
  bool one_file; /* only records with the id `file` */
  uint64_t file;
};

/* Writes the job record, command line and mount table to out, which has DARSHAN_JOB_REGION_MAX
 * bytes. Returns the length, or -1 after a message if the metadata do not fit or memory is
 * exhausted. */
long job_region(const struct convert_options *options, const struct darshan_info *info, char *out);

/* Writes the name region. Returns 0, or -1 after a message. */
int names_region(const struct convert_options *options, darshan_log *log, struct regions *regions);

/* Reads the log options->in and writes the new log options->out. Returns 0, or -1 after a message;
 * there is no new file then, but a pipe, a device or standard output may have got a part. */
int convert(const struct convert_options *options);

#endif
