/* Cases for writing to streams. */
#include "calls.h"

#include <stdio.h>

OPTIONAL_SYMBOL extern size_t _IO_fwrite(const void *, size_t, size_t, FILE *);
OPTIONAL_SYMBOL extern int _IO_putc(int, FILE *);
OPTIONAL_SYMBOL extern int __overflow(FILE *, int);
OPTIONAL_SYMBOL extern int _IO_fputs(const char *, FILE *);

static FILE *new_stream(const char *path) {
  FILE *stream = C(fopen(path, "w"));
  CHECK(stream != NULL);
  model_fopen(path);
  return stream;
}

/* Returns a stream on a file that is open for reading only. */
static FILE *read_only_stream(const char *path) {
  raw_file(path, 1);
  FILE *stream = C(fopen(path, "r"));
  CHECK(stream != NULL);
  model_fopen(path);
  return stream;
}

#define FWRITE_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = new_stream(path);                                                               \
    CHECK(C(name(buffer, 8, 10, stream)) == 10);                                                   \
    model_fwrite(path, 80);                                                                        \
    CHECK(C(name(buffer, 1, 1, stream)) == 1);                                                     \
    model_fwrite(path, 1);                                                                         \
    CHECK(C(name(buffer, 20000, 1, stream)) == 1);                                                 \
    model_fwrite(path, 20000);                                                                     \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == 20081);                                      \
    stream = read_only_stream(in_dir("read-only"));                                                \
    CHECK(C(name(buffer, 8, 10, stream)) == 0);                                                    \
    expect_any(in_dir("read-only"), "STDIO_WRITES"); /* no write happened in either case */        \
  }
FWRITE_CASE(fwrite)
FWRITE_CASE(_IO_fwrite)
FWRITE_CASE(fwrite_unlocked)

#define PUTC_CASE(name)                                                                            \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = new_stream(path);                                                               \
    for (int i = 0; i < 5000; i++) {                                                               \
      CHECK(C((name)('a' + i % 26, stream)) == 'a' + i % 26);                                      \
      model_fwrite(path, 1);                                                                       \
    }                                                                                              \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == 5000);                                       \
    stream = read_only_stream(in_dir("read-only"));                                                \
    CHECK(C((name)('a', stream)) == EOF);                                                          \
  }
PUTC_CASE(fputc)
PUTC_CASE(putc)
PUTC_CASE(_IO_putc)
PUTC_CASE(fputc_unlocked)
PUTC_CASE(putc_unlocked)

/* Does what an inlined putc_unlocked does. The counted bytes are exact; operations are a lower
 * bound. */
CASE(__overflow) {
  const char *path = in_dir("file");
  FILE *stream = new_stream(path);
  for (int i = 0; i < 15000; i++) {
    if (stream->_IO_write_ptr < stream->_IO_write_end)
      *stream->_IO_write_ptr++ = 'x';
    else
      CHECK(__overflow(stream, 'x') == 'x');
  }
  CHECK(C(fclose(stream)) == 0 && raw_size(path) == 15000);
  expect_value(path, "STDIO_BYTES_WRITTEN", 15000);
  expect_value(path, "STDIO_MAX_BYTE_WRITTEN", 14999);
  expect_at_least(path, "STDIO_WRITES", 1);
  expect_at_least(path, "POSIX_EXT_INLINED", 1);
  expect_any(OTHER_PATHS, "POSIX_EXT_INLINED");
}

CASE(putw) {
  const char *path = in_dir("file");
  FILE *stream = new_stream(path);
  for (int i = 0; i < 25; i++) {
    CHECK(C(putw(i, stream)) == 0);
    model_fwrite(path, 4);
  }
  CHECK(C(fclose(stream)) == 0 && raw_size(path) == 100);
}

#define FPUTS_CASE(name)                                                                           \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = new_stream(path);                                                               \
    CHECK(C(name("letters\n", stream)) >= 0);                                                      \
    model_fwrite(path, 8);                                                                         \
    CHECK(C(name("x", stream)) >= 0);                                                              \
    model_fwrite(path, 1);                                                                         \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == 9);                                          \
    stream = read_only_stream(in_dir("read-only"));                                                \
    CHECK(C(name("x", stream)) == EOF);                                                            \
  }
FPUTS_CASE(fputs)
FPUTS_CASE(_IO_fputs)
FPUTS_CASE(fputs_unlocked)
