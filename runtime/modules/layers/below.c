/* What the layers at the bottom, POSIX and STDIO, tell of. */
#include "../../counting/size-bins.h"
#include "../../job/runtime.h"
#include "layers.h"

static_assert(BELOW_POSIX_WRITES == BELOW_POSIX_READS + 1, "pairs");
static_assert(BELOW_POSIX_BYTES_WRITTEN == BELOW_POSIX_BYTES_READ + 1, "pairs");

static void add_transfer(struct layer_sums *sums, int writes, int64_t bytes, uint64_t ticks) {
  sums->counts[BELOW_POSIX_READS + writes]++;
  sums->counts[BELOW_POSIX_BYTES_READ + writes] += bytes;
  sums->sizes[writes][size_bin(bytes)]++;
  sums->ticks[BELOW_POSIX] += ticks;
}

/* What no upper layer called. */
static void add_to_application(const struct layer_sums *sums) {
  struct layer_state *state = layers_application();
  struct darshan_layers_record *record = layer_lock(state);
  if (!record) return;
  layer_add_sums(record, sums, sums->ticks[BELOW_POSIX] + sums->ticks[BELOW_STDIO]);
  layer_unlock(state);
}

void layers_transfer_slow(uint32_t file, int writes, int64_t bytes, int64_t offset,
                          uint64_t ticks) {
  struct layer_frame *frame = layer_current();
  if (frame) {
    struct layer_piece piece = {file, (uint32_t)writes, offset, bytes};
    add_transfer(&frame->sums, writes, bytes, ticks);
    if (offset >= 0) layer_keep_piece(frame, &piece);
    return;
  }
  struct layer_sums alone = {.operation = writes ? LAYER_WRITE : LAYER_READ};
  add_transfer(&alone, writes, bytes, ticks);
  add_to_application(&alone);
}

void layers_began_before(uint64_t ticks) {
  struct layer_frame *frame = layer_current();
  if (frame) frame->sums.ticks[BELOW_POSIX] -= ticks;
}

void layers_other_slow(uint64_t ticks) {
  struct layer_sums alone = {.operation = LAYER_META};
  struct layer_frame *frame = layer_current();
  struct layer_sums *sums = frame ? &frame->sums : &alone;
  sums->counts[BELOW_POSIX_OTHER]++;
  sums->ticks[BELOW_POSIX] += ticks;
  if (!frame) add_to_application(&alone);
}

void layers_stdio_slow(int64_t bytes_read, int64_t bytes_written, uint64_t ticks) {
  enum layer_operation operation = bytes_written ? LAYER_WRITE : LAYER_META;
  struct layer_sums alone = {.operation = !bytes_written && bytes_read ? LAYER_READ : operation};
  struct layer_frame *frame = layer_current();
  struct layer_sums *sums = frame ? &frame->sums : &alone;
  sums->counts[BELOW_STDIO_CALLS]++;
  sums->counts[BELOW_STDIO_BYTES_READ] += bytes_read;
  sums->counts[BELOW_STDIO_BYTES_WRITTEN] += bytes_written;
  sums->ticks[BELOW_STDIO] += ticks;
  if (!frame) add_to_application(&alone);
}
