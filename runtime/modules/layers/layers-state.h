/* What layer attribution keeps besides its records. */
#ifndef DARSHAN_LAYERS_STATE_H
#define DARSHAN_LAYERS_STATE_H

#include <stdint.h>

#include "../../memory/segments.h"
#include "extents.h"

struct darshan_layers_record;

/* Belongs to a record of LAYERS.  Two upper records of one name share it: a file
 * that is opened by HDF5 and by MPI-IO. */
struct layer_part {
  int lock;
  struct darshan_layers_record *record; /* NULL: not made yet */
  struct layer_extents *extents[2];     /* read, written; NULL: none yet */
};

/* Belongs to an upper record. */
struct layer_state {
  int attached;
  struct layer_part *part; /* NULL: there was no room */
};

/* A transfer below a call that is not known yet to be about which record. */
struct layer_piece {
  uint32_t file, writes;
  int64_t offset, bytes;
};

enum { LAYER_PIECES = 32 };

/* What happened below a call, in the order of the counters of an operation. */
enum layer_count {
  BELOW_POSIX_READS,
  BELOW_POSIX_WRITES,
  BELOW_POSIX_OTHER,
  BELOW_POSIX_BYTES_READ,
  BELOW_POSIX_BYTES_WRITTEN,
  BELOW_STDIO_CALLS,
  BELOW_STDIO_BYTES_READ,
  BELOW_STDIO_BYTES_WRITTEN,
  BELOW_MPIIO_CALLS,
  BELOW_MPIIO_BYTES_READ,
  BELOW_MPIIO_BYTES_WRITTEN,
  BELOW_COMM_CALLS,
  BELOW_COUNTS
};
/* ... and whose time it was, in the order of the times of an operation. */
enum layer_time { BELOW_POSIX, BELOW_STDIO, BELOW_MPIIO, BELOW_COMM, BELOW_TIMES };

struct layer_sums {
  uint64_t nested_ticks; /* calls of upper layers inside this one */
  uint32_t operation;
  uint32_t told; /* something happened below; 0: all that follows is zero */
  uint64_t ticks[BELOW_TIMES];
  int64_t counts[BELOW_COUNTS];
  uint32_t sizes[2][10], mpiio_sizes[2][10]; /* reads, writes */
};

struct layer_frame {
  struct layer_sums sums;
  uint32_t pieces; /* filled; the rest is undefined */
  int64_t bytes_without_piece[2];
  struct layer_state *state;
  const char *stack; /* to tell a frame that was left by longjmp */
  struct layer_thread *of;
  uint32_t level; /* in it */
  struct layer_piece piece[LAYER_PIECES];
};

enum { LAYER_DEPTH = 16 };

/* The frames of one stack, from its outermost call on; darshan_inside.layers.  Never given
 * back to the system: a thread may end inside a call. */
struct layer_thread {
  uint32_t depth;
  struct layer_frame frames[LAYER_DEPTH + 1]; /* one to share out from, see layer_share */
};

struct layers_state {
  uint32_t active;       /* an upper layer has been seen in this process */
  struct segments parts; /* layer_part, by record number */
  struct layer_state application;
};

extern struct layers_state layers_state __attribute__((visibility("hidden")));

#endif
