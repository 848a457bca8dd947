/* The regions of a log, written one behind the other: whatever is given is kept until it
 * is worth a compressed stream, so that a log of any size needs little memory. */
#ifndef DARSHAN_CONVERT_REGIONS_H
#define DARSHAN_CONVERT_REGIONS_H

#include "log-format.h"
#include "output.h"

struct libdeflate_compressor;

struct regions {
  struct output_file *out;
  int compression; /* of the regions; annex blocks are zlib streams, or plain */
  uint64_t used;   /* bytes of the file so far */
  struct darshan_header header;
  struct darshan_annex_trailer annex;
  char *batch, *packed; /* what is not compressed yet; where that is done */
  size_t filled, room, packed_room;
  int method;          /* of the open region */
  uint64_t began, raw; /* the open region: where it begins, its bytes before compression */
  struct libdeflate_compressor *compressor; /* NULL until it is needed */
};

void regions_open(struct regions *regions, struct output_file *out, int compression);

/* The following return 0, or -1 after a line that says why not.
 * A region: begin, then any number of pieces, then one of the ends.  Room of n bytes for
 * the next piece, which the caller fills: NULL if there is no memory. */
void regions_begin(struct regions *regions);
char *regions_room(struct regions *regions, size_t n);
int regions_add(struct regions *regions, const void *bytes, size_t n);
int regions_end(struct regions *regions, struct darshan_region *region);

/* The same for a block of the annex, which come last. */
int regions_begin_block(struct regions *regions);
int regions_end_block(struct regions *regions, struct darshan_annex_block block);

/* Trailer of the annex and header: the file is complete. */
int regions_finish(struct regions *regions);
void regions_close(struct regions *regions);

#endif
