/* Most regions are short and one stream each: libdeflate takes such a stream at once, in a
 * third of the time that zlib's steps need. */
#include "reader.h"

#include <libdeflate.h>
#include <stdlib.h>

/* What comes out longer is left to zlib, whatever a log claims. */
enum { WHOLE_MAX = 1 << 20 };

static bool make_ready(struct darshan_stream *stream) {
  if (!stream->whole) stream->whole = malloc(WHOLE_MAX);
  if (!stream->deflate) stream->deflate = libdeflate_alloc_decompressor();
  return stream->whole && stream->deflate;
}

bool darshan_whole_take(struct darshan_stream *stream) {
  if (stream->left > 0 || stream->by_steps) return false;
  size_t taken = 0, made = 0;
  if (!make_ready(stream) ||
      libdeflate_zlib_decompress_ex(stream->deflate, stream->in, stream->in_left, stream->whole,
                                    WHOLE_MAX, &taken, &made) != LIBDEFLATE_SUCCESS) {
    stream->by_steps = true;
    return false;
  }
  stream->in += taken;
  stream->in_left -= taken;
  stream->whole_next = stream->whole;
  stream->whole_left = made;
  return true;
}

void darshan_whole_free(struct darshan_stream *stream) {
  if (stream->deflate) libdeflate_free_decompressor(stream->deflate);
  free(stream->whole);
}
