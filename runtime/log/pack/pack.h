/* Records of one size into a zlib stream.  Neighbouring records are alike, so
 * what a word repeats stands a record before it, or a few words: looking only
 * there takes a quarter of the time of a search over everything. */
#ifndef DARSHAN_PACK_H
#define DARSHAN_PACK_H

#include "block.h"

struct packer { /* about 70 KiB */
  struct bits out;
  size_t room;
  size_t size;        /* of a record */
  const char *before; /* the record before this one */
  uint32_t checksum;
  int failed; /* too little room */
  struct block block;
};

enum { PACK_SIZE_MAX = 32 << 10 }; /* of a record: how far back a match may reach */

/* Records of `size` bytes, a multiple of 8, go to out. */
void pack_start(struct packer *packer, size_t size, void *out, size_t room);
/* The next one; stays where it is until the one behind it was added. */
void pack_add(struct packer *packer, const char *record);
/* Bytes written, 0 if there was too little room. */
size_t pack_finish(struct packer *packer);

#endif
