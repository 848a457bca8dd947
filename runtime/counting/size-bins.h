/* The ten size classes of the log format. The upper bounds of the first nine are 100, 1 Ki, 10 Ki,
 * 100 Ki, 1 Mi, 4 Mi, 10 Mi, 100 Mi and 1 Gi bytes, inclusive. The tenth has no bound. */
#ifndef DARSHAN_SIZE_BINS_H
#define DARSHAN_SIZE_BINS_H

#include <stdint.h>

/* Returns the class (0 to 9) of a transfer of `size` bytes, size >= 0. Between two powers of two
 * there is at most one bound, so the bit length and one comparison decide. */
static inline int size_bin(int64_t size) {
  static const uint8_t first_bin[65] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3,
                                        3, 4, 4, 4, 4, 5, 5, 6, 7, 7, 7, 8, 8, 8, 8, 9, 9,
                                        9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                                        9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  static const int64_t bound[10] = {100,     1024,     10240,     102400,     1048576,
                                    4194304, 10485760, 104857600, 1073741824, INT64_MAX};
  unsigned bits =
      __builtin_expect(size != 0, 1) ? 64u - (unsigned)__builtin_clzll((uint64_t)size) : 0;
  int bin = first_bin[bits];
  return bin + (size > bound[bin]);
}

#endif
