/* Writes the regions of a log, one after another (regions.h). */
#include "regions.h"

#include <bzlib.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "output.h"

enum {
  BATCH = 4 << 20, /* bytes that are compressed together; larger streams compress no better */
  LEVEL = 7,       /* 8 and 9 take 2 to 6 times as long, and save at most 2 % */
  BZIP2_BLOCKS = 9 /* blocks of 900 kB, as in 3.5.0 */
};

void regions_open(struct regions *regions, struct output_file *out, int compression) {
  *regions = (struct regions){.out = out,
                              .compression = compression,
                              .used = sizeof(struct darshan_header),
                              .header = {.version = DARSHAN_LOG_VERSION,
                                         .magic = DARSHAN_LOG_MAGIC,
                                         .comp_type = (uint8_t)compression},
                              .annex = {.version = DARSHAN_ANNEX_VERSION}};
  memcpy(regions->annex.magic, DARSHAN_ANNEX_MAGIC, sizeof(regions->annex.magic));
}

void regions_close(struct regions *regions) {
  libdeflate_free_compressor(regions->compressor);
  free(regions->batch);
  free(regions->packed);
}

/* Compresses the collected bytes into regions->packed. Returns the compressed length, or 0 on
 * failure. */
static size_t compress_batch(struct regions *regions) {
  if (regions->method == DARSHAN_ZLIB) {
    if (!regions->compressor) regions->compressor = libdeflate_alloc_compressor(LEVEL);
    return regions->compressor
               ? libdeflate_zlib_compress(regions->compressor, regions->batch, regions->filled,
                                          regions->packed, regions->packed_room)
               : 0;
  }
  unsigned length = (unsigned)regions->packed_room;
  int result = BZ2_bzBuffToBuffCompress(regions->packed, &length, regions->batch,
                                        (unsigned)regions->filled, BZIP2_BLOCKS, 0, 0);
  return result == BZ_OK ? length : 0;
}

/* Enlarges a buffer to at least `needed` bytes. *room: its capacity. Returns 0, or -1 after a
 * message. */
static int grow(char **bytes, size_t *room, size_t needed) {
  if (needed <= *room) return 0;
  char *grown = realloc(*bytes, needed);
  if (!grown) return convert_say("cannot convert the log: out of memory (%zu bytes)", needed);
  *bytes = grown;
  *room = needed;
  return 0;
}

/* Appends n bytes to the file. Returns 0, or -1 after a message. */
static int put(struct regions *regions, const char *bytes, size_t n) {
  if (output_file_put(regions->out, bytes, n, regions->used) < 0) return -1;
  regions->used += n;
  return 0;
}

/* Compresses the collected data into one stream and appends it to the file. Returns 0, or -1 after
 * a message. */
static int flush_batch(struct regions *regions) {
  size_t n = regions->filled, bound = libdeflate_zlib_compress_bound(NULL, n) + n / 100 +
                                      600; /* also enough for bzip2 */
  if (n == 0) return 0;
  regions->raw += n;
  if (regions->method == DARSHAN_UNCOMPRESSED) {
    regions->filled = 0;
    return put(regions, regions->batch, n);
  }
  if (grow(&regions->packed, &regions->packed_room, bound) < 0) return -1;
  size_t length = compress_batch(regions);
  regions->filled = 0;
  return length ? put(regions, regions->packed, length)
                : convert_say("cannot write %s: out of memory", regions->out->name);
}

void regions_begin(struct regions *regions) {
  regions->method = regions->compression;
  regions->began = regions->used;
  regions->raw = 0;
}

char *regions_room(struct regions *regions, size_t n) {
  if (regions->filled + n > BATCH && flush_batch(regions) < 0) return NULL;
  if (grow(&regions->batch, &regions->room, n > BATCH ? n : BATCH) < 0) return NULL;
  regions->filled += n;
  return regions->batch + regions->filled - n;
}

int regions_add(struct regions *regions, const void *bytes, size_t n) {
  char *room = n ? regions_room(regions, n) : NULL;
  if (room) memcpy(room, bytes, n);
  return room || n == 0 ? 0 : -1;
}

int regions_end(struct regions *regions, struct darshan_region *region) {
  if (flush_batch(regions) < 0) return -1;
  *region = (struct darshan_region){0, regions->used - regions->began};
  if (region->len) region->off = regions->began;
  return 0;
}

int regions_begin_block(struct regions *regions) {
  static const struct darshan_annex_block none; /* placeholder until the lengths are known */
  if (regions->annex.offset == 0) regions->annex.offset = regions->used;
  if (put(regions, (const char *)&none, sizeof(none)) < 0) return -1;
  regions_begin(regions);
  /* The annex is never compressed with bzip2. */
  if (regions->method == DARSHAN_BZIP2) regions->method = DARSHAN_ZLIB;
  return 0;
}

int regions_end_block(struct regions *regions, struct darshan_annex_block block) {
  uint64_t head = regions->began - sizeof(block);
  if (flush_batch(regions) < 0) return -1;
  block.comp_type = (uint32_t)regions->method;
  block.stored_len = regions->used - regions->began;
  block.raw_len = regions->raw;
  regions->annex.num_blocks++;
  return output_file_put(regions->out, &block, sizeof(block), head);
}

/* Computes the checksum of the annex from the unfinished file: the heads of its blocks are written
 * last, so the checksum cannot be computed while the data are written. Returns 0, or -1 after a
 * message. */
static int check_sum(struct regions *regions) {
  unsigned char *bytes = malloc(BATCH);
  if (!bytes) return convert_say("cannot write %s: out of memory", regions->out->name);
  uLong sum = crc32(0, NULL, 0);
  uint64_t at = regions->annex.offset;
  ssize_t n = 1;
  for (; at < regions->used && n > 0; at += (uint64_t)n) {
    uint64_t rest = regions->used - at;
    n = pread(regions->out->fd, bytes, rest < BATCH ? (size_t)rest : BATCH, (off_t)at);
    if (n > 0) sum = crc32(sum, bytes, (uInt)n);
  }
  free(bytes);
  regions->annex.checksum = (uint32_t)sum;
  return n > 0 ? 0 : convert_say("%s: %s", regions->out->name, strerror(n < 0 ? errno : EIO));
}

int regions_finish(struct regions *regions) {
  if (regions->annex.num_blocks) {
    regions->annex.length = regions->used - regions->annex.offset;
    if (check_sum(regions) < 0 ||
        put(regions, (const char *)&regions->annex, sizeof(regions->annex)) < 0)
      return -1;
  }
  return output_file_put(regions->out, &regions->header, sizeof(regions->header), 0);
}
