/* The records of one journal as the reduction wants them. */
#ifndef DARSHAN_MERGE_CONTENT_H
#define DARSHAN_MERGE_CONTENT_H

#include "../../runtime/log/compose.h"
#include "darshan-read.h"

struct journal_content {
  struct log_content content;
  char *names;
  void *blocks[LOG_PARTS];
  int num_blocks;
};

/* with_records 0: names alone.  0, or -1 with an error. */
int journal_content_read(struct journal_content *content, const char *path, int with_records,
                         struct darshan_error *error);
void journal_content_free(struct journal_content *content);

/* The job region of a log: record and text of the journal's, with the metadata
 * that come on top ("key=value\n" each) but without those that are left out, and this
 * command line, if it is another one (else NULL).  Returns its length. */
size_t journal_job(char *out, const char *path, struct darshan_job job, const char *more,
                   const char *command, int (*leave_out)(const char *key));

#endif
