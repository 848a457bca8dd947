/* Cases for seeks within streams. */
#include "calls.h"

#include <stdio.h>

OPTIONAL_SYMBOL extern int _IO_fsetpos(FILE *, const fpos_t *);
OPTIONAL_SYMBOL extern int _IO_fsetpos64(FILE *, const fpos64_t *);

static FILE *filled_stream(const char *path) {
  FILE *stream = C(fopen(path, "w+"));
  CHECK(stream != NULL);
  model_fopen(path);
  CHECK(C(fwrite(buffer, 1, 9000, stream)) == 9000);
  model_fwrite(path, 9000);
  return stream;
}

static void read_some(FILE *stream, const char *path, long at) {
  CHECK(C(fread(buffer, 1, 10, stream)) == 10);
  CHECK(buffer[0] == 'a' + at % 26);
  model_fread(path, 10);
}

#define FSEEK_CASE(name)                                                                           \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    FILE *stream = filled_stream(path);                                                            \
    CHECK(C(name(stream, 26 * 20, SEEK_SET)) == 0);                                                \
    model_fseek(path, 26 * 20);                                                                    \
    read_some(stream, path, 0);                                                                    \
    CHECK(C(name(stream, 16, SEEK_CUR)) == 0);                                                     \
    model_fseek(path, 26 * 21);                                                                    \
    read_some(stream, path, 0);                                                                    \
    CHECK(C(name(stream, -100, SEEK_END)) == 0);                                                   \
    model_fseek(path, 8900);                                                                       \
    read_some(stream, path, 8900);                                                                 \
    CHECK(C(name(stream, -1, SEEK_SET)) == -1 && errno == EINVAL);                                 \
    CHECK(C(fclose(stream)) == 0);                                                                 \
  }
FSEEK_CASE(fseek)
FSEEK_CASE(fseeko)
FSEEK_CASE(fseeko64)

CASE(rewind) {
  const char *path = in_dir("file");
  FILE *stream = filled_stream(path);
  CV(rewind(stream));
  model_fseek(path, 0);
  read_some(stream, path, 0);
  CHECK(C(fclose(stream)) == 0);
}

#define FSETPOS_CASE(name, get, type)                                                              \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    FILE *stream = filled_stream(path);                                                            \
    type at;                                                                                       \
    CHECK(C(get(stream, &at)) == 0);                                                               \
    CHECK(C(fwrite(buffer, 1, 100, stream)) == 100);                                               \
    model_fwrite(path, 100);                                                                       \
    CHECK(C(name(stream, &at)) == 0);                                                              \
    model_fseek(path, 9000);                                                                       \
    read_some(stream, path, 0);                                                                    \
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == 9100);                                       \
  }
FSETPOS_CASE(fsetpos, fgetpos, fpos_t)
FSETPOS_CASE(fsetpos64, fgetpos64, fpos64_t)
FSETPOS_CASE(_IO_fsetpos, fgetpos, fpos_t)
FSETPOS_CASE(_IO_fsetpos64, fgetpos64, fpos64_t)
