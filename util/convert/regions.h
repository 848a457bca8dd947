/* Writes the regions of a log, one after another. Data are collected until they fill a compressed
 * stream, so even a large log needs little memory. */
#ifndef DARSHAN_CONVERT_REGIONS_H
#define DARSHAN_CONVERT_REGIONS_H

#include "log-format.h"
#include "output.h"

struct libdeflate_compressor;

struct regions {
  struct output_file *out;
  int compression; /* enum darshan_compression of the regions; annex blocks are never bzip2 */
  uint64_t used;   /* bytes of the file so far */
  struct darshan_header header;
  struct darshan_annex_trailer annex;
  char *batch, *packed;             /* data not yet compressed; compressed data */
  size_t filled, room, packed_room; /* bytes used in batch; capacities of batch and packed */
  int method;                       /* enum darshan_compression of the open region */
  uint64_t began, raw;              /* of the open region: offset in the file; uncompressed bytes */
  struct libdeflate_compressor *compressor; /* NULL until it is needed */
};

/* Begins the regions of a new log; writes nothing yet. compression: enum darshan_compression. */
void regions_open(struct regions *regions, struct output_file *out, int compression);

/* Write a region: regions_begin, any number of pieces, and regions_end, which stores the region's
 * offset and compressed length in *region. regions_add copies a piece of n bytes. regions_room
 * returns memory for a piece of n bytes, which the caller fills before the next call; NULL after a
 * message if out of memory, or if the pieces before cannot be written. The others return 0, or -1
 * after a message. */
void regions_begin(struct regions *regions);
char *regions_room(struct regions *regions, size_t n);
int regions_add(struct regions *regions, const void *bytes, size_t n);
int regions_end(struct regions *regions, struct darshan_region *region);

/* Begin and end a block of the annex, as regions_begin and regions_end do for a region. Blocks
 * follow all regions. block: module, version and flags; regions_end_block adds the lengths and the
 * compression. Both return 0, or -1 after a message. */
int regions_begin_block(struct regions *regions);
int regions_end_block(struct regions *regions, struct darshan_annex_block block);

/* Writes the annex trailer and the header, which completes the file. Returns 0, or -1 after a
 * message. */
int regions_finish(struct regions *regions);
/* Frees the memory. Does not close the output. */
void regions_close(struct regions *regions);

#endif
