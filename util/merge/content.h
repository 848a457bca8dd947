/* Reads the names and records of one journal into memory, as input of the reduction, which makes
 * one log from the records of all ranks. */
#ifndef DARSHAN_MERGE_CONTENT_H
#define DARSHAN_MERGE_CONTENT_H

#include "../../runtime/log/compose.h"
#include "darshan-read.h"

struct journal_content {
  struct log_content content; /* what the reduction reads; points to the memory below */
  char *names;                /* record ids, each with its name and NUL */
  void *blocks[LOG_PARTS];    /* the records of one module each */
  int num_blocks;
};

/* Reads the journal or log at path into *content, which the caller frees with journal_content_free,
 * also after an error. with_records: 0 to read only its names. Returns 0, or -1 with an error. */
int journal_content_read(struct journal_content *content, const char *path, int with_records,
                         struct darshan_error *error);
void journal_content_free(struct journal_content *content);

/* Writes the job region of a log to out, which has DARSHAN_JOB_REGION_MAX bytes: the job record
 * `job`, then the command line and mount table of `log`. log NULL: both are empty. more: lines
 * "key=value\n" that are added to the metadata of `log`; dropped if they do not fit. leave_out:
 * returns 1 for keys of the log's metadata that are not copied; NULL: all keys but the journal's
 * owner are copied. command: replaces the command line; NULL: that of `log`. Returns the region's
 * length in bytes. */
size_t journal_job(char *out, const darshan_log *log, struct darshan_job job, const char *more,
                   const char *command, int (*leave_out)(const char *key));
/* Writes the job region of the journal at `path`, as journal_job does, and returns its length. If
 * the journal cannot be read, works as journal_job does without a log. */
size_t journal_job_at(char *out, const char *path, struct darshan_job job, const char *more,
                      const char *command, int (*leave_out)(const char *key));

#endif
