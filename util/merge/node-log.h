/* A node log: made from the journals of one node while other ranks of the job ran on other nodes.
 * It keeps one record per rank, so that the records of each rank can be read again. */
#ifndef DARSHAN_MERGE_NODE_LOG_H
#define DARSHAN_MERGE_NODE_LOG_H

#include "content.h"
#include "run/records/bytes.h"
#include "run/records/part.h"

/* The metadata key of a node log; its value is the number that all ranks of the job share. */
#define NODE_LOG_KEY "part_of_job"

struct node_log { /* zeroed before its first use; one log is in memory */
  char *path;
  struct part part;
  darshan_log *open; /* for record names */
  struct map named;
};

/* Returns the job's number, or 0 if the log is not a node log. */
uint64_t node_log_job(const struct darshan_info *info);
/* Reads the records of one rank. Keeps the last log in memory. Returns 0, or -1 with an error. */
int node_log_rank(struct node_log *log, const char *path, int64_t rank,
                  struct journal_content *content, struct darshan_error *error);
void node_log_free(struct node_log *log);

#endif
