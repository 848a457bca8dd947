/* Layer attribution: counts the calls of lower layers that a call of an upper layer (for example
 * HDF5) makes. A wrapper of an upper layer opens a frame. While it is open, calls of POSIX, STDIO,
 * MPI-IO and MPI communication on the same stack are added to the innermost frame. When the call
 * returns, the frame is added to the LAYERS record of its dataset or file. Calls outside of all
 * frames are added to the record "<application>". */
#ifndef DARSHAN_LAYERS_H
#define DARSHAN_LAYERS_H

#include <stdint.h>

#include "../../intercept/guard.h"
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

/* layer_attach connects an upper record with the LAYERS record of this id, which it makes if
 * necessary. upper_module: module of the upper record; if two upper records share the LAYERS
 * record, it stores the module of the higher layer. Returns 0, or -1 if there is no LAYERS
 * record. */
int layer_attach(struct layer_state *state, uint64_t id, const char *name, size_t length,
                 int upper_module);
int layers_prepare(void);
void layers_forked(void);
/* layers_are_inside returns 1 if this thread is within calls of upper layers, otherwise 0.
 * layers_left drops the innermost frames that a jump abandons; is_left reports whether it abandons
 * a frame. */
int layers_are_inside(void);
void layers_left(int (*is_left)(const void *jump, const char *frame), const void *jump);

/* Opens a frame for a call. state: that of the call's object, or NULL if the object is known only
 * after the call. Returns NULL if no frame is free. */
struct layer_frame *layer_push(enum layer_operation operation, struct layer_state *state);
/* Closes the frame and adds it to the record. state: NULL if the call's object is not recorded. */
void layer_pop(struct layer_frame *frame, struct layer_state *state, uint64_t t1, uint64_t t2);
/* layer_pop_inside closes a frame like layer_pop, but between runtime_enter and runtime_leave,
 * without any lock. The caller calls layer_popped_inside after runtime_leave. */
void layer_pop_inside(struct layer_frame *frame, struct layer_part *part, uint64_t t1, uint64_t t2);
void layer_popped_inside(struct layer_frame *frame, const struct layer_part *part, uint64_t t1,
                         uint64_t t2);

/* Sets the bytes of a call for its call site, in place of the bytes that lower layers moved. frame
 * may be NULL. */
void layer_moved(struct layer_frame *frame, int64_t bytes_read, int64_t bytes_written);

/* Called several times instead of layer_pop, if a call was about several records. Adds the fraction
 * weight / of of the frame's remaining counts, and the time from t1 to t2, to a record. The last
 * call, with weight == of, closes the frame. */
void layer_share(struct layer_frame *frame, struct layer_state *state, uint64_t weight, uint64_t of,
                 uint64_t t1, uint64_t t2);
/* Moves a fraction of the counts of the frame `left` to `part`: weight / of, or everything if both
 * are equal (share.c). */
void layer_take(struct layer_frame *part, struct layer_frame *left, uint64_t weight, uint64_t of);

/* Locks and returns the LAYERS record, so that the caller can store properties of a dataset in it;
 * NULL if there is none. */
struct darshan_layers_record *layer_lock(struct layer_state *state);
void layer_unlock(struct layer_state *state);

/* Called by the POSIX module after each event that it counted: layers_transfer_slow adds a
 * transfer, layers_other_slow another call, to the innermost frame, or to the record of the
 * application if no frame is open. */
void layers_transfer_slow(uint32_t file, int writes, int64_t bytes, int64_t offset, uint64_t ticks);
void layers_other_slow(uint64_t ticks);
/* Notes that the last transfer was asynchronous, and began `ticks` ticks before the call that
 * finished it. This time is not part of the call. */
void layers_began_before(uint64_t ticks);
/* Called by the STDIO module after each event that it counted: adds the call to the innermost
 * frame, or to the record of the application if no frame is open. */
void layers_stdio_slow(int64_t bytes_read, int64_t bytes_written, uint64_t ticks);

/* State of a call of MPI-IO or MPI communication, which is a layer between an upper layer and POSIX
 * (between.c). Within a call of an upper layer, it is added to the frame of that call. An MPI-IO
 * call outside of all frames has a frame of its own. */
struct layer_between {
  struct layer_frame *frame;
  uint64_t below; /* ticks that the frame had attributed to other layers before */
  int own_frame;
};
/* Returns 1 if the running stack is within a call that has a frame, otherwise 0. Costs a load and a
 * branch if not. */
static inline int layers_inside(void) {
  return __builtin_expect(darshan_inside.layers != NULL, 0) && darshan_inside.layers->depth != 0;
}
void layer_communication_begin(struct layer_between *between);
void layer_communication_end(const struct layer_between *between, uint64_t t1, uint64_t t2);
/* Begin and end an MPI-IO call. The call gets a frame of its own (between->own_frame becomes 1)
 * unless a call of an upper layer is active. state: that of the call's file; layer_mpiio_end uses
 * it only if the call has its own frame. bytes_read, bytes_written: requested bytes; -1 if the call
 * does not read or write. */
void layer_mpiio_begin(struct layer_between *between, enum layer_operation operation,
                       struct layer_state *state);
void layer_mpiio_end(const struct layer_between *between, struct layer_state *state,
                     int64_t bytes_read, int64_t bytes_written, uint64_t t1, uint64_t t2);
/* Returns the innermost frame of this thread, or NULL. */
struct layer_frame *layer_current(void);
/* Drops frames that a longjmp abandoned, which are below the address `stack`, and returns the
 * innermost remaining frame, or NULL. */
struct layer_frame *layer_current_above(const char *stack);

/* Begins attribution, at the first call of an upper layer. Attributes all earlier events to the
 * application; from now on this module is notified of every event. */
void layers_activate(void);
/* Returns the state of the record of calls that no upper layer made. */
struct layer_state *layers_application(void);

#endif
