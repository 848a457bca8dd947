/* The deflate symbols of match lengths and distances (RFC 1951, 3.2.5). */
#ifndef DARSHAN_PACK_SYMBOLS_H
#define DARSHAN_PACK_SYMBOLS_H

#include <stdint.h>

enum {
  BLOCK_END = 256, /* symbol */
  MATCH_LEAST = 3,
  MATCH_MOST = 258
};

struct symbol { /* the symbol of a length or distance, with the extra bits that follow it */
  uint16_t symbol;
  uint16_t value; /* value of the extra bits */
  uint8_t bits;
};

static inline unsigned highest_bit(unsigned value) {
  return 31 - (unsigned)__builtin_clz(value);
}

/* Returns the deflate symbol of a match's length in bytes (MATCH_LEAST to MATCH_MOST): four symbols
 * for each power of two of length - 3; length 258 has its own symbol. */
static inline struct symbol length_symbol(unsigned length) {
  unsigned above = length - MATCH_LEAST;
  if (length == MATCH_MOST) return (struct symbol){285, 0, 0};
  if (above < 8) return (struct symbol){(uint16_t)(257 + above), 0, 0};
  unsigned bits = highest_bit(above) - 2;
  return (struct symbol){(uint16_t)(257 + 4 * bits + (above >> bits)),
                         (uint16_t)(above & ((1u << bits) - 1)), (uint8_t)bits};
}

/* Returns the deflate symbol of a distance in bytes, at least 1: two symbols for each power of two
 * of distance - 1. */
static inline struct symbol distance_symbol(unsigned distance) {
  unsigned above = distance - 1;
  if (above < 4) return (struct symbol){(uint16_t)above, 0, 0};
  unsigned bits = highest_bit(above) - 1;
  return (struct symbol){(uint16_t)(2 * bits + (above >> bits)),
                         (uint16_t)(above & ((1u << bits) - 1)), (uint8_t)bits};
}

#endif
