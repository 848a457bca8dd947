/* A block of a deflate stream: collects literals and matches until it is full. The distances of
 * matches are numbered, from 0 to BLOCK_PLACES - 1. */
#ifndef DARSHAN_PACK_BLOCK_H
#define DARSHAN_PACK_BLOCK_H

#include "bits.h"
#include "symbols.h"
#include <stdint.h>

enum { HUFFMAN_SYMBOLS = 288, HUFFMAN_BITS = 15 };

struct huffman {
  uint8_t length[HUFFMAN_SYMBOLS]; /* 0: the symbol does not occur */
  uint16_t code[HUFFMAN_SYMBOLS];  /* the first bit of a code is the lowest bit here */
};

/* Makes codes of at most `longest` bits for n symbols. times: how often each symbol occurs. At
 * least two symbols get a code, because not every decoder accepts fewer. */
void huffman_make(struct huffman *huffman, const uint32_t *times, unsigned n, unsigned longest);

enum { BLOCK_TOKENS = 16 << 10 };

/* Number of different distances that a match may have. */
enum { BLOCK_PLACES = 7 };

struct block {
  uint32_t count;               /* number of tokens */
  uint32_t literals[BLOCK_END]; /* how often each byte occurs */
  uint32_t lengths[MATCH_MOST + 1],
      places[BLOCK_PLACES];        /* how often each length and each distance occurs in matches */
  uint16_t distance[BLOCK_PLACES]; /* in bytes, of each numbered distance */
  /* The token of a literal is its byte; the token of a match is length << 16 | number of the
   * distance. */
  uint32_t tokens[BLOCK_TOKENS];
};

/* Removes all tokens and frequencies from the block. `distance` stays. */
void block_start(struct block *block);
/* Writes the block and starts the next one. last: 1 for the last block of the stream. room: bytes
 * of the whole output buffer. Returns 0, or -1 if the block may not fit; it then writes nothing. */
int block_write(struct block *block, struct bits *out, size_t room, int last);

static inline int block_is_full(const struct block *block) {
  return block->count == BLOCK_TOKENS;
}
static inline void block_literal(struct block *block, unsigned char byte) {
  block->literals[byte]++;
  block->tokens[block->count++] = byte;
}
static inline void block_match(struct block *block, unsigned length, unsigned place) {
  block->lengths[length]++;
  block->places[place]++;
  block->tokens[block->count++] = length << 16 | place;
}

#endif
