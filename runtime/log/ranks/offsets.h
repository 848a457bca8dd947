/* Writes the log file of all ranks: the root rank assigns file offsets to all streams, each rank
 * that holds streams writes them, and the root rank adds the header and renames the file. */
#ifndef DARSHAN_RANKS_OFFSETS_H
#define DARSHAN_RANKS_OFFSETS_H

#include "gather.h"

struct placed {
  int failed;            /* 1: this rank or a rank below it failed */
  int writes;            /* 1: this rank has offsets, and its parent waits for a reply */
  uint32_t writers;      /* bit n: the n-th child writes and will reply */
  uint64_t *places;      /* file offset of each line of the total */
  struct log_file *file; /* in the root rank, while it is open */
};

/* The fourth step: lays out the file in the root rank, passes the offsets down and writes the
 * streams of this rank. Sets placed->failed if that fails. */
void place_down(struct placed *placed, const struct rank *rank, struct gathered *gathered,
                const struct facts *facts);
/* The fifth step: determines whether this rank and the ranks below it have written, and sends the
 * result to the parent. Does nothing in a rank that got no offsets. */
void place_up(struct placed *placed, const struct rank *rank);
/* Called in the root rank when all ranks have written: adds the header and renames the file, or
 * removes it if a step failed. Returns 0, or -1 if there is no log. */
int place_complete(struct placed *placed, const struct rank *rank);
/* The last step: passes the result from the root rank down. Returns 0 if the log is complete, -1
 * if there is no log. */
int place_result(struct placed *placed, const struct rank *rank);

#endif
