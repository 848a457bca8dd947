/* Tests compressed regions: libdeflate's result in one call equals that of zlib in steps, and
 * damage causes the same message. In about one of ten thousand cases a changed bit turns a length
 * of 258 into a code that zlib rejects and libdeflate accepts; no case of this test has such a bit.
 * */
#include "by-steps.h"
#include "reader.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

enum { STEP = 64 * 1024, WHOLE = 4 << 20, DAMAGED = 700 };

/* The stored (compressed) bytes of a region. */
struct stored {
  unsigned char *data;
  size_t size;
};

/* The decompressed content of a region. */
struct content {
  unsigned char *data;
  size_t size;
  struct darshan_error failure;
};

typedef size_t reading(struct darshan_stream *stream, void *buffer, size_t n);

/* The state of the random numbers, which are the same in each run. */
static uint64_t state = 88172645463325252u;

/* Returns the next random number, from 0 to n - 1. */
static size_t below(size_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % n;
}

static void append(struct stored *to, const void *bytes, size_t n) {
  to->data = realloc(to->data, to->size + n + 1);
  assert_non_null(to->data);
  if (n) memcpy(to->data + to->size, bytes, n);
  to->size += n;
}

/* Fills content that needs all kinds of codes: repeated bytes, distant repeats, random bytes. */
static void fill(unsigned char *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    size_t length = 1 + below(600), kind = below(3);
    for (size_t end = length < n - at ? at + length : n; at < end; at++)
      bytes[at] = kind == 0   ? (unsigned char)below(256)
                  : kind == 1 ? 'a'
                              : bytes[at > 20000 ? at - 20000 : at / 2];
  }
}

/* Parameters of a compressed stream, as for deflateInit2 of zlib. dictionary: the preset
 * dictionary; NULL: none. */
struct way {
  int level, window, strategy;
  const char *dictionary;
};
static const struct way usual = {6, 15, Z_DEFAULT_STRATEGY, NULL};
static const struct way uncompressed = {0, 15, Z_DEFAULT_STRATEGY, NULL};

static void append_stream(struct stored *to, const void *content, size_t n, struct way way) {
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, way.level, Z_DEFLATED, way.window, 8, way.strategy), Z_OK);
  if (way.dictionary)
    deflateSetDictionary(&z, (const Bytef *)way.dictionary, (uInt)strlen(way.dictionary));
  size_t room = deflateBound(&z, n) + 64;
  unsigned char *packed = malloc(room);
  assert_non_null(packed);
  z.next_in = (Bytef *)content;
  z.avail_in = (uInt)n;
  z.next_out = packed;
  z.avail_out = (uInt)room;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  append(to, packed, room - z.avail_out);
  deflateEnd(&z);
  free(packed);
}

/* Reads `step` decompressed bytes at a time until the stream ends or fails. Returns the content so
 * far, which the caller frees, and the failure; its text is empty if there is none. */
static struct content read_by(reading *read, struct darshan_stream *stream, size_t step) {
  struct content content = {NULL, 0, {""}};
  size_t room = 3 * WHOLE, got;
  content.data = malloc(room);
  assert_non_null(content.data);
  do {
    assert_true(room - content.size >= step);
    got = read(stream, content.data + content.size, step);
    content.size += got;
  } while (got > 0 && room - content.size >= step);
  content.failure = stream->failure;
  return content;
}

/* Reads a region whose entry says that it has `claimed` stored bytes, in steps of `step`
 * decompressed bytes. Asserts that content and failure are the same with and without libdeflate.
 * Returns true if the region can be read to its end, false if it fails. */
static bool same_claimed(const struct stored *stored, uint64_t claimed, size_t step) {
  int fd = memfd_create("region", MFD_CLOEXEC);
  assert_true(fd >= 0 && write(fd, stored->data, stored->size) == (ssize_t)stored->size);
  struct darshan_file file = {.fd = fd, .size = stored->size};
  struct darshan_region region = {0, claimed};
  struct darshan_stream one, other;
  struct darshan_error error = {""};
  int opened = darshan_stream_open(&one, &file, region, DARSHAN_ZLIB, &error);
  assert_int_equal(opened, by_steps_open(&other, &file, region, DARSHAN_ZLIB, &error));
  bool fine = opened == 0;
  if (fine) {
    struct content whole = read_by(darshan_stream_read, &one, step);
    struct content steps = read_by(by_steps_read, &other, step);
    assert_string_equal(whole.failure.text, steps.failure.text);
    assert_int_equal(whole.size, steps.size);
    assert_memory_equal(whole.data, steps.data, whole.size);
    fine = whole.failure.text[0] == '\0';
    free(whole.data);
    free(steps.data);
    darshan_stream_close(&one);
    by_steps_close(&other);
  }
  close(fd);
  return fine;
}

/* The same for a region whose entry gives its true size. */
static bool same(const struct stored *stored, size_t step) {
  return same_claimed(stored, stored->size, step);
}

/* Tests sizes at which the reader changes the method: 4 MiB of output, 64 KiB of stored bytes. */
static void lengths(void **unused) {
  (void)unused;
  static const size_t sizes[] = {0, 1, WHOLE - 1, WHOLE, WHOLE + 1};
  unsigned char *content = malloc(WHOLE + 1);
  assert_non_null(content);
  fill(content, WHOLE + 1);
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    memset(content, 'z', sizes[i] > STEP ? sizes[i] - 50 : 0);
    struct stored stored = {NULL, 0};
    append_stream(&stored, content, sizes[i], usual);
    assert_true(stored.size < STEP && same(&stored, 4096) && same(&stored, 2 * WHOLE));
    append_stream(&stored, content, 100, usual);
    assert_true(same(&stored, 100000));
    free(stored.data);
  }
  struct stored plain = {NULL, 0};
  append_stream(&plain, content, STEP - 100, uncompressed);
  size_t more = plain.size - (STEP - 100);
  free(plain.data);
  fill(content, STEP + 1);
  for (size_t n = STEP - 1; n <= STEP + 1; n++) {
    struct stored stored = {NULL, 0};
    append_stream(&stored, content, n - more, uncompressed);
    assert_true(stored.size >= n - 16 && same(&stored, 4096));
    append_stream(&stored, content, 3000, usual);
    assert_true(same(&stored, 4096));
    stored.data[stored.size - 1] ^= 1;
    assert_false(same(&stored, 4096));
    free(stored.data);
  }
  free(content);
}

/* Makes several streams, some empty, with random level, window and strategy. */
static struct stored streams(void) {
  unsigned char content[40000];
  struct stored stored = {NULL, 0};
  fill(content, sizeof(content));
  for (size_t i = 1 + below(3); i > 0; i--) {
    struct way way = {(int)below(10), 9 + (int)below(7), (int)below(5), NULL};
    append_stream(&stored, content, below(4) ? below(sizeof(content)) : 0, way);
  }
  return stored;
}

static void damage(struct stored *stored) {
  static const char noise[] = "behind the last stream";
  switch (below(6)) {
  case 0:
    stored->data[below(stored->size)] ^= (unsigned char)(1u << below(8));
    break;
  case 1: /* the checksum */
    stored->data[stored->size - 1 - below(4)] ^= 1;
    break;
  case 2:
    stored->size = below(stored->size) + 1;
    break;
  case 3:
    append(stored, noise, 1 + below(sizeof(noise)));
    break;
  case 4: { /* bytes of one stream into another */
    size_t from = below(stored->size), to = below(stored->size);
    size_t most = stored->size - (from > to ? from : to);
    memmove(stored->data + to, stored->data + from, below(most) + 1);
    break;
  }
  default: /* the header: windows and methods that zlib does not know */
    stored->data[0] = (unsigned char)below(256);
    stored->data[1] = (unsigned char)(31 - (stored->data[0] << 8) % 31);
  }
}

static void damaged_streams(void **unused) {
  (void)unused;
  size_t fine = 0;
  for (int i = 0; i < DAMAGED; i++) {
    struct stored stored = streams();
    assert_true(i % 10 > 0 || same(&stored, 1 + below(100000)));
    damage(&stored);
    fine += same(&stored, 1000 + below(100000));
    free(stored.data);
  }
  assert_in_range(fine, 1, DAMAGED / 2); /* some damage changes nothing: a copy onto itself */
}

/* Tests a dictionary that is missing, and a region that exceeds its file. */
static void what_is_lacking(void **unused) {
  (void)unused;
  struct stored stored = {NULL, 0};
  append_stream(&stored, "a name, and a name", 18, (struct way){6, 15, 0, "a name"});
  assert_false(same(&stored, 4096));
  free(stored.data);
  stored = streams();
  assert_false(same_claimed(&stored, stored.size + 1, 4096));
  assert_false(same_claimed(&stored, UINT64_MAX, 4096));
  free(stored.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths),
      cmocka_unit_test(damaged_streams),
      cmocka_unit_test(what_is_lacking),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
