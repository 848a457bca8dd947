/* Finds matches in a short region and writes them with fixed codes (RFC 1951, 3.2.6). */
#include "pack.h"

#include <zlib.h>

#include "bits.h"
#include "symbols.h"

enum {
  FIXED = 1,        /* type of a block with fixed codes */
  PLACES_BITS = 8,  /* bits of a hash */
  WORD = 4,         /* shortest match that is searched for */
  DISTANCE_BITS = 5 /* of every distance symbol */
};

/* For each hash, 1 plus the last position at which it occurred; 0: none. */
typedef uint16_t places[1 << PLACES_BITS];

/* Returns the code with its lowest `bits` bits in reverse order; bits is at most 8. */
static unsigned turned(unsigned code, unsigned bits) {
  code = (code & 0x0f) << 4 | (code & 0xf0) >> 4;
  code = (code & 0x33) << 2 | (code & 0xcc) >> 2;
  code = (code & 0x55) << 1 | (code & 0xaa) >> 1;
  return code >> (8 - bits);
}

/* Writes the code of a symbol: a byte, the end of the block, or a length. */
static void put_symbol(struct bits *out, unsigned symbol) {
  if (symbol < 144)
    bits_put(out, turned(0x30 + symbol, 8), 8);
  else if (symbol < BLOCK_END)
    bits_put(out, 1 | turned(0x90 + symbol - 144, 8) << 1, 9); /* the first of nine bits is 1 */
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

/* Stores position i for the 32-bit word at i. Returns an earlier position with an equal word, or i
 * if none is known: the table keeps only the last position of each hash value. */
static size_t earlier(places last, const unsigned char *bytes, size_t i) {
  uint32_t word = word_at(bytes + i), hash = word * UINT32_C(2654435761) >> (32 - PLACES_BITS);
  size_t before = last[hash];
  last[hash] = (uint16_t)(i + 1);
  return before && word_at(bytes + before - 1) == word ? before - 1 : i;
}

/* Returns the number of equal bytes at the start of a and b, at most `most`. */
static size_t same(const unsigned char *a, const unsigned char *b, size_t most) {
  size_t n = 0;
  for (uint64_t left, right; n + sizeof(left) <= most; n += sizeof(left)) {
    memcpy(&left, a + n, sizeof(left));
    memcpy(&right, b + n, sizeof(right));
    if (left != right) return n + (unsigned)__builtin_ctzll(le64toh(left ^ right)) / 8;
  }
  while (n < most && a[n] == b[n])
    n++;
  return n;
}

static void put_all(struct bits *out, const unsigned char *bytes, size_t n) {
  places last = {0};
  for (size_t i = 0, length; i < n; i += length) {
    size_t from = n - i < WORD ? i : earlier(last, bytes, i);
    size_t most = n - i < MATCH_MOST ? n - i : MATCH_MOST;
    length = from == i ? 1 : same(bytes + from, bytes + i, most);
    if (length == 1)
      put_symbol(out, bytes[i]);
    else
      put_match(out, length, i - from);
  }
}

size_t short_write(const void *in, size_t n, void *out, size_t room) {
  enum {
    ENDS = 8 * sizeof(uint64_t)
  }; /* bytes of header and checksum, and bytes that bits_put may write beyond the end */
  unsigned char copy[SHORT_MOST];
  if (n > sizeof(copy) || room < n + n / 8 + ENDS) return 0; /* no byte needs more than 9 bits */
  memcpy(copy, in, n);
  struct bits bits = {.out = out};
  bits_put(&bits, 0x0178, 16); /* zlib header (RFC 1950): deflate, window of 32 KiB */
  bits_put(&bits, 1 | FIXED << 1, 3);
  put_all(&bits, copy, n);
  put_symbol(&bits, BLOCK_END);
  bits_align(&bits);
  uint32_t checksum = htobe32((uint32_t)adler32(1, copy, (unsigned)n));
  memcpy(bits.out + bits.used, &checksum, sizeof(checksum));
  return bits.used + sizeof(checksum);
}
