/* Layer attribution: what a call of an upper layer (HDF5) becomes below.
 *
 * A wrapper of an upper layer opens a frame; POSIX calls that the same thread
 * makes meanwhile are added to the innermost frame; when the call is over, the
 * frame is added to the record of the dataset or file that it was about.  What
 * is called inside no frame goes to the record "<application>". */
#ifndef DARSHAN_LAYERS_H
#define DARSHAN_LAYERS_H

#include <stdint.h>

#include "../../intercept/inside.h"
#include "extents.h"
#include "layers-state.h"

struct darshan_layers_record;

enum layer_operation {
  LAYER_OPEN,
  LAYER_READ,
  LAYER_WRITE,
  LAYER_FLUSH,
  LAYER_CLOSE,
  LAYER_ATTR,
  LAYER_META,
  LAYER_OPERATIONS
};

/* Gives an upper record its attribution; of two that share one, the upper layer
 * gives its name to UPPER_MODULE.  0, or -1: no room. */
int layer_attach(struct layer_state *state, uint64_t id, const char *name, size_t length,
                 int upper_module);
int layers_prepare(void);
void layers_forked(void);
/* This thread is inside calls of upper layers; a jump leaves those that is_left says. */
int layers_are_inside(void);
void layers_left(int (*is_left)(const void *jump, const char *frame), const void *jump);

/* state: of what the call is about, NULL if that is known only afterwards. */
struct layer_frame *layer_push(enum layer_operation operation, struct layer_state *state);
/* Books the frame; state NULL: nothing is recorded of this call. */
void layer_pop(struct layer_frame *frame, struct layer_state *state, uint64_t t1, uint64_t t2);
/* The same inside an update (runtime_enter), with no lock held. */
void layer_pop_inside(struct layer_frame *frame, struct layer_part *part, uint64_t t1, uint64_t t2);

/* Instead of layer_pop, where a call was about several records: books `weight` of
 * `of`, which is what has not been booked yet, with the time from t1 to t2.  The
 * last share, weight == of, ends the frame. */
void layer_share(struct layer_frame *frame, struct layer_state *state, uint64_t weight, uint64_t of,
                 uint64_t t1, uint64_t t2);
/* share.c: the share itself, out of what is left of a frame; all of it if weight
 * is of. */
void layer_take(struct layer_frame *part, struct layer_frame *left, uint64_t weight, uint64_t of);

/* The record, locked, to note what a dataset is like; NULL if there is none. */
struct darshan_layers_record *layer_lock(struct layer_state *state);
void layer_unlock(struct layer_state *state);

/* From the POSIX module, after each event that it counted. */
void layers_transfer_slow(uint32_t file, int writes, int64_t bytes, int64_t offset, uint64_t ticks);
void layers_other_slow(uint64_t ticks);
/* The transfer just told of began this long before the call that ended it: an
 * asynchronous one.  That time is not the call's. */
void layers_began_before(uint64_t ticks);
/* From the STDIO module. */
void layers_stdio_slow(int64_t bytes_read, int64_t bytes_written, uint64_t ticks);

/* between.c: layers that stand between an upper layer and POSIX, MPI-IO and MPI's
 * communication.  Inside a call of an upper layer they are a part of its frame;
 * an MPI-IO call that is inside nothing has a frame of its own. */
struct layer_between {
  struct layer_frame *frame;
  uint64_t below; /* ticks that the frame had given to other layers before */
  int own_frame;
};
/* Whether the stack that runs is inside a call that has a frame: a load and a branch
 * where it is not. */
static inline int layers_inside(void) {
  return __builtin_expect(darshan_inside.layers != NULL, 0) && darshan_inside.layers->depth != 0;
}
void layer_communication_begin(struct layer_between *between);
void layer_communication_end(const struct layer_between *between, uint64_t t1, uint64_t t2);
/* state of the end: what the call was about, if it has a frame of its own; bytes
 * asked for, -1: it is no read, no write. */
void layer_mpiio_begin(struct layer_between *between, enum layer_operation operation,
                       struct layer_state *state);
void layer_mpiio_end(const struct layer_between *between, struct layer_state *state,
                     int64_t bytes_read, int64_t bytes_written, uint64_t t1, uint64_t t2);
/* The innermost frame of this thread, NULL: none. */
struct layer_frame *layer_current(void);
/* The same, once frames that were left by longjmp are gone. */
struct layer_frame *layer_current_above(const char *stack);

/* The first call of an upper layer: what was counted before it becomes the
 * application's, everything after it is told to this module. */
void layers_activate(void);
/* The record of what no upper layer called. */
struct layer_state *layers_application(void);

#endif
