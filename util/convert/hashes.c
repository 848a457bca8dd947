/* Computes the two hashes of anonymized logs (hide.h). */
#include "hide.h"

/* --- lookup3 -------------------------------------------------------------------- */

static uint32_t rotate32(uint32_t x, int n) {
  return x << n | x >> (32 - n);
}

/* Returns the value of n bytes, read as a little-endian number on any machine. */
static uint64_t number(const unsigned char *bytes, size_t n) {
  uint64_t value = 0;
  for (size_t i = 0; i < n; i++)
    value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

/* Applies x -= z, x ^= rotated z, z += y six times, with rotating roles of the words. */
static void mix(uint32_t w[3]) {
  static const int shifts[6] = {4, 6, 8, 16, 19, 4};
  for (int i = 0; i < 6; i++) {
    uint32_t *x = &w[i % 3], *y = &w[(i + 1) % 3], *z = &w[(i + 2) % 3];
    *x -= *z;
    *x ^= rotate32(*z, shifts[i]);
    *z += *y;
  }
}

static void finish(uint32_t w[3]) {
  static const int shifts[7] = {14, 11, 25, 16, 4, 14, 24};
  for (int i = 0; i < 7; i++) {
    uint32_t *x = &w[(i + 2) % 3], *y = &w[(i + 1) % 3];
    *x ^= *y;
    *x -= rotate32(*y, shifts[i]);
  }
}

uint32_t hash_lookup3(const void *bytes, size_t n, uint32_t initial) {
  enum { BLOCK = 12 };
  const unsigned char *p = bytes;
  uint32_t start = UINT32_C(0xdeadbeef) + (uint32_t)n + initial;
  uint32_t w[3] = {start, start, start};
  if (n == 0) return start;
  for (; n > BLOCK; n -= BLOCK, p += BLOCK) {
    for (int i = 0; i < 3; i++)
      w[i] += (uint32_t)number(p + 4 * i, 4);
    mix(w);
  }
  for (size_t i = 0; 4 * i < n; i++)
    w[i] += (uint32_t)number(p + 4 * i, n - 4 * i < 4 ? n - 4 * i : 4);
  finish(w);
  return w[2];
}

/* --- SipHash -------------------------------------------------------------------- */

static uint64_t rotate64(uint64_t x, int n) {
  return x << n | x >> (64 - n);
}

static void rounds(uint64_t v[4], int n) {
  for (int i = 0; i < n; i++) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate64(v[1], 13) ^ v[0];
    v[3] = rotate64(v[3], 16) ^ v[2];
    v[0] = rotate64(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate64(v[1], 17) ^ v[2];
    v[3] = rotate64(v[3], 21) ^ v[0];
    v[2] = rotate64(v[2], 32);
  }
}

uint64_t hash_siphash(const uint64_t key[2], const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  uint64_t length = (uint64_t)n << 56;
  uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                   key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
  for (;; n -= 8, p += 8) {
    uint64_t word = n < 8 ? length | number(p, n) : number(p, 8);
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
    if (n < 8) break;
  }
  v[2] ^= 0xff;
  rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
