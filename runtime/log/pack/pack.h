/* Records of one size into a zlib stream.  Neighbouring records are alike, so
 * what a word repeats stands a record before it, or a few words: looking only
 * there takes a quarter of the time of a search over everything. */
#ifndef DARSHAN_PACK_H
#define DARSHAN_PACK_H

#include "block.h"

enum { PACK_SIZE_MAX = 32 << 10 }; /* of a record: how far back a match may reach */

struct packer { /* about 70 KiB are used, and two records */
  struct bits out;
  size_t room;
  size_t size;        /* of a record */
  const char *before; /* the record before this one */
  uint32_t checksum;
  int failed; /* too little room */
  unsigned turn;
  struct block block;
  char kept[2][PACK_SIZE_MAX]; /* this record and the one before */
};

/* Records of `size` bytes, a multiple of 8, go to out. */
void pack_start(struct packer *packer, size_t size, void *out, size_t room);
/* The next one. */
void pack_add(struct packer *packer, const char *record);
/* Bytes written, 0 if there was too little room. */
size_t pack_finish(struct packer *packer);

#endif
