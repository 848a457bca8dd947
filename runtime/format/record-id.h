/* The id of a record: a 64-bit hash of its name, by Bob Jenkins' public-domain function of January
 * 1997 (doc/log-format.md has the algorithm and test values). It is in a header because runtime and
 * reader need it inlined. */
#ifndef DARSHAN_RECORD_ID_H
#define DARSHAN_RECORD_ID_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t darshan_hash_word(const unsigned char *bytes, size_t n) {
  uint64_t word = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  /* Reads two overlapping words, because a copy of variable size would be a function call. */
  if (n >= 8) {
    __builtin_memcpy(&word, bytes, 8);
  } else if (n >= 4) {
    uint32_t low, high;
    __builtin_memcpy(&low, bytes, 4);
    __builtin_memcpy(&high, bytes + n - 4, 4);
    word = low | (uint64_t)high << (8 * (n - 4));
  } else if (n > 0) {
    word = bytes[0] | (uint64_t)bytes[n / 2] << (8 * (n / 2)) |
           (uint64_t)bytes[n - 1] << (8 * (n - 1));
  }
#else
  for (size_t i = 0; i < n; i++)
    word |= (uint64_t)bytes[i] << (8 * i);
#endif
  return word;
}

#define DARSHAN_HASH_STEP(x, y, z, shift) (x) = ((x) - (y) - (z)) ^ (shift)

static inline void darshan_hash_mix(uint64_t *pa, uint64_t *pb, uint64_t *pc) {
  uint64_t a = *pa, b = *pb, c = *pc;
  DARSHAN_HASH_STEP(a, b, c, c >> 43);
  DARSHAN_HASH_STEP(b, c, a, a << 9);
  DARSHAN_HASH_STEP(c, a, b, b >> 8);
  DARSHAN_HASH_STEP(a, b, c, c >> 38);
  DARSHAN_HASH_STEP(b, c, a, a << 23);
  DARSHAN_HASH_STEP(c, a, b, b >> 5);
  DARSHAN_HASH_STEP(a, b, c, c >> 35);
  DARSHAN_HASH_STEP(b, c, a, a << 49);
  DARSHAN_HASH_STEP(c, a, b, b >> 11);
  DARSHAN_HASH_STEP(a, b, c, c >> 12);
  DARSHAN_HASH_STEP(b, c, a, a << 18);
  DARSHAN_HASH_STEP(c, a, b, b >> 22);
  *pa = a, *pb = b, *pc = c;
}

/* Returns the hash of the bytes. Level 0 gives record ids, other levels give other hash
 * functions. */
static inline uint64_t darshan_hash(const void *bytes, size_t length, uint64_t level) {
  const unsigned char *p = bytes;
  uint64_t a = level, b = level, c = UINT64_C(0x9E3779B97F4A7C13);
  size_t left = length;
  for (; left >= 24; left -= 24, p += 24) {
    a += darshan_hash_word(p, 8);
    b += darshan_hash_word(p + 8, 8);
    c += darshan_hash_word(p + 16, 8);
    darshan_hash_mix(&a, &b, &c);
  }
  c += length;
  a += darshan_hash_word(p, left < 8 ? left : 8);
  if (left > 8) b += darshan_hash_word(p + 8, left < 16 ? left - 8 : 8);
  if (left > 16) c += darshan_hash_word(p + 16, left - 16) << 8;
  darshan_hash_mix(&a, &b, &c);
  return c;
}

#undef DARSHAN_HASH_STEP
#endif
