/* The records of one module of a rank, while they become one per file. */
#ifndef DARSHAN_MERGE_COMBINED_MODULE_H
#define DARSHAN_MERGE_COMBINED_MODULE_H

#include "bytes.h"
#include "map.h"

struct combined_trace; /* of one file */

struct combined_module {
  struct bytes records;
  struct map by_id; /* where a record of this id begins */
  struct combined_trace *traces;
  size_t num_traces, room_traces;
  int with_threads; /* a segment of the traces says which thread made it */
  int partial;
};

#endif
