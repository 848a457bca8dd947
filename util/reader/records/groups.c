/* Computes the number of files in a group record (doc/log-format.md, "GROUP"). If the record is of
 * a single process, the number is that process's own count. For several processes with the same
 * group, it is estimated from a sketch, which has one bit per bucket and level of the names'
 * hashes. */
#include "../reader.h"
#include "records.h"

enum { WORDS = GROUP_NUM_COUNTERS - GROUP_SKETCH_00, BUCKETS = 3 * WORDS, LEVELS = 21 };

/* Returns base to the power n. */
static double power(double base, uint64_t n) {
  double result = 1;
  for (; n; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}

/* Returns the number of bits of the sketch that `files` different names set on average. A level
 * gets half as many names as the level before it; the last level gets as many as the one before it.
 */
static double expected_bits(uint64_t files) {
  double bits = 0, share = 0.5 / BUCKETS;
  for (int level = 0; level < LEVELS; level++) {
    bits += BUCKETS * (1 - power(1 - share, files));
    if (level < LEVELS - 2) share /= 2;
  }
  return bits;
}

int64_t darshan_group_files(const int64_t counters[]) {
  int64_t least = counters[GROUP_FILES], most = counters[GROUP_SEEN], bits = 0;
  if (least >= most || least < 0) return least;
  for (int i = 0; i < WORDS; i++)
    bits += __builtin_popcountll((unsigned long long)counters[GROUP_SKETCH_00 + i]);
  while (least < most) {
    int64_t middle = least + (most - least) / 2;
    if (expected_bits((uint64_t)middle) + 0.5 < (double)bits)
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}
