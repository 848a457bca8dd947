/* Cases for opening, closing and flushing streams. */
#include "calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

OPTIONAL_SYMBOL extern FILE *_IO_fopen(const char *, const char *);
OPTIONAL_SYMBOL extern FILE *_IO_fdopen(int, const char *);
OPTIONAL_SYMBOL extern int _IO_fclose(FILE *);
OPTIONAL_SYMBOL extern int _IO_fflush(FILE *);

static FILE *new_stream(const char *path) {
  FILE *stream = C(fopen(path, "w+"));
  CHECK(stream != NULL);
  model_fopen(path);
  return stream;
}

static void put(FILE *stream, const char *path, long n) {
  CHECK(C(fwrite(buffer, 1, (size_t)n, stream)) == (size_t)n);
  model_fwrite(path, n);
}

#define FOPEN_CASE(name)                                                                           \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = C(name(path, "w"));                                                             \
    CHECK(stream != NULL);                                                                         \
    model_fopen(path);                                                                             \
    put(stream, path, 300);                                                                        \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == 300);                                        \
    expect_positive(path, "STDIO_F_CLOSE_END_TIMESTAMP");                                          \
    stream = C(name(path, "r"));                                                                   \
    model_fopen(path);                                                                             \
    CHECK(C(fread(buffer, 1, 200, stream)) == 200);                                                \
    model_fread(path, 200);                                                                        \
    CHECK(C(name(in_dir("missing"), "r")) == NULL && errno == ENOENT);                             \
    expect_any(OTHER_PATHS, "POSIX_EXT_MISSES");                                                   \
  }
FOPEN_CASE(fopen)
FOPEN_CASE(fopen64)
FOPEN_CASE(_IO_fopen)

#define FDOPEN_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    int fd = C(open(path, O_CREAT | O_RDWR, 0644));                                                \
    model_open(path, 0644);                                                                        \
    FILE *stream = C(name(fd, "w"));                                                               \
    CHECK(stream != NULL);                                                                         \
    model_fdopen(path);                                                                            \
    put(stream, path, 300);                                                                        \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == 300);                                        \
    expect_any(path, "POSIX_F_CLOSE_END_TIMESTAMP");                                               \
    /* fclose closed the descriptor too. */                                                        \
    CHECK(raw_open(in_dir("unseen"), O_CREAT | O_RDWR) == fd);                                     \
    write_unseen(fd, in_dir("unseen"));                                                            \
    CHECK(C(name(-1, "w")) == NULL && errno == EBADF);                                             \
  }
FDOPEN_CASE(fdopen)
FDOPEN_CASE(_IO_fdopen)

/* The old file's record stays as it is; the record of the new file begins. */
#define FREOPEN_CASE(name)                                                                         \
  CASE(name) {                                                                                     \
    const char *first = in_dir("first"), *second = in_dir("second");                               \
    FILE *stream = new_stream(first);                                                              \
    put(stream, first, 300);                                                                       \
    stream = C(name(second, "w", stream));                                                         \
    CHECK(stream != NULL && raw_size(first) == 300);                                               \
    model_fopen(second);                                                                           \
    put(stream, second, 50);                                                                       \
    CHECK(C(fclose(stream)) == 0 && raw_size(second) == 50);                                       \
    stream = new_stream(in_dir("third"));                                                          \
    CHECK(C(name(in_dir("no-folder/file"), "w", stream)) == NULL && errno == ENOENT);              \
    expect_any(OTHER_PATHS, "POSIX_EXT_MISSES");                                                   \
  }
FREOPEN_CASE(freopen)
FREOPEN_CASE(freopen64)

#define FCLOSE_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = new_stream(path);                                                               \
    put(stream, path, 300);                                                                        \
    CHECK(C(name(stream)) == 0 && raw_size(path) == 300);                                          \
    expect_positive(path, "STDIO_F_CLOSE_START_TIMESTAMP");                                        \
    expect_positive(path, "STDIO_F_CLOSE_END_TIMESTAMP");                                          \
    expect_positive(path, "STDIO_F_META_TIME");                                                    \
  }
FCLOSE_CASE(fclose)
FCLOSE_CASE(_IO_fclose)

CASE(fcloseall) {
  const char *first = in_dir("first"), *second = in_dir("second");
  put(new_stream(first), first, 300);
  put(new_stream(second), second, 30);
  CHECK(C(fcloseall()) == 0 && raw_size(first) == 300 && raw_size(second) == 30);
  expect_positive(first, "STDIO_F_CLOSE_END_TIMESTAMP");
  expect_positive(second, "STDIO_F_CLOSE_END_TIMESTAMP");
}

#define FFLUSH_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = new_stream(path);                                                               \
    put(stream, path, 300);                                                                        \
    CHECK(raw_size(path) == 0);                                                                    \
    CHECK(C(name(stream)) == 0 && raw_size(path) == 300);                                          \
    model_fflush(path);                                                                            \
    expect_positive(path, "STDIO_F_WRITE_TIME");                                                   \
  }
FFLUSH_CASE(fflush)
FFLUSH_CASE(fflush_unlocked)
FFLUSH_CASE(_IO_fflush)

/* fflush(NULL) flushes every stream; the record that this counts for is unspecified. */
SCENARIO(flush_all) {
  const char *first = in_dir("first"), *second = in_dir("second");
  put(new_stream(first), first, 300);
  put(new_stream(second), second, 30);
  CHECK(C(fflush(NULL)) == 0 && raw_size(first) == 300 && raw_size(second) == 30);
  expect_any(first, "STDIO_FLUSHES");
  expect_any(second, "STDIO_FLUSHES");
}

/* Writes and reads an anonymous file. */
#define TMPFILE_CASE(name)                                                                         \
  CASE(name) {                                                                                     \
    FILE *stream = C(name());                                                                      \
    CHECK(stream != NULL);                                                                         \
    model_fopen("<tmpfile>");                                                                      \
    put(stream, "<tmpfile>", 300);                                                                 \
    CV(rewind(stream));                                                                            \
    model_fseek("<tmpfile>", 0);                                                                   \
    CHECK(C(fread(buffer, 1, 200, stream)) == 200);                                                \
    model_fread("<tmpfile>", 200);                                                                 \
  }
TMPFILE_CASE(tmpfile)
TMPFILE_CASE(tmpfile64)

/* The write function of a program's own stream, which libc calls at exit for the buffered bytes. */
static ssize_t to_descriptor(void *descriptor, const char *from, size_t n) {
  return write(*(int *)descriptor, from, n);
}
CASE(fopencookie) {
  static int fd;
  const char *path = in_dir("file");
  fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  cookie_io_functions_t functions = {.write = to_descriptor};
  FILE *closed = C(fopencookie(&fd, "w", functions)), *open = C(fopencookie(&fd, "w", functions));
  CHECK(closed && open);
  CHECK(fwrite(buffer, 1, 10, closed) == 10 && C(fclose(closed)) == 0);
  model_write(path, 10, NULL);
  CHECK(C(fopencookie(&fd, "?", functions)) == NULL && errno == EINVAL);
  CHECK(fwrite(buffer, 1, 30, open) == 30);
  model_write(path, 30, NULL); /* written at exit */
}

/* Streams that are not files have no record. */
SCENARIO(memory_streams) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = C(open_memstream(&text, &size));
  CHECK(stream && C(fputs("letters", stream)) >= 0 && C(fclose(stream)) == 0 && size == 7);
  stream = C(fmemopen(text, size, "r"));
  CHECK(stream && C(fgetc(stream)) == 'l' && C(fclose(stream)) == 0);
}
