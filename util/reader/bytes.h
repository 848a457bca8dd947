/* Byte order of whole words; for logs written on the other kind of machine. */
#ifndef DARSHAN_BYTES_H
#define DARSHAN_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reverses the bytes of each of n 64-bit words; the place need not be aligned. */
static inline void darshan_swap_words(void *words, size_t n) {
  unsigned char *p = words;
  for (size_t i = 0; i < n; i++, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    word = __builtin_bswap64(word);
    memcpy(p, &word, 8);
  }
}

/* The same for 32-bit words. */
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
