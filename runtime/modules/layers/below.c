/* What the layers at the bottom, POSIX and STDIO, tell of. */
#include <stddef.h>
#include <string.h>

#include "../../job/runtime.h"
#include "../../records/size-bins.h"
#include "layers.h"

static_assert(BELOW_POSIX_WRITES == BELOW_POSIX_READS + 1, "pairs");
static_assert(BELOW_POSIX_BYTES_WRITTEN == BELOW_POSIX_BYTES_READ + 1, "pairs");

static void add_transfer(struct layer_frame *frame, int writes, int64_t bytes, uint64_t ticks) {
  frame->counts[BELOW_POSIX_READS + writes]++;
  frame->counts[BELOW_POSIX_BYTES_READ + writes] += bytes;
  frame->sizes[writes][size_bin(bytes)]++;
  frame->ticks[BELOW_POSIX] += ticks;
}

/* What no upper layer called: a frame of its own, without pieces. */
static void start_alone(struct layer_frame *frame, enum layer_operation operation) {
  memset(frame, 0, offsetof(struct layer_frame, piece));
  frame->operation = operation;
}

static void add_to_application(const struct layer_frame *frame) {
  struct layer_state *state = layers_application();
  struct darshan_layers_record *record = layer_lock(state);
  if (!record) return;
  layer_add_frame(record, frame, frame->ticks[BELOW_POSIX] + frame->ticks[BELOW_STDIO]);
  layer_unlock(state);
}

void layers_transfer_slow(uint32_t file, int writes, int64_t bytes, int64_t offset,
                          uint64_t ticks) {
  struct layer_frame alone, *frame = layer_current();
  if (frame) {
    struct layer_piece piece = {file, (uint32_t)writes, offset, bytes};
    add_transfer(frame, writes, bytes, ticks);
    if (offset >= 0) layer_keep_piece(frame, &piece);
    return;
  }
  start_alone(&alone, writes ? LAYER_WRITE : LAYER_READ);
  add_transfer(&alone, writes, bytes, ticks);
  add_to_application(&alone);
}

void layers_began_before(uint64_t ticks) {
  struct layer_frame *frame = layer_current();
  if (frame) frame->ticks[BELOW_POSIX] -= ticks;
}

void layers_other_slow(uint64_t ticks) {
  struct layer_frame alone, *frame = layer_current();
  if (!frame) start_alone(&alone, LAYER_META);
  struct layer_frame *target = frame ? frame : &alone;
  target->counts[BELOW_POSIX_OTHER]++;
  target->ticks[BELOW_POSIX] += ticks;
  if (!frame) add_to_application(&alone);
}

void layers_stdio_slow(int64_t bytes_read, int64_t bytes_written, uint64_t ticks) {
  struct layer_frame alone, *frame = layer_current();
  if (!frame)
    start_alone(&alone, bytes_written ? LAYER_WRITE : bytes_read ? LAYER_READ : LAYER_META);
  struct layer_frame *target = frame ? frame : &alone;
  target->counts[BELOW_STDIO_CALLS]++;
  target->counts[BELOW_STDIO_BYTES_READ] += bytes_read;
  target->counts[BELOW_STDIO_BYTES_WRITTEN] += bytes_written;
  target->ticks[BELOW_STDIO] += ticks;
  if (!frame) add_to_application(&alone);
}
