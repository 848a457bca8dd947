/* Packs bits into bytes, lowest bit first (RFC 1951). */
#ifndef DARSHAN_PACK_BITS_H
#define DARSHAN_PACK_BITS_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bits {
  unsigned char *out; /* output buffer, of the caller */
  size_t used;        /* whole bytes written */
  uint64_t held;      /* bits that do not yet fill a byte */
  unsigned count;     /* number of bits in held, below 8 between calls of bits_put */
};

/* Appends the lowest `count` bits of value, at most 48. The higher bits of value must be 0. Needs
 * eight free bytes in out. */
static inline void bits_put(struct bits *bits, uint64_t value, unsigned count) {
  bits->held |= value << bits->count;
  bits->count += count;
  uint64_t bytes = htole64(bits->held);
  memcpy(bits->out + bits->used, &bytes, sizeof(bytes));
  bits->used += bits->count / 8;
  bits->held >>= bits->count & ~7u;
  bits->count &= 7;
}

/* Fills the last byte up with zero bits. */
static inline void bits_align(struct bits *bits) {
  bits_put(bits, 0, (8 - bits->count) & 7);
}

#endif
