/* Distributes a call over several records. The calls of lower layers cannot be assigned to single
 * records, so they are distributed in proportion to the requested bytes. Each part is subtracted
 * from the remaining frame, and the last part is the rest, so that nothing is lost or counted
 * twice. */
#include <stddef.h>
#include <string.h>

#include "layers.h"
#include "modules/layers/records.h"

static_assert(BELOW_POSIX_WRITES == BELOW_POSIX_READS + 1, "pairs");
static_assert(BELOW_POSIX_BYTES_WRITTEN == BELOW_POSIX_BYTES_READ + 1, "pairs");

/* Subtracts the fraction weight / of from *amount, and returns it. */
static int64_t take(int64_t *amount, uint64_t weight, uint64_t of) {
  int64_t part = (int64_t)((__int128)*amount * (__int128)weight / (__int128)of);
  *amount -= part;
  return part;
}

static uint64_t take_ticks(uint64_t *ticks, uint64_t weight, uint64_t of) {
  return (uint64_t)take((int64_t *)ticks, weight, of);
}

static void take_sizes(uint32_t part[10], uint32_t left[10], uint64_t weight, uint64_t of) {
  for (int bin = 0; bin < 10; bin++) {
    part[bin] = (uint32_t)((uint64_t)left[bin] * weight / of);
    left[bin] -= part[bin];
  }
}

/* Moves calls from the frame `left` to `part`. counter: BELOW_POSIX_READS or BELOW_POSIX_WRITES.
 * sizes: the numbers of calls to move, by size bin. */
static void take_calls(struct layer_frame *part, struct layer_frame *left, int counter,
                       const uint32_t sizes[10]) {
  for (int bin = 0; bin < 10; bin++)
    part->sums.counts[counter] += sizes[bin];
  left->sums.counts[counter] -= part->sums.counts[counter];
}

/* Moves pieces from the frame `left` to `part`, in the order of the transfers, until `part` has
 * pieces for all its bytes; a piece may be split. Also moves bytes without a piece. */
static void take_pieces(struct layer_frame *part, struct layer_frame *left) {
  int64_t missing[2] = {part->sums.counts[BELOW_POSIX_BYTES_READ],
                        part->sums.counts[BELOW_POSIX_BYTES_WRITTEN]};
  uint32_t kept = 0;
  for (uint32_t i = 0; i < left->pieces; i++) {
    struct layer_piece piece = left->piece[i];
    int64_t *need = &missing[piece.writes];
    int64_t taken = piece.bytes < *need ? piece.bytes : *need;
    if (taken > 0 && part->pieces < LAYER_PIECES) {
      part->piece[part->pieces] = piece;
      part->piece[part->pieces++].bytes = taken;
      *need -= taken;
      piece.offset += taken;
      piece.bytes -= taken;
    }
    if (piece.bytes > 0) left->piece[kept++] = piece;
  }
  left->pieces = kept;
  for (int i = 0; i < 2; i++) {
    int64_t *without = &left->bytes_without_piece[i];
    part->bytes_without_piece[i] = *without < missing[i] ? *without : missing[i];
    *without -= part->bytes_without_piece[i];
  }
}

void layer_take(struct layer_frame *part, struct layer_frame *left, uint64_t weight, uint64_t of) {
  if (weight >= of) {
    *part = *left;
    return;
  }
  memset(part, 0, offsetof(struct layer_frame, piece));
  part->sums.operation = left->sums.operation;
  part->sums.told = left->sums.told;
  part->sums.nested_ticks = take_ticks(&left->sums.nested_ticks, weight, of);
  for (int i = 0; i < BELOW_TIMES; i++)
    part->sums.ticks[i] = take_ticks(&left->sums.ticks[i], weight, of);
  for (int i = 0; i < 2; i++) {
    take_sizes(part->sums.sizes[i], left->sums.sizes[i], weight, of);
    take_sizes(part->sums.mpiio_sizes[i], left->sums.mpiio_sizes[i], weight, of);
    take_calls(part, left, BELOW_POSIX_READS + i, part->sums.sizes[i]);
  }
  for (int i = 0; i < BELOW_COUNTS; i++)
    if (i != BELOW_POSIX_READS && i != BELOW_POSIX_WRITES)
      part->sums.counts[i] = take(&left->sums.counts[i], weight, of);
  take_pieces(part, left);
}
