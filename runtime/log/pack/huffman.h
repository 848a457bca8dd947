/* Makes Huffman codes from the frequencies of symbols. */
#ifndef DARSHAN_PACK_HUFFMAN_H
#define DARSHAN_PACK_HUFFMAN_H

#include <stdint.h>

enum { HUFFMAN_SYMBOLS = 288, HUFFMAN_BITS = 15 };

struct huffman {
  uint8_t length[HUFFMAN_SYMBOLS]; /* 0: the symbol does not occur */
  uint16_t code[HUFFMAN_SYMBOLS];  /* its first bit is the lowest */
};

/* Makes codes of at most `longest` bits for n symbols. At least two symbols get a code, because
 * every decoder accepts that. */
void huffman_make(struct huffman *huffman, const uint32_t *times, unsigned n, unsigned longest);

#endif
