/* What layer attribution keeps besides its records. */
#ifndef DARSHAN_LAYERS_STATE_H
#define DARSHAN_LAYERS_STATE_H

#include <stdint.h>

#include "extents.h"
#include "records.h"

/* Belongs to an upper record. */
struct layer_state {
  int lock;
  int attached;
  struct darshan_layers_record *record; /* NULL: there was no room */
  struct layer_extents *extents[2];     /* read, written; NULL: none yet */
};

/* A transfer below a call that is not known yet to be about which record. */
struct layer_piece {
  uint32_t file, writes;
  int64_t offset, bytes;
};

enum { LAYER_PIECES = 32 };

struct layer_frame {
  struct layer_state *state;
  const char *stack;     /* to tell a frame that was left by longjmp */
  uint64_t nested_ticks; /* calls of upper layers inside this one */
  uint64_t posix_ticks, stdio_ticks;
  int64_t calls[3]; /* POSIX reads, writes, others */
  int64_t bytes[2]; /* read, written */
  int64_t stdio[3]; /* calls, bytes read, written */
  uint32_t sizes[2][10];
  uint32_t operation;
  uint32_t pieces; /* filled; the rest is undefined */
  int64_t bytes_without_piece[2];
  struct layer_piece piece[LAYER_PIECES];
};

enum { LAYER_DEPTH = 16 };

struct layer_thread { /* never given back: a thread may end inside a call */
  uint32_t depth;
  struct layer_frame frames[LAYER_DEPTH];
};

struct layers_state {
  uint32_t active; /* an upper layer has been seen in this process */
  struct layer_state application;
};

#endif
