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

/* Connects an upper record with the LAYERS record of this id and name, which it makes if necessary.
 * Later calls for this state do nothing. upper_module: id of the module of the upper record; if two
 * upper records share the LAYERS record, the record stores the larger id, that of the higher layer.
 * Returns 0, or -1 if there is no LAYERS record. The caller has entered the runtime and holds no
 * lock. */
int layer_attach(struct layer_state *state, uint64_t id, const char *name, size_t length,
                 int upper_module);
int layers_prepare(void);
void layers_forked(void);
/* layers_are_inside returns 1 if the running stack is within a call of an upper layer, otherwise 0.
 * layers_left drops the innermost frames that a jump (longjmp) abandons: those for whose address on
 * the stack is_left(jump, address) returns 1. */
int layers_are_inside(void);
void layers_left(int (*is_left)(const void *jump, const char *frame), const void *jump);

/* Opens a frame for a call of an upper layer and returns it; the caller passes it to layer_pop
 * after the call. state: that of the call's object, or NULL if the object is known only after the
 * call. Returns NULL if no frame is free; the functions below accept NULL. */
struct layer_frame *layer_push(enum layer_operation operation, struct layer_state *state);
/* Closes the frame of a call and adds its counts and times to the LAYERS record of `state`, or to
 * that of the application if state is NULL, because the call's object is not recorded. frame: from
 * layer_push; NULL: does nothing. t1, t2: ticks before and after the call. The caller holds no
 * lock. */
void layer_pop(struct layer_frame *frame, struct layer_state *state, uint64_t t1, uint64_t t2);
/* layer_pop_inside closes a frame like layer_pop, but between runtime_enter and runtime_leave, and
 * for a frame that is not NULL. The caller holds no lock, and calls layer_popped_inside with the
 * same arguments after runtime_leave. */
void layer_pop_inside(struct layer_frame *frame, struct layer_part *part, uint64_t t1, uint64_t t2);
void layer_popped_inside(struct layer_frame *frame, const struct layer_part *part, uint64_t t1,
                         uint64_t t2);

/* Sets the bytes that a call read and wrote, which are counted for its call site (sites.h) in place
 * of the bytes that lower layers moved. frame: NULL: does nothing. */
void layer_moved(struct layer_frame *frame, int64_t bytes_read, int64_t bytes_written);

/* Called several times instead of layer_pop, once per record, if a call was about several records.
 * Moves the fraction weight / of of the frame's remaining counts, and the time from t1 to t2
 * (ticks), to the record of `state`, or to that of the application if it is NULL. The last call,
 * with weight == of, closes the frame. */
void layer_share(struct layer_frame *frame, struct layer_state *state, uint64_t weight, uint64_t of,
                 uint64_t t1, uint64_t t2);
/* Moves the fraction weight / of of the counts of the frame `left` to `part`, whose former counts
 * are dropped; everything if weight is not below `of` (share.c). */
void layer_take(struct layer_frame *part, struct layer_frame *left, uint64_t weight, uint64_t of);

/* Locks and returns the LAYERS record of `state`, so that the caller can store properties of a
 * dataset in it and then call layer_unlock. Returns NULL, without the lock, if there is no record
 * or the event must not be counted. */
struct darshan_layers_record *layer_lock(struct layer_state *state);
void layer_unlock(struct layer_state *state);

/* Called by the POSIX module after each event that it counted in a record with WATCHED_BY_LAYERS:
 * layers_transfer_slow adds a transfer, layers_other_slow another call, to the innermost frame, or
 * to the record of the application if no frame is open. file: number of the POSIX file. writes: 1:
 * a write, 0: a read. offset: negative: unknown. ticks: duration of the call. */
void layers_transfer_slow(uint32_t file, int writes, int64_t bytes, int64_t offset, uint64_t ticks);
void layers_other_slow(uint64_t ticks);
/* Notes that the last transfer or flush was asynchronous, and began `ticks` ticks before the call
 * that fetched its result. This time is subtracted again from the time of POSIX in the innermost
 * frame, because it is not part of the call; without a frame nothing changes. */
void layers_began_before(uint64_t ticks);
/* Called by the STDIO module after each event that it counted: adds the call to the innermost
 * frame, or to the record of the application if no frame is open. */
void layers_stdio_slow(int64_t bytes_read, int64_t bytes_written, uint64_t ticks);

/* State of a call of MPI-IO or MPI communication, which is a layer between an upper layer and POSIX
 * (between.c). Within a call of an upper layer, it is added to the frame of that call. An MPI-IO
 * call outside of all frames has a frame of its own. */
struct layer_between {
  struct layer_frame *frame; /* NULL: the call is not attributed */
  uint64_t below;            /* ticks that the frame had attributed to other layers before */
  int own_frame;             /* 1: the frame was opened for this call */
};
/* Returns 1 if the running stack is within a call that has a frame, otherwise 0. Costs a load and a
 * branch if not. */
static inline int layers_inside(void) {
  return __builtin_expect(darshan_inside.layers != NULL, 0) && darshan_inside.layers->depth != 0;
}
void layer_communication_begin(struct layer_between *between);
void layer_communication_end(const struct layer_between *between, uint64_t t1, uint64_t t2);
/* Begin and end an MPI-IO call. The call gets a frame of its own (between->own_frame becomes 1)
 * unless it is within a call of an upper layer. state: that of the call's file, NULL: not known;
 * layer_mpiio_end uses it only if the call has its own frame. bytes_read, bytes_written: requested
 * bytes; -1 if the call does not read or write. t1, t2: ticks before and after the call. */
void layer_mpiio_begin(struct layer_between *between, enum layer_operation operation,
                       struct layer_state *state);
void layer_mpiio_end(const struct layer_between *between, struct layer_state *state,
                     int64_t bytes_read, int64_t bytes_written, uint64_t t1, uint64_t t2);
/* Returns the innermost open frame, that of a call of an upper layer in progress, of the running
 * stack; NULL if there is none. */
struct layer_frame *layer_current(void);
/* Drops frames that a longjmp abandoned: their callers' stack addresses are below `stack`, the
 * address of the current caller's stack frame. Returns the innermost remaining frame, or NULL. */
struct layer_frame *layer_current_above(const char *stack);

/* Begins attribution, at the first call of an upper layer in this process. Adds the counts of all
 * existing POSIX and STDIO records to the record "<application>"; from now on this module is
 * notified of every event. If a lock is not available, does nothing; the next call tries again. */
void layers_activate(void);
/* Returns the state of the record "<application>", of calls that no upper layer made; makes the
 * record at the first call. The state's part is NULL if there is no record. */
struct layer_state *layers_application(void);

#endif
