/* Converts a log into a new log: the options, and the regions that are rewritten. */
#ifndef DARSHAN_CONVERT_CONVERT_H
#define DARSHAN_CONVERT_CONVERT_H

#include "hide.h"
#include "regions.h"

struct convert_options {
  const char *in, *out; /* paths of the log and of the new log; out "-": standard output */
  int compression;      /* enum darshan_compression of the new log */
  struct hiding hiding; /* what to anonymize, and how */
  char *annotation;     /* lines that are added to the metadata, separated by tabs; NULL: none */
  bool reset_metadata;  /* do not copy the old metadata */
  bool annex;           /* copy the modules of the annex */
  bool one_file;        /* copy only records with the id `file` */
  uint64_t file;
};

/* Writes the job record, command line and mount table of the new log to out, which has
 * DARSHAN_JOB_REGION_MAX bytes, uncompressed. Cuts a command line that does not fit. Returns the
 * length in bytes, or -1 after a message if the metadata do not fit or if out of memory. */
long job_region(const struct convert_options *options, const struct darshan_info *info, char *out);

/* Writes the name region of the new log: the names of `log`, anonymized if requested, sorted.
 * Returns 0, or -1 after a message. */
int names_region(const struct convert_options *options, darshan_log *log, struct regions *regions);

/* Reads the log options->in and writes the new log options->out. Returns 0, or -1 after a message;
 * there is no new file then, but a pipe, a device or standard output may have got a part. */
int convert(const struct convert_options *options);

#endif
