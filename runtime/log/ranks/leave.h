/* Candidates that need not travel further are written by this rank. */
#ifndef DARSHAN_RANKS_LEAVE_H
#define DARSHAN_RANKS_LEAVE_H

#include "sharing.h"
#include "streams.h"

struct leaving {
  struct arena *arena; /* of the streams */
  struct log_compressor *compressor;
  const struct sharing *sharing;
  int64_t nprocs;
  size_t most_bytes; /* that the candidates of a rank may take */
};

/* Compresses those that are complete: no other rank knows their id.  last: this
 * is the root, all are complete.  0, or -1: no memory. */
int leave_complete(const struct leaving *leaving, struct candidates *set, int last,
                   struct stretches *out);

/* If the set takes too much memory: first what is still of one rank leaves, to
 * stay a record of that rank; if that is not enough, the others become the
 * overflow record of their module.  out may stay empty. */
int leave_excess(const struct leaving *leaving, struct candidates *set, struct stretches *out);

#endif
