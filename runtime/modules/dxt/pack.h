/* Packs segments: a byte with the lengths of the fields, then the fields, as differences to the
 * previous segment. A read or write like the last one takes three or four bytes instead of 32.
 *
 *   bit 0     1: a write
 *   bits 1-2  length of the duration: 1, 2, 4 or 8 bytes
 *   bits 3-4  length of the start minus the last start: 1, 2, 4 or 8 bytes
 *   bits 5-6  length of the offset minus the end of the last read or write: 0, 2, 4 or 8 bytes
 *   bit 7     1: the transferred length differs from the last one and follows in eight bytes
 *
 * If threads are recorded, another byte follows. 0: the thread of the previous segment; 1: the
 * eight bytes of another thread follow.
 *
 * Differences that may be negative have their sign in the lowest bit. */
#ifndef DARSHAN_DXT_PACK_H
#define DARSHAN_DXT_PACK_H

#include <stdint.h>

#include "dxt-state.h"

enum {
  PACKED_MAX = 1 + 4 * 8 + 1 + 8,
  PACKED_SLACK = 8 /* bytes beyond a segment that may be read or written, because each field is
                      accessed as eight bytes */
};

/* Times are stored in units of 2^-21 s, half a microsecond. */
#define DXT_UNITS_PER_SECOND 2097152.0

/* A segment, unpacked. */
struct dxt_packed {
  int writes;               /* 1: a write, 0: a read */
  int64_t offset, length;   /* in bytes; offset: -1 if unknown */
  uint64_t start, duration; /* in units of 2^-21 s */
  uint64_t thread;          /* pthread_self(); 0: not recorded */
};

static inline uint64_t dxt_fold_sign(uint64_t difference) {
  return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}
static inline uint64_t dxt_unfold_sign(uint64_t folded) {
  return folded >> 1 ^ -(folded & 1);
}

/* Returns the class of a field's length: 0, 1, 2 or 3 for a value that needs 1, 2, 4 or 8 bytes. */
static inline unsigned dxt_class(uint64_t value) {
  return (value > UINT8_MAX) + (value > UINT16_MAX) + (value > UINT32_MAX);
}
/* Returns the class of a field's length: 0, 1, 2 or 3 for a value that needs 0, 2, 4 or 8 bytes. */
static inline unsigned dxt_class_or_none(uint64_t value) {
  return (value != 0) + (value > UINT16_MAX) + (value > UINT32_MAX);
}

/* dxt_put writes the lowest `bytes` bytes of a value, dxt_get reads them. Both return the address
 * behind these bytes, but access eight bytes in any case. */
static inline unsigned char *dxt_put(unsigned char *to, uint64_t value, unsigned bytes) {
  __builtin_memcpy(to, &value, sizeof(value));
  return to + bytes;
}
static inline const unsigned char *dxt_get(const unsigned char *from, uint64_t *value,
                                           unsigned bytes) {
  __builtin_memcpy(value, from, sizeof(*value));
  *value = bytes == 0 ? 0 : *value & UINT64_MAX >> (64 - 8 * bytes);
  return from + bytes;
}

/* Packs a segment, without its thread, into `to`, where up to PACKED_MAX + PACKED_SLACK bytes are
 * written. Updates *previous for the next segment. Returns the end of the packed segment. */
static inline unsigned char *dxt_pack(unsigned char *to, struct dxt_previous *previous,
                                      const struct dxt_packed *segment) {
  uint64_t start = dxt_fold_sign(segment->start - previous->start);
  int64_t *expected = &previous->offset[segment->writes];
  uint64_t offset = dxt_fold_sign((uint64_t)segment->offset - (uint64_t)*expected);
  unsigned duration_class = dxt_class(segment->duration), start_class = dxt_class(start);
  unsigned offset_class = dxt_class_or_none(offset);
  unsigned other_length = segment->length != previous->length;
  *to++ = (unsigned char)(segment->writes | duration_class << 1 | start_class << 3 |
                          offset_class << 5 | other_length << 7);
  to = dxt_put(to, segment->duration, 1u << duration_class);
  to = dxt_put(to, start, 1u << start_class);
  to = dxt_put(to, offset, 1u << offset_class & ~1u);
  if (other_length) to = dxt_put(to, (uint64_t)segment->length, sizeof(segment->length));
  previous->start = segment->start;
  previous->length = segment->length;
  *expected = (int64_t)((uint64_t)segment->offset + (uint64_t)segment->length);
  return to;
}

/* Unpacks the segment at `from`, without its thread. *previous must be as it was when the segment
 * was packed; it is updated for the next segment. Returns the end of the packed segment. */
static inline const unsigned char *
dxt_unpack(const unsigned char *from, struct dxt_previous *previous, struct dxt_packed *segment) {
  unsigned head = *from++;
  uint64_t start, offset, length;
  segment->writes = head & 1;
  from = dxt_get(from, &segment->duration, 1u << (head >> 1 & 3));
  from = dxt_get(from, &start, 1u << (head >> 3 & 3));
  from = dxt_get(from, &offset, 1u << (head >> 5 & 3) & ~1u);
  if (head >> 7) {
    from = dxt_get(from, &length, sizeof(length));
    previous->length = (int64_t)length;
  }
  int64_t *expected = &previous->offset[segment->writes];
  previous->start += dxt_unfold_sign(start);
  segment->start = previous->start;
  segment->length = previous->length;
  segment->offset = (int64_t)((uint64_t)*expected + dxt_unfold_sign(offset));
  *expected = (int64_t)((uint64_t)segment->offset + (uint64_t)segment->length);
  return from;
}

static inline unsigned char *dxt_pack_thread(unsigned char *to, struct dxt_previous *previous,
                                             uint64_t thread) {
  unsigned is_other = thread != previous->thread;
  *to++ = (unsigned char)is_other;
  previous->thread = thread;
  return dxt_put(to, thread, is_other * (unsigned)sizeof(thread));
}

static inline const unsigned char *dxt_unpack_thread(const unsigned char *from,
                                                     struct dxt_previous *previous,
                                                     struct dxt_packed *segment) {
  unsigned is_other = *from++;
  if (is_other) from = dxt_get(from, &previous->thread, sizeof(previous->thread));
  segment->thread = previous->thread;
  return from;
}

#endif
