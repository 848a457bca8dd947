/* Reverses the byte order of 64-bit and 32-bit words, for logs from machines with the opposite byte
 * order. */
#ifndef DARSHAN_BYTES_H
#define DARSHAN_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reverses the bytes of n 64-bit words, which need not be aligned. */
static inline void darshan_swap_words(void *words, size_t n) {
  unsigned char *p = words;
  for (size_t i = 0; i < n; i++, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    word = __builtin_bswap64(word);
    memcpy(p, &word, 8);
  }
}

/* Reverses the bytes of n 32-bit words, which need not be aligned. */
static inline void darshan_swap_halves(void *words, size_t n) {
  unsigned char *p = words;
  for (size_t i = 0; i < n; i++, p += 4) {
    uint32_t word;
    memcpy(&word, p, 4);
    word = __builtin_bswap32(word);
    memcpy(p, &word, 4);
  }
}

#endif
