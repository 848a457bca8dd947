/* Finds matches in a few bytes and writes them with fixed codes (RFC 1951, 3.2.6). */
#include "short.h"

#include <zlib.h>

#include "bits.h"
#include "symbols.h"

enum {
  FIXED = 1,        /* type of a block */
  PLACES_BITS = 8,  /* of a hash */
  WORD = 4,         /* shortest match that is searched for */
  DISTANCE_BITS = 5 /* of every distance symbol */
};

/* The position after the last occurrence of each hash; 0: none. */
typedef uint16_t places[1 << PLACES_BITS];

static unsigned turned(unsigned code, unsigned bits) {
  unsigned reversed = 0;
  for (; bits > 0; bits--, code >>= 1)
    reversed = reversed << 1 | (code & 1);
  return reversed;
}

/* Writes a byte, the end of the block, or a length's symbol. */
static void put_symbol(struct bits *out, unsigned symbol) {
  if (symbol < 144)
    bits_put(out, turned(0x30 + symbol, 8), 8);
  else if (symbol < BLOCK_END)
    bits_put(out, turned(0x190 + symbol - 144, 9), 9);
  else if (symbol < 280)
    bits_put(out, turned(symbol - BLOCK_END, 7), 7);
  else
    bits_put(out, turned(0xc0 + symbol - 280, 8), 8);
}

static void put_match(struct bits *out, size_t length, size_t distance) {
  struct symbol symbol = length_symbol((unsigned)length);
  put_symbol(out, symbol.symbol);
  bits_put(out, symbol.value, symbol.bits);
  symbol = distance_symbol((unsigned)distance);
  bits_put(out, turned(symbol.symbol, DISTANCE_BITS), DISTANCE_BITS);
  bits_put(out, symbol.value, symbol.bits);
}

static uint32_t word_at(const unsigned char *at) {
  uint32_t word;
  memcpy(&word, at, sizeof(word));
  return le32toh(word);
}

/* Stores position i and returns the position of the last equal word, or i if there is none. */
static size_t earlier(places last, const unsigned char *bytes, size_t i) {
  uint32_t word = word_at(bytes + i), hash = word * UINT32_C(2654435761) >> (32 - PLACES_BITS);
  size_t before = last[hash];
  last[hash] = (uint16_t)(i + 1);
  return before && word_at(bytes + before - 1) == word ? before - 1 : i;
}

static void put_all(struct bits *out, const unsigned char *bytes, size_t n) {
  places last = {0};
  for (size_t i = 0, length; i < n; i += length) {
    size_t from = n - i < WORD ? i : earlier(last, bytes, i);
    length = from == i ? 1 : WORD;
    while (length >= WORD && length < MATCH_MOST && i + length < n &&
           bytes[from + length] == bytes[i + length])
      length++;
    if (length == 1)
      put_symbol(out, bytes[i]);
    else
      put_match(out, length, i - from);
  }
}

size_t short_write(const void *in, size_t n, void *out, size_t room) {
  enum { ENDS = 8 * sizeof(uint64_t) }; /* header, checksum, and slack for bits_put */
  unsigned char copy[SHORT_MOST];
  if (n > sizeof(copy) || room < n + n / 8 + ENDS) return 0; /* no byte needs more than 9 bits */
  memcpy(copy, in, n);
  struct bits bits = {.out = out};
  bits_put(&bits, 0x0178, 16); /* RFC 1950: deflate, 32 KiB */
  bits_put(&bits, 1 | FIXED << 1, 3);
  put_all(&bits, copy, n);
  put_symbol(&bits, BLOCK_END);
  bits_align(&bits);
  uint32_t checksum = htobe32((uint32_t)adler32(1, copy, (unsigned)n));
  memcpy(bits.out + bits.used, &checksum, sizeof(checksum));
  return bits.used + sizeof(checksum);
}
