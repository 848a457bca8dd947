/* A log that was made of the journals of one node, while other ranks of the job were on others:
 * it has a record per rank, so that what each rank did can be had of it again. */
#ifndef DARSHAN_MERGE_NODE_LOG_H
#define DARSHAN_MERGE_NODE_LOG_H

#include "content.h"
#include "run/map.h"
#include "run/part.h"

/* Metadata of such a log: the number that the ranks of its job have in common. */
#define NODE_LOG_KEY "part_of_job"

struct node_log { /* zeroed before its first use; the one that is in memory */
  char *path;
  struct part part;
  darshan_log *open; /* for its names */
  struct map named;
};

/* The number, 0: it is no such log. */
uint64_t node_log_job(const struct darshan_info *info);
/* What one of its ranks did, read anew only if another log was in memory.  0, or -1 with an error.
 */
int node_log_rank(struct node_log *log, const char *path, int64_t rank,
                  struct journal_content *content, struct darshan_error *error);
void node_log_free(struct node_log *log);

#endif
