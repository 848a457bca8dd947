/* Calls of MPI-IO and MPI communication, which are layers between an upper layer and POSIX. Their
 * own time is the time of the call minus the time of lower layers within it. */
#include "../../counting/size-bins.h"
#include "../../door/door.h"
#include "layers.h"

/* Returns the ticks of all lower layers and nested calls that the frame has so far. */
static uint64_t ticks_below(const struct layer_frame *frame) {
  uint64_t sum = frame->sums.nested_ticks;
  for (int i = 0; i < BELOW_TIMES; i++)
    sum += frame->sums.ticks[i];
  return sum;
}

/* Returns the ticks of the call from t1 to t2, without those of lower layers within it. */
static uint64_t own_ticks(const struct layer_between *between, uint64_t t1, uint64_t t2) {
  return (t2 - t1) - (ticks_below(between->frame) - between->below);
}

static void begin_inside(struct layer_between *between, struct layer_frame *frame) {
  between->frame = frame;
  between->below = frame ? ticks_below(frame) : 0;
  between->own_frame = 0;
}

void layer_communication_begin(struct layer_between *between) {
  begin_inside(between, layer_current_above(__builtin_frame_address(0)));
}

void layer_communication_end(const struct layer_between *between, uint64_t t1, uint64_t t2) {
  struct layer_frame *frame = between->frame;
  if (!frame) return;
  frame->sums.told = 1;
  frame->sums.counts[BELOW_COMM_CALLS]++;
  frame->sums.ticks[BELOW_COMM] += own_ticks(between, t1, t2);
}

void layer_mpiio_begin(struct layer_between *between, enum layer_operation operation,
                       struct layer_state *state) {
  begin_inside(between, layer_current_above(__builtin_frame_address(0)));
  if (between->frame) return;
  between->frame = layer_push(operation, state);
  between->own_frame = 1;
}

static void add_size(struct layer_frame *frame, int writes, int64_t bytes) {
  if (bytes < 0) return;
  frame->sums.counts[BELOW_MPIIO_BYTES_READ + writes] += bytes;
  frame->sums.mpiio_sizes[writes][size_bin(bytes)]++;
}

void layer_mpiio_end(const struct layer_between *between, struct layer_state *state,
                     int64_t bytes_read, int64_t bytes_written, uint64_t t1, uint64_t t2) {
  struct layer_frame *frame = between->frame;
  if (!frame) return;
  frame->sums.told = 1;
  frame->sums.counts[BELOW_MPIIO_CALLS]++;
  frame->sums.ticks[BELOW_MPIIO] += own_ticks(between, t1, t2);
  add_size(frame, 0, bytes_read);
  add_size(frame, 1, bytes_written);
  if (between->own_frame) layer_pop(frame, state, t1, t2);
}
