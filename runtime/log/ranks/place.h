/* The file: the root says where each stretch of streams goes, whoever holds
 * some writes them, the root adds the frame and gives the name. */
#ifndef DARSHAN_RANKS_PLACE_H
#define DARSHAN_RANKS_PLACE_H

#include "gather.h"

struct placed {
  int failed;            /* this rank, or one below it */
  int writes;            /* places have come: this rank has something to write */
  uint32_t writers;      /* bit n: the n-th child writes, and will say whether it did */
  uint64_t *places;      /* in the file, of each line of the total */
  struct log_file *file; /* root only, while it is open */
};

/* The fourth step.  */
void place_down(struct placed *placed, const struct rank *rank, struct gathered *gathered,
                const struct facts *facts);
/* The fifth: did those below write. */
void place_up(struct placed *placed, const struct rank *rank);
/* Root, after everything is written: header and name; or, if something failed,
 * no file at all.  0 or -1. */
int place_complete(struct placed *placed, const struct rank *rank);
/* The last step: 0, the log is complete; -1: there is none. */
int place_result(struct placed *placed, const struct rank *rank);

#endif
