/* A log as a sequence of regions that can be extracted, unpacked, changed and put back, with the
 * header adapted. The code knows only this frame, not the records. */
#ifndef DARSHAN_FUZZ_FRAME_H
#define DARSHAN_FUZZ_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes on the heap. The owner frees it with bytes_free. */
struct bytes {
  uint8_t *data;
  size_t size;
};
/* Replaces `length` bytes at `offset` by the n bytes at `with`, and adapts the size. Aborts if out
 * of memory. */
void bytes_splice(struct bytes *b, size_t offset, size_t length, const uint8_t *with, size_t n);
/* Frees the bytes, and makes *b empty. */
void bytes_free(struct bytes *b);

/* A region of a log: a compressed part that the header lists, or that of the job. */
struct frame_region {
  size_t entry;    /* offset of (offset, length) in the header; 0: the job region */
  size_t off, len; /* bytes from the start of the log */
};

/* FRAME_UNPACKED_MAX: bytes of a region that are unpacked at most. */
enum { FRAME_MAX_REGIONS = 2 + 64, FRAME_UNPACKED_MAX = 1 << 20 };

/* The layout of a log. swapped: the log has the other byte order. compression: as in the header. */
struct frame {
  bool swapped;
  int compression;
  int num_regions; /* with data and inside the file */
  struct frame_region regions[FRAME_MAX_REGIONS];
  size_t annex_off, annex_len, trailer; /* trailer 0: no annex */
};

/* Finds the regions of a log and stores their places in *frame. Returns false if the bytes do not
 * begin with the header of a log. */
bool frame_find(struct frame *frame, const struct bytes *log);
/* Returns the decompressed content of the region's stored bytes, at most FRAME_UNPACKED_MAX bytes;
 * data is NULL if it is damaged. The caller frees it with bytes_free. */
struct bytes frame_unpack(int compression, const uint8_t *data, size_t size);
/* Returns the bytes, compressed as the header says; they are copied if it says nothing. */
struct bytes frame_pack(int compression, const uint8_t *data, size_t size);
/* Replaces the stored bytes of region number `region` by `with`, and corrects the header. The frame
 * is then no longer valid. */
void frame_replace(struct bytes *log, const struct frame *frame, int region,
                   const struct bytes *with);
/* Replaces all blocks of the annex, and corrects the length and the checksum in its trailer. */
void frame_replace_annex(struct bytes *log, const struct frame *frame, const struct bytes *with);

/* frame_get returns the unsigned integer of `width` bytes at p. swapped: the log has the other byte
 * order. frame_put writes an integer in the same way. */
uint64_t frame_get(const uint8_t *p, int width, bool swapped);
void frame_put(uint8_t *p, int width, bool swapped, uint64_t value);

#endif
