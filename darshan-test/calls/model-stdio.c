/* An independent implementation of the rules of STDIO records. */
#include "calls.h"

#include <string.h>

struct position {
  const char *path;
  long offset;
};

static struct position positions[256];
static int num_positions;

static long *offset_of(const char *path) {
  for (int i = 0; i < num_positions; i++)
    if (positions[i].path == path || !strcmp(positions[i].path, path)) return &positions[i].offset;
  CHECK(num_positions < 256);
  positions[num_positions].path = path;
  return &positions[num_positions++].offset;
}

void model_fopen(const char *path) {
  expect(path, "STDIO_OPENS", 1);
  *offset_of(path) = 0;
}

void model_place(const char *path, long offset) {
  *offset_of(path) = offset;
}

void model_fdopen(const char *path) {
  expect(path, "STDIO_OPENS", 1);
  expect(path, "STDIO_FDOPENS", 1);
}

static void transfer(const char *path, const char *operations, const char *bytes,
                     const char *highest, long n) {
  long *offset = offset_of(path);
  expect(path, operations, 1);
  expect(path, bytes, n);
  *offset += n;
  if (*offset - 1 > row_value(path, highest)) expect_value(path, highest, *offset - 1);
}

void model_fread(const char *path, long n) {
  transfer(path, "STDIO_READS", "STDIO_BYTES_READ", "STDIO_MAX_BYTE_READ", n);
}

void model_fwrite(const char *path, long n) {
  transfer(path, "STDIO_WRITES", "STDIO_BYTES_WRITTEN", "STDIO_MAX_BYTE_WRITTEN", n);
}

void model_fseek(const char *path, long offset) {
  expect(path, "STDIO_SEEKS", 1);
  *offset_of(path) = offset;
}

void model_fflush(const char *path) {
  expect(path, "STDIO_FLUSHES", 1);
}

void model_standard_read(const char *stream, long n) {
  expect_value(stream, "STDIO_OPENS", 1);
  model_fread(stream, n);
}

void model_standard_write(const char *stream, long n) {
  expect_value(stream, "STDIO_OPENS", 1);
  model_fwrite(stream, n);
}
