#include "frame.h"
#include "log-format.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void bytes_splice(struct bytes *b, size_t offset, size_t length, const uint8_t *with, size_t n) {
  size_t tail = b->size - offset - length;
  uint8_t *data = malloc(offset + n + tail + 1);
  if (!data) abort();
  if (offset) memcpy(data, b->data, offset);
  if (n) memcpy(data + offset, with, n);
  if (tail) memcpy(data + offset + n, b->data + offset + length, tail);
  free(b->data);
  b->data = data;
  b->size = offset + n + tail;
}

void bytes_free(struct bytes *b) {
  free(b->data);
  *b = (struct bytes){NULL, 0};
}

uint64_t frame_get(const uint8_t *p, int width, bool swapped) {
  uint64_t value = 0;
  for (int i = 0; i < width; i++)
    value |= (uint64_t)p[swapped ? width - 1 - i : i] << (8 * i);
  return value;
}

void frame_put(uint8_t *p, int width, bool swapped, uint64_t value) {
  for (int i = 0; i < width; i++)
    p[swapped ? width - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

/* Adds the region of a header's entry, if it has data and is inside the file. entry: offset of the
 * entry in the log. */
static void add_region(struct frame *frame, const struct bytes *log, size_t entry) {
  uint64_t off = frame_get(log->data + entry, 8, frame->swapped);
  uint64_t len = frame_get(log->data + entry + 8, 8, frame->swapped);
  if (len == 0 || off > log->size || len > log->size - off) return;
  frame->regions[frame->num_regions++] = (struct frame_region){entry, (size_t)off, (size_t)len};
}

/* Sets the annex and its trailer; trailer 0 if the log has no annex that is inside the file. */
static void find_annex(struct frame *frame, const struct bytes *log) {
  frame->trailer = 0;
  if (log->size < sizeof(struct darshan_annex_trailer)) return;
  size_t at = log->size - sizeof(struct darshan_annex_trailer);
  if (memcmp(log->data + at, DARSHAN_ANNEX_MAGIC, 8) != 0) return;
  uint64_t off =
      frame_get(log->data + at + offsetof(struct darshan_annex_trailer, offset), 8, frame->swapped);
  uint64_t len =
      frame_get(log->data + at + offsetof(struct darshan_annex_trailer, length), 8, frame->swapped);
  if (off > at || len > at - off) return;
  frame->annex_off = (size_t)off;
  frame->annex_len = (size_t)len;
  frame->trailer = at;
}

bool frame_find(struct frame *frame, const struct bytes *log) {
  if (log->size < sizeof(struct darshan_header)) return false;
  bool old = memcmp(log->data, DARSHAN_LOG_VERSION, 4) != 0;
  size_t header = old ? sizeof(struct darshan_header_old) : sizeof(struct darshan_header);
  size_t names =
      old ? offsetof(struct darshan_header_old, names) : offsetof(struct darshan_header, names);
  int slots = old ? DARSHAN_MAX_MODULES_OLD : DARSHAN_MAX_MODULES;
  *frame = (struct frame){.compression = log->data[offsetof(struct darshan_header, comp_type)]};
  frame->swapped = frame_get(log->data + 8, 8, false) != (uint64_t)DARSHAN_LOG_MAGIC;
  if (frame_get(log->data + 8, 8, frame->swapped) != (uint64_t)DARSHAN_LOG_MAGIC) return false;
  uint64_t end = frame_get(log->data + names, 8, frame->swapped);
  if (end > header && end <= log->size)
    frame->regions[frame->num_regions++] = (struct frame_region){0, header, (size_t)end - header};
  for (int i = 0; i <= slots; i++) /* the names, then the modules */
    add_region(frame, log, names + 16 * (size_t)i);
  find_annex(frame, log);
  return frame->num_regions > 0;
}

/* Unpacks all zlib streams of a region to `out`, which has FRAME_UNPACKED_MAX bytes. Returns the
 * size of the content that could be unpacked. */
static size_t unpack_zlib(const uint8_t *data, size_t size, uint8_t *out) {
  size_t used = 0, done = 0;
  while (used < size && done < FRAME_UNPACKED_MAX) {
    z_stream z = {.next_in = (Bytef *)data + used,
                  .avail_in = (uInt)(size - used),
                  .next_out = out + done,
                  .avail_out = (uInt)(FRAME_UNPACKED_MAX - done)};
    if (inflateInit(&z) != Z_OK) abort();
    int result = inflate(&z, Z_FINISH);
    used += z.total_in;
    done += z.total_out;
    inflateEnd(&z);
    if (result != Z_STREAM_END) break;
  }
  return done;
}

/* Unpacks a region to `out`, which has FRAME_UNPACKED_MAX bytes. Returns the unpacked size; 0 if
 * the region is damaged. */
static size_t unpack_bzip2(const uint8_t *data, size_t size, uint8_t *out) {
  unsigned room = FRAME_UNPACKED_MAX;
  int result = BZ2_bzBuffToBuffDecompress((char *)out, &room, (char *)data, (unsigned)size, 0, 0);
  return result == BZ_OK ? room : 0;
}

struct bytes frame_unpack(int compression, const uint8_t *data, size_t size) {
  static uint8_t room[FRAME_UNPACKED_MAX]; /* a fresh one each time would take most of the time */
  struct bytes out = {NULL, 0};
  if (compression == DARSHAN_ZLIB) {
    out.size = unpack_zlib(data, size, room);
  } else if (compression == DARSHAN_BZIP2) {
    out.size = unpack_bzip2(data, size, room);
  } else {
    out.size = size < FRAME_UNPACKED_MAX ? size : FRAME_UNPACKED_MAX;
    memcpy(room, data, out.size);
  }
  if (out.size == 0) return out;
  out.data = malloc(out.size);
  if (!out.data) abort();
  memcpy(out.data, room, out.size);
  return out;
}

struct bytes frame_pack(int compression, const uint8_t *data, size_t size) {
  size_t room = size + size / 50 + 1024;
  struct bytes out = {malloc(room), 0};
  if (!out.data) abort();
  if (compression == DARSHAN_ZLIB) {
    uLongf packed = room;
    if (compress2(out.data, &packed, data, size, 1) != Z_OK) abort();
    out.size = packed;
  } else if (compression == DARSHAN_BZIP2) {
    unsigned packed = (unsigned)room;
    if (BZ2_bzBuffToBuffCompress((char *)out.data, &packed, (char *)data, (unsigned)size, 1, 0,
                                 0) != BZ_OK)
      abort();
    out.size = packed;
  } else {
    memcpy(out.data, data, size);
    out.size = size;
  }
  return out;
}

/* Writes an 8-byte value at offset `at` of the log's header. Does nothing if the log has become too
 * short for it. */
static void put_entry(struct bytes *log, size_t at, bool swapped, uint64_t value) {
  if (at + 8 <= log->size) frame_put(log->data + at, 8, swapped, value);
}

/* Corrects the offsets in the header and in the annex's trailer after all bytes from `behind` on
 * were moved by `delta` bytes (modulo 2^64, so also backwards). */
static void move_rest(struct bytes *log, const struct frame *frame, size_t behind, size_t delta) {
  for (int i = 0; i < frame->num_regions; i++) {
    const struct frame_region *r = &frame->regions[i];
    if (r->entry && r->off >= behind) put_entry(log, r->entry, frame->swapped, r->off + delta);
  }
  if (frame->trailer && frame->annex_off >= behind) {
    size_t field = frame->trailer + delta + offsetof(struct darshan_annex_trailer, offset);
    frame_put(log->data + field, 8, frame->swapped, frame->annex_off + delta);
  }
}

void frame_replace(struct bytes *log, const struct frame *frame, int region,
                   const struct bytes *with) {
  const struct frame_region *r = &frame->regions[region];
  bytes_splice(log, r->off, r->len, with->data, with->size);
  move_rest(log, frame, r->off + r->len, with->size - r->len);
  if (r->entry) put_entry(log, r->entry + 8, frame->swapped, with->size);
}

void frame_replace_annex(struct bytes *log, const struct frame *frame, const struct bytes *with) {
  bytes_splice(log, frame->annex_off, frame->annex_len, with->data, with->size);
  uint8_t *trailer = log->data + frame->trailer + with->size - frame->annex_len;
  frame_put(trailer + offsetof(struct darshan_annex_trailer, length), 8, frame->swapped,
            with->size);
  frame_put(trailer + offsetof(struct darshan_annex_trailer, checksum), 4, frame->swapped,
            crc32(0, log->data + frame->annex_off, (uInt)with->size));
}
