/* State of layer attribution that is not part of a record. */
#ifndef DARSHAN_LAYERS_STATE_H
#define DARSHAN_LAYERS_STATE_H

#include <stdint.h>

#include "../../memory/segments.h"

/* The set of bytes that were accessed, in bounded memory: a sorted list of ranges. When the list is
 * full, the two ranges with the smallest gap are joined, and the bytes of the gap are added to
 * `error`. */

enum { EXTENTS = 96, FIRST_EXTENTS = 4 };

struct layer_extents {
  uint32_t used;
  uint32_t room;  /* number of slots, at most EXTENTS */
  uint32_t last;  /* index of the range that was changed last */
  uint64_t error; /* number of bytes in the ranges that were not accessed */
  struct {
    uint64_t start, end; /* end is exclusive; the upper bits have the file's number */
  } extent[];
};

/* Returns a list with space for one more range: `extents` or a larger copy of it, which replaces
 * it; the old list is never freed. extents: NULL: makes the first list, which is small, because
 * most datasets are read and written in one piece. If out of memory, returns `extents`, which may
 * be NULL. */
struct layer_extents *extents_with_room(struct layer_extents *extents);
/* Adds the range of `bytes` bytes that begins at `start` to the set. Returns how many bytes the set
 * grew by, with those of a gap that it closed because the list is full; 0 if it already contained
 * the whole range. The list must come from extents_with_room. */
int64_t extents_add(struct layer_extents *extents, uint64_t start, uint64_t bytes);
/* Returns how many bytes of the range from start, `bytes` bytes long, are in the set. */
uint64_t extents_overlap(const struct layer_extents *extents, uint64_t start, uint64_t bytes);

struct darshan_layers_record;

/* A LAYERS record with its lock. Upper records with the same name share it, for example those of a
 * file that is opened by HDF5 and by MPI-IO. */
struct layer_part {
  int lock;
  struct darshan_layers_record *record; /* NULL: no record yet */
  struct layer_extents *extents[2];     /* of reads, of writes; NULL: none yet */
};

/* The link from an upper record (of HDF5, PnetCDF, GDS or MPI-IO) to its LAYERS record. */
struct layer_state {
  int attached;            /* 1: layer_attach was called, so that `part` is valid */
  struct layer_part *part; /* NULL: there is no LAYERS record, because the table is full */
};

/* A range of a file that POSIX read or wrote within a call, stored until it is known to which
 * record the call belongs. */
struct layer_piece {
  uint32_t file, writes; /* number of the POSIX file; 1: a write, 0: a read */
  int64_t offset, bytes;
};

enum { LAYER_PIECES = 32 };

/* Indexes of layer_sums.counts: what lower layers did within a call, in the order of the counters
 * of an operation in a LAYERS record. */
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
/* Indexes of layer_sums.ticks: the time that lower layers took within a call, in the order of the
 * times of an operation in a LAYERS record. */
enum layer_time { BELOW_POSIX, BELOW_STDIO, BELOW_MPIIO, BELOW_COMM, BELOW_TIMES };

/* Sums over the calls of lower layers within a call of an upper layer. */
struct layer_sums {
  uint64_t nested_ticks; /* time of nested calls of upper layers */
  uint32_t operation;    /* enum layer_operation: the kind of the call */
  uint32_t told;         /* 0: no lower layer was called, and all members below are zero */
  uint64_t ticks[BELOW_TIMES];
  int64_t counts[BELOW_COUNTS];
  uint32_t sizes[2][10], mpiio_sizes[2][10]; /* numbers of reads and of writes by size */
};

/* A call of an upper layer in progress. The members before `state` are 0 in an unused frame. */
struct layer_frame {
  struct layer_sums sums;
  uint32_t pieces;                /* number of used elements of `piece`; the others are undefined */
  int64_t bytes_without_piece[2]; /* read, written: bytes for which there was no free piece */
  uint32_t reported;              /* 1: `moved` has the bytes of the call, read and written */
  int64_t moved[2];
  struct layer_state *state; /* of the called object; NULL: not known yet */
  const char *stack; /* address in the caller's stack, to detect a frame that longjmp abandoned */
  struct layer_thread *of;
  uint32_t level; /* index in of->frames (`of`: the frame's stack) */
  struct layer_piece piece[LAYER_PIECES];
};

enum { LAYER_DEPTH = 16 };

/* The frames of one stack, outermost first; darshan_inside.layers points to them. The memory is
 * never unmapped, because a thread may exit within a call. */
struct layer_thread {
  uint32_t depth;                             /* number of open frames */
  struct layer_frame frames[LAYER_DEPTH + 1]; /* one more frame for layer_share */
};

struct layers_state {
  uint32_t active;       /* 1: an upper layer was called in this process */
  struct segments parts; /* layer_part, by number of the record */
  struct layer_state application;
};

extern struct layers_state layers_state __attribute__((visibility("hidden")));

#endif
