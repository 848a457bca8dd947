/* Reads regions, which are one or more compressed streams in sequence. Reads in steps of a fixed
 * size, so that a log cannot make the reader use much memory. */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_STEP = 64 * 1024 };

int darshan_stream_open(struct darshan_stream *stream, const struct darshan_file *file,
                        struct darshan_region region, int compression,
                        struct darshan_error *error) {
  memset(stream, 0, sizeof(*stream));
  stream->file = file;
  stream->next = region.off;
  stream->left = region.len;
  stream->compression = compression;
  if (region.off >= file->size)
    return darshan_fail(error, "a region begins behind the end of the file (truncated log?)");
  if (compression == DARSHAN_UNCOMPRESSED) return 0;
  stream->input = malloc(INPUT_STEP);
  if (!stream->input) return darshan_fail(error, "cannot decompress the data: out of memory");
  return 0;
}

/* Reads at most n stored (still compressed) bytes at stream->next. Returns their number; 0 at the
 * end of the region, or after a failure, which is then in stream->failure. */
static size_t read_stored(struct darshan_stream *stream, void *buffer, size_t n) {
  if (n > stream->left) n = (size_t)stream->left;
  if (n == 0) return 0;
  long got = darshan_file_read(stream->file, buffer, n, stream->next);
  if (got < 0)
    darshan_fail(&stream->failure, "cannot read bytes at offset %llu: %s",
                 (unsigned long long)stream->next, strerror(errno));
  if (got == 0) darshan_fail(&stream->failure, "the file ends inside a region (truncated log?)");
  if (got <= 0) return 0;
  stream->next += (uint64_t)got;
  stream->left -= (uint64_t)got;
  return (size_t)got;
}

/* Decompresses up to n bytes of the stored bytes at stream->in into `buffer`. Returns the number of
 * decompressed bytes, which may be 0; a failure is then in stream->failure. */
static size_t step_zlib(struct darshan_stream *stream, void *buffer, size_t n) {
  z_stream *z = &stream->zlib;
  if (!stream->ready && inflateInit(z) != Z_OK) {
    darshan_fail(&stream->failure, "cannot decompress the data: out of memory");
    return 0;
  }
  stream->ready = true;
  uInt room = n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)n;
  z->next_in = stream->in;
  z->avail_in = (uInt)stream->in_left;
  z->next_out = buffer;
  z->avail_out = room;
  int result = inflate(z, Z_NO_FLUSH);
  stream->in = z->next_in;
  stream->in_left = z->avail_in;
  stream->inside = result != Z_STREAM_END;
  if (result == Z_STREAM_END)
    inflateReset(z);
  else if (result == Z_BUF_ERROR)
    darshan_fail(&stream->failure, "corrupt data: a compressed stream ends early");
  else if (result != Z_OK)
    darshan_fail(&stream->failure, "corrupt data: %s", z->msg ? z->msg : "zlib error");
  return room - z->avail_out;
}

/* Decompresses up to n bytes of a bzip2 stream into `buffer`. Returns the number of decompressed
 * bytes, which may be 0; a failure is then in stream->failure. */
static size_t step_bzip2(struct darshan_stream *stream, void *buffer, size_t n) {
  bz_stream *b = &stream->bzip2;
  if (!stream->ready && BZ2_bzDecompressInit(b, 0, 0) != BZ_OK) {
    darshan_fail(&stream->failure, "cannot decompress the data: out of memory");
    return 0;
  }
  stream->ready = true;
  unsigned room = n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (unsigned)n;
  b->next_in = (char *)stream->in;
  b->avail_in = (unsigned)stream->in_left;
  b->next_out = buffer;
  b->avail_out = room;
  int result = BZ2_bzDecompress(b);
  size_t produced = room - b->avail_out;
  bool stuck = b->avail_in == stream->in_left && produced == 0;
  stream->in = (unsigned char *)b->next_in;
  stream->in_left = b->avail_in;
  stream->inside = result != BZ_STREAM_END;
  if (result == BZ_STREAM_END) { /* bzip2 has no reset function */
    BZ2_bzDecompressEnd(b);
    memset(b, 0, sizeof(*b));
    stream->ready = false;
  } else if (result != BZ_OK) {
    darshan_fail(&stream->failure, "corrupt data: bzip2 error %d", result);
  } else if (stuck) {
    darshan_fail(&stream->failure, "corrupt data: a compressed stream ends early");
  }
  return produced;
}

/* Copies up to n bytes from a stream that was decompressed in one call. Returns the number of bytes
 * copied. */
static size_t read_whole(struct darshan_stream *stream, void *buffer, size_t n) {
  if (n > stream->whole_left) n = stream->whole_left;
  memcpy(buffer, stream->whole_next, n);
  stream->whole_next += n;
  stream->whole_left -= n;
  return n;
}

/* Fills the input buffer if it is empty. Returns true if the decompressor can continue. Returns
 * false at the end of the region or after a failure. Returns true at an end within a compressed
 * stream, so that the decompressor reports it as corrupt. */
static bool have_input(struct darshan_stream *stream) {
  if (stream->in_left > 0 || stream->left == 0) return stream->in_left > 0 || stream->inside;
  stream->in = stream->input;
  stream->in_left = read_stored(stream, stream->input, INPUT_STEP);
  return stream->in_left > 0;
}

size_t darshan_stream_read(struct darshan_stream *stream, void *buffer, size_t n) {
  size_t done = 0;
  while (done < n && !stream->failure.text[0]) {
    char *place = (char *)buffer + done;
    if (stream->compression == DARSHAN_UNCOMPRESSED) {
      if (stream->left == 0) break;
      done += read_stored(stream, place, n - done);
      continue;
    }
    if (stream->whole_left > 0) {
      done += read_whole(stream, place, n - done);
      continue;
    }
    if (!have_input(stream)) break;
    size_t put = 0;
    if (stream->compression == DARSHAN_BZIP2)
      put = step_bzip2(stream, place, n - done);
    else if (stream->inside || !darshan_whole_take(stream, place, n - done, &put))
      put = step_zlib(stream, place, n - done);
    done += put;
  }
  return done;
}

void darshan_stream_close(struct darshan_stream *stream) {
  if (stream->ready && stream->compression == DARSHAN_ZLIB) inflateEnd(&stream->zlib);
  if (stream->ready && stream->compression == DARSHAN_BZIP2) BZ2_bzDecompressEnd(&stream->bzip2);
  darshan_whole_free(stream);
  free(stream->input);
  memset(stream, 0, sizeof(*stream));
}
