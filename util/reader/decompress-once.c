/* Decompresses a short stream in one call of libdeflate. Most regions are short and consist of one
 * stream, and libdeflate needs a third of the time of zlib. libdeflate accepts some codes that zlib
 * rejects and no compressor writes (a length of 258 as symbol 286, more than 30 distances), if the
 * checksum is correct. All other results are equal. */
#include "reader.h"

#include <libdeflate.h>
#include <stdlib.h>

/* Sizes in bytes. WHOLE_MAX: zlib decompresses streams that are longer when decompressed. The
 * attempt with libdeflate is then wasted, so the limit is high: records of one kind may become
 * fifty times larger than their stored bytes. FACTOR: no memory is allocated if the caller's buffer
 * is this many times larger than the stored bytes, as for small logs. LEAST: a first stream with
 * fewer stored bytes is left to zlib, which is as fast. libdeflate first detects the processor's
 * features, which is slow in a virtual machine. */
enum { WHOLE_MAX = 4 << 20, FACTOR = 16, LEAST = 1 << 10 };

static enum libdeflate_result take(struct darshan_stream *stream, void *to, size_t room,
                                   size_t *made) {
  size_t taken = 0, out = 0;
  enum libdeflate_result result = libdeflate_zlib_decompress_ex(
      stream->deflate, stream->in, stream->in_left, to, room, &taken, &out);
  if (result != LIBDEFLATE_SUCCESS) return result;
  *made = out;
  stream->in += taken;
  stream->in_left -= taken;
  return result;
}

bool darshan_whole_take(struct darshan_stream *stream, void *place, size_t room, size_t *put) {
  if (stream->left > 0 || stream->by_steps) return false;
  if (!stream->deflate && stream->in_left < LEAST) return false;
  enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
  if (!stream->deflate) stream->deflate = libdeflate_alloc_decompressor();
  if (stream->deflate && room / FACTOR >= stream->in_left) result = take(stream, place, room, put);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
    *put = 0;
    if (!stream->whole) stream->whole = malloc(WHOLE_MAX);
    if (stream->whole && stream->deflate)
      result = take(stream, stream->whole, WHOLE_MAX, &stream->whole_left);
    stream->whole_next = stream->whole;
  }
  stream->by_steps = result != LIBDEFLATE_SUCCESS;
  return !stream->by_steps;
}

void darshan_whole_free(struct darshan_stream *stream) {
  if (stream->deflate) libdeflate_free_decompressor(stream->deflate);
  free(stream->whole);
}
