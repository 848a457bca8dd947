/* Cases for reads from streams. The expected bytes are how far the position moved. */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OPTIONAL_SYMBOL extern size_t _IO_fread(void *, size_t, size_t, FILE *);
OPTIONAL_SYMBOL extern size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
OPTIONAL_SYMBOL extern size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
OPTIONAL_SYMBOL extern int _IO_getc(FILE *);
OPTIONAL_SYMBOL extern int __uflow(FILE *);
OPTIONAL_SYMBOL extern int _IO_ungetc(int, FILE *);
OPTIONAL_SYMBOL extern int __underflow(FILE *);
OPTIONAL_SYMBOL extern char *_IO_fgets(char *, int, FILE *);
OPTIONAL_SYMBOL extern char *__fgets_chk(char *, size_t, int, FILE *);
OPTIONAL_SYMBOL extern char *__fgets_unlocked_chk(char *, size_t, int, FILE *);
OPTIONAL_SYMBOL extern ssize_t __getdelim(char **, size_t *, int, FILE *);

static FILE *open_stream(const char *path) {
  FILE *stream = C(fopen(path, "r"));
  CHECK(stream != NULL);
  model_fopen(path);
  return stream;
}

/* Reads whole elements, then an element that the end of the file truncates: its bytes count, too.
 * The sizes are above and below that of the stream's buffer. */
#define FREAD_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    raw_file(path, 30043);                                                                         \
    FILE *stream = open_stream(path);                                                              \
    size_t size = 8, n = 10;                                                                       \
    for (int i = 0; i < 2; i++) {                                                                  \
      CHECK(C(call) == 10);                                                                        \
      model_fread(path, 80);                                                                       \
    }                                                                                              \
    size = 20000, n = 1;                                                                           \
    CHECK(C(call) == 1);                                                                           \
    model_fread(path, 20000);                                                                      \
    size = 1000, n = 50;                                                                           \
    CHECK(C(call) == 9);                                                                           \
    model_fread(path, 9883);                                                                       \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
FREAD_CASE(fread, fread(buffer, size, n, stream))
FREAD_CASE(_IO_fread, _IO_fread(buffer, size, n, stream))
FREAD_CASE(fread_unlocked, fread_unlocked(buffer, size, n, stream))
FREAD_CASE(__fread_chk, __fread_chk(buffer, BUFFER_SIZE, size, n, stream))
FREAD_CASE(__fread_unlocked_chk, __fread_unlocked_chk(buffer, BUFFER_SIZE, size, n, stream))

#define GETC_CASE(name)                                                                            \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    raw_file(path, 5000);                                                                          \
    FILE *stream = open_stream(path);                                                              \
    for (int i = 0; i < 5000; i++) {                                                               \
      CHECK(C((name)(stream)) == buffer[i]);                                                       \
      model_fread(path, 1);                                                                        \
    }                                                                                              \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
GETC_CASE(fgetc)
GETC_CASE(getc)
GETC_CASE(_IO_getc)
GETC_CASE(getc_unlocked)
GETC_CASE(fgetc_unlocked)

/* Does what an inlined getc_unlocked does. The counted bytes are exact; operations are a lower
 * bound. */
CASE(__uflow) {
  const char *path = in_dir("file");
  raw_file(path, 20000);
  FILE *stream = open_stream(path);
  for (int i = 0; i < 15000; i++) {
    int c = stream->_IO_read_ptr < stream->_IO_read_end ? *(unsigned char *)stream->_IO_read_ptr++
                                                        : __uflow(stream);
    CHECK(c == buffer[i]);
  }
  CHECK(C(fclose(stream)) == 0);
  expect_value(path, "STDIO_BYTES_READ", 15000);
  expect_value(path, "STDIO_MAX_BYTE_READ", 14999);
  expect_at_least(path, "STDIO_READS", 1);
  expect_at_least(path, "POSIX_EXT_INLINED", 1);
  expect_any(OTHER_PATHS, "POSIX_EXT_INLINED");
}

/* Refills the buffer without reading from it. */
SCENARIO(__underflow) {
  const char *path = in_dir("file");
  raw_file(path, 100);
  FILE *stream = open_stream(path);
  CHECK(C(__underflow(stream)) == buffer[0]);
  CHECK(C(fgetc(stream)) == buffer[0]);
  CHECK(C(fclose(stream)) == 0);
  expect_value(path, "STDIO_BYTES_READ", 1);
  expect_at_least(path, "STDIO_READS", 1);
  expect_any(path, "POSIX_EXT_INLINED");
  expect_any(OTHER_PATHS, "POSIX_EXT_INLINED");
}

CASE(getw) {
  const char *path = in_dir("file");
  raw_file(path, 100);
  FILE *stream = open_stream(path);
  for (int i = 0; i < 25; i++) {
    CHECK(C(getw(stream)) == *(int *)(buffer + 4 * i));
    model_fread(path, 4);
  }
}

/* A line, a line with a NUL inside, and a line longer than the buffer. */
static const char lines[] = "first\nsec\0nd\nlonger than fits\n";

static FILE *open_lines(const char *path) {
  int fd = sys_open(path, O_CREAT | O_WRONLY, 0644);
  CHECK(sys_write(fd, lines, sizeof lines - 1) == sizeof lines - 1);
  sys_close(fd);
  return open_stream(path);
}

#define FGETS_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = open_lines(path);                                                               \
    char line[10];                                                                                 \
    static const int sizes[] = {6, 7, 9, 8};                                                       \
    for (int i = 0; i < 4; i++) {                                                                  \
      CHECK(C(call) == line);                                                                      \
      model_fread(path, sizes[i]);                                                                 \
    }                                                                                              \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
FGETS_CASE(fgets, fgets(line, sizeof line, stream))
FGETS_CASE(_IO_fgets, _IO_fgets(line, sizeof line, stream))
FGETS_CASE(fgets_unlocked, fgets_unlocked(line, sizeof line, stream))
FGETS_CASE(__fgets_chk, __fgets_chk(line, sizeof line, sizeof line, stream))
FGETS_CASE(__fgets_unlocked_chk, __fgets_unlocked_chk(line, sizeof line, sizeof line, stream))

#define GETLINE_CASE(name, call)                                                                   \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    FILE *stream = open_lines(path);                                                               \
    char *line = NULL;                                                                             \
    size_t room = 0;                                                                               \
    static const int sizes[] = {6, 7, 17};                                                         \
    for (int i = 0; i < 3; i++) {                                                                  \
      CHECK(C(call) == sizes[i]);                                                                  \
      model_fread(path, sizes[i]);                                                                 \
    }                                                                                              \
    free(line);                                                                                    \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
GETLINE_CASE(getline, getline(&line, &room, stream))
GETLINE_CASE(getdelim, getdelim(&line, &room, '\n', stream))
GETLINE_CASE(__getdelim, __getdelim(&line, &room, '\n', stream))

/* A read at the end of a file reads nothing. */
SCENARIO(read_at_end) {
  const char *path = in_dir("file");
  raw_file(path, 3);
  FILE *stream = open_stream(path);
  CHECK(C(fread(buffer, 1, 3, stream)) == 3);
  model_fread(path, 3);
  CHECK(C(fgetc(stream)) == EOF);
  CHECK(C(fread(buffer, 1, 3, stream)) == 0);
  CHECK(C(fgets(buffer, 3, stream)) == NULL);
  expect_any(path, "STDIO_READS");
}

/* A pushed-back character is returned again, but was read once. A character that was never in the
 * file is not read from it. */
#define UNGETC_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    raw_file(path, 10000);                                                                         \
    FILE *stream = open_stream(path);                                                              \
    CHECK(C(fgetc(stream)) == 'a');                                                                \
    model_fread(path, 1);                                                                          \
    CHECK(C(name('a', stream)) == 'a');                                                            \
    CHECK(C(fgetc(stream)) == 'a');                                                                \
    model_fread(path, 0);                                                                          \
    CHECK(C(name('#', stream)) == '#');                                                            \
    CHECK(C(fgetc(stream)) == '#');                                                                \
    model_fread(path, 0);                                                                          \
    CHECK(C(name('!', stream)) == '!');                                                            \
    CHECK(C(fread(buffer + BUFFER_SIZE / 2, 1, 6000, stream)) == 6000);                            \
    model_fread(path, 5999);                                                                       \
    CHECK(C(name(EOF, stream)) == EOF);                                                            \
    CHECK(C(name('?', stream)) == '?');                                                            \
    CHECK(C(fseek(stream, 0, SEEK_SET)) == 0); /* drops the character */                           \
    model_fseek(path, 0);                                                                          \
    CHECK(C(fgetc(stream)) == 'a');                                                                \
    model_fread(path, 1);                                                                          \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
UNGETC_CASE(ungetc)
UNGETC_CASE(_IO_ungetc)
