/* Compresses records of one size into a zlib stream. Neighbouring records are similar, so a word
 * mostly repeats the word one record before it, or one of the last few words. Searching only there
 * takes a quarter of the time of a full search. */
#ifndef DARSHAN_PACK_H
#define DARSHAN_PACK_H

#include "block.h"
#include <stddef.h>

enum { PACK_SIZE_MAX = 32 << 10 }; /* largest size of a record, and largest distance of a match */

struct packer { /* a process touches at most 70 KiB of it, and two records */
  struct bits out;
  size_t room;
  size_t size;        /* of a record */
  const char *before; /* copy of the previous record */
  uint32_t checksum;  /* Adler-32 of the records so far */
  int failed;         /* 1: the output buffer is too small */
  unsigned turn;      /* index in `kept` of the copy of this record */
  struct block block;
  char kept[2][PACK_SIZE_MAX]; /* copies of this record and the one before */
};

/* pack_start starts a stream in out (room bytes) of records of `size` bytes, a multiple of 8 and at
 * most PACK_SIZE_MAX. pack_add appends a copy of a record. */
void pack_start(struct packer *packer, size_t size, void *out, size_t room);
void pack_add(struct packer *packer, const char *record);
/* Returns the bytes written, or 0 if the output buffer was too small. */
size_t pack_finish(struct packer *packer);

enum { SHORT_MOST = 2 << 10 };

/* Compresses n bytes of a short region, at most SHORT_MOST, into a zlib stream with the fixed codes
 * of RFC 1951. zlib's own encoder initializes 24 KiB of tables and builds Huffman codes even for a
 * few bytes. Works on a copy, because another thread may change the bytes meanwhile. Returns the
 * bytes written, or 0 if room is too small. */
size_t short_write(const void *in, size_t n, void *out, size_t room);

#endif
