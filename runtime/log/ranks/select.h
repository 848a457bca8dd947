/* What a rank has, in two: what is certainly its own alone is compressed here
 * and now; what another rank may have too becomes a candidate. */
#ifndef DARSHAN_RANKS_SELECT_H
#define DARSHAN_RANKS_SELECT_H

#include "../compose.h"
#include "sharing.h"
#include "streams.h"

struct selection {
  struct arena *arena;   /* of the candidates, and of what is soon forgotten */
  struct arena *streams; /* of what is compressed */
  struct log_compressor *compressor;
  const struct sharing *sharing;
  int64_t rank;       /* of the candidates */
  unsigned all_ranks; /* that make this log; 0 in the root, which writes what all know */
  int together;       /* 1: even what is known to this rank alone is a candidate: a job of one */
  int reduce;         /* 0: records stay with their rank, only names are candidates */
};

/* own and candidates are filled; 0, or -1: no memory. */
int select_content(const struct selection *selection, const struct log_content *content,
                   struct stretches *own, struct candidates *candidates);

#endif
