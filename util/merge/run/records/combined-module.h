/* The records of one module of a rank, while they are combined into one per file. */
#ifndef DARSHAN_MERGE_COMBINED_MODULE_H
#define DARSHAN_MERGE_COMBINED_MODULE_H

#include "bytes.h"
#include "map.h"

struct combined_trace; /* of one file */

struct combined_module {
  struct bytes records;
  struct map by_id; /* offset of the record with this id */
  struct combined_trace *traces;
  size_t num_traces, room_traces;
  int with_threads; /* some segment names its thread */
  int partial;
};

#endif
