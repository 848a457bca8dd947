/* Tests records that are packed into a zlib stream and read by zlib. */
#include "log/pack/pack.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { GUARD = 64 }; /* bytes after the buffer, which must stay unchanged */

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static size_t bound(size_t n) {
  return n + n / 4 + 1024;
}

/* Packs n records of `size` bytes each into a buffer of `room` bytes, returns the number of packed
 * bytes, and checks that the bytes after the buffer are unchanged. */
static size_t pack(const char *records, size_t size, size_t n, unsigned char *out, size_t room) {
  struct packer *packer = malloc(sizeof(*packer));
  assert_non_null(packer);
  memset(out + room, 0xa5, GUARD);
  pack_start(packer, size, out, room);
  for (size_t i = 0; i < n; i++)
    pack_add(packer, records + i * size);
  size_t packed = pack_finish(packer);
  free(packer);
  assert_true(packed <= room);
  for (int i = 0; i < GUARD; i++)
    assert_int_equal(out[room + (size_t)i], 0xa5);
  return packed;
}

static size_t check_round_trip(const char *records, size_t size, size_t n) {
  size_t length = size * n, room = bound(length);
  unsigned char *out = malloc(room + GUARD), *back = malloc(length + 1);
  uLongf got = length + 1;
  assert_non_null(out);
  assert_non_null(back);
  size_t packed = pack(records, size, n, out, room);
  assert_int_not_equal(packed, 0);
  assert_int_equal(uncompress(back, &got, out, packed), Z_OK);
  assert_int_equal(got, length);
  assert_memory_equal(back, records, length);
  free(out);
  free(back);
  return packed;
}

/* Makes `length` bytes of which, on average, `kept` of 256 are random and the others zero. The
 * caller frees them. */
static char *sparse(size_t length, unsigned kept) {
  uint64_t state = length + kept;
  char *bytes = malloc(length);
  assert_non_null(bytes);
  for (size_t i = 0; i < length; i++) {
    unsigned chosen = (unsigned)next_random(&state) & 255;
    bytes[i] = chosen < kept ? (char)next_random(&state) : 0;
  }
  return bytes;
}

static const size_t sizes[] = {8, 16, 56, 64, 704, 32768};
enum { LENGTH = 256 << 10 }; /* random bytes, more than a block holds */

static void test_any_bytes(void **state) {
  (void)state;
  static const unsigned kept[] = {0, 1, 16, 128, 256};
  for (size_t k = 0; k < COUNT_OF(kept); k++) {
    char *bytes = sparse(LENGTH, kept[k]);
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
      check_round_trip(bytes, sizes[i], LENGTH / sizes[i]);
    free(bytes);
  }
}

static void test_few_records(void **state) {
  (void)state;
  char *bytes = sparse(4 * 704, 40);
  for (size_t n = 0; n <= 4; n++)
    check_round_trip(bytes, 704, n);
  free(bytes);
}

/* Fills record number i with typical words: counts, repeats of the previous record, zeros. */
static void fill_record(uint64_t *record, size_t words, uint64_t i, uint64_t *state) {
  for (size_t w = 0; w < words; w++)
    record[w] = w % 5 == 0 ? next_random(state) << 24 | i : w % 3 == 0 ? 4096 * w : 0;
}

/* Packed records that are similar to each other are smaller than with zlib's default level. */
static void test_alike_records(void **state) {
  (void)state;
  enum { WORDS = 88, RECORDS = 1000 };
  uint64_t seed = 1, *records = malloc(sizeof(*records) * WORDS * RECORDS);
  uLongf length = sizeof(*records) * WORDS * RECORDS, room = compressBound(length);
  unsigned char *theirs = malloc(room);
  assert_non_null(records);
  assert_non_null(theirs);
  for (uint64_t i = 0; i < RECORDS; i++)
    fill_record(records + i * WORDS, WORDS, i, &seed);
  size_t packed = check_round_trip((char *)records, WORDS * sizeof(*records), RECORDS);
  assert_int_equal(compress(theirs, &room, (unsigned char *)records, length), Z_OK);
  assert_true(packed < room);
  free(theirs);
  free(records);
}

/* With a buffer of any size, the output has the same bytes, or there is none. */
static void test_too_little_room(void **state) {
  (void)state;
  enum { BYTES = 48 << 10 };
  char *bytes = sparse(BYTES, 100);
  unsigned char *out = malloc(bound(BYTES) + GUARD), *again = malloc(bound(BYTES) + GUARD);
  assert_non_null(out);
  assert_non_null(again);
  size_t whole = pack(bytes, 64, BYTES / 64, out, bound(BYTES));
  int refused = 0;
  for (size_t room = 0; room < whole + 1024; room += room < 64 ? 1 : 97) {
    size_t packed = pack(bytes, 64, BYTES / 64, again, room);
    if (packed) assert_memory_equal(again, out, whole);
    assert_true(packed == 0 || packed == whole);
    refused += packed == 0;
    if (room < whole) assert_int_equal(packed, 0);
  }
  assert_true(refused > 64);
  assert_int_equal(pack(bytes, 64, BYTES / 64, again, bound(BYTES)), whole);
  free(bytes);
  free(out);
  free(again);
}

/* A short region of every length is read unchanged, even if the buffer has exactly the needed size.
 * */
static void test_short_regions(void **state) {
  (void)state;
  static const unsigned kept[] = {0, 3, 30, 256};
  unsigned char out[2 * SHORT_MOST], again[2 * SHORT_MOST], back[SHORT_MOST + 1];
  for (size_t k = 0; k < COUNT_OF(kept); k++) {
    char *bytes = sparse(SHORT_MOST, kept[k]);
    for (size_t n = 0; n <= SHORT_MOST; n += n < 600 ? 1 : 181) {
      size_t packed = short_write(bytes, n, out, sizeof(out));
      uLongf got = sizeof(back);
      assert_int_equal(uncompress(back, &got, out, packed), Z_OK);
      assert_int_equal(got, n);
      assert_memory_equal(back, bytes, n);
      memset(again, 0xa5, sizeof(again));
      size_t room = n + n / 8 + 64;
      assert_int_equal(short_write(bytes, n, again, room), packed);
      assert_true(packed <= room);
      assert_int_equal(again[room], 0xa5);
      assert_int_equal(short_write(bytes, n, again, room - 1), 0);
    }
    free(bytes);
  }
  assert_int_equal(short_write(out, SHORT_MOST + 1, again, sizeof(again)), 0);
}

/* Packed text is at most a fifth larger than with zlib's fixed codes. */
static void test_short_text(void **state) {
  (void)state;
  char text[SHORT_MOST + 64];
  unsigned char out[2 * SHORT_MOST], theirs[2 * SHORT_MOST];
  for (int i = 0, at = 0; at < SHORT_MOST; i++)
    at += snprintf(text + at, 64, "ext4\t/var/lib/images/%d/merged\n", i * 7919 % 1000);
  z_stream stream = {.next_in = (unsigned char *)text, .avail_in = SHORT_MOST};
  assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15, 8, Z_FIXED), Z_OK);
  stream.next_out = theirs;
  stream.avail_out = sizeof(theirs);
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  size_t packed = short_write(text, SHORT_MOST, out, sizeof(out));
  assert_true(packed && packed <= stream.total_out + stream.total_out / 5);
  deflateEnd(&stream);
}

/* Returns Kraft's sum of the code lengths, in units of the longest code: 1 << longest for a
 * complete tree. */
static unsigned kraft(const struct huffman *huffman, unsigned longest) {
  unsigned sum = 0;
  for (unsigned i = 0; i < HUFFMAN_SYMBOLS; i++) {
    assert_true(huffman->length[i] <= longest);
    if (huffman->length[i]) sum += 1u << (longest - huffman->length[i]);
  }
  return sum;
}

/* Frequencies that grow like Fibonacci numbers would need a code as long as the number of symbols;
 * the code's length is limited. */
static void test_longest_code(void **state) {
  (void)state;
  static const unsigned longest[] = {5, 7, 15};
  uint32_t times[30] = {1, 1};
  for (size_t i = 2; i < COUNT_OF(times); i++)
    times[i] = times[i - 1] + times[i - 2];
  for (size_t i = 0; i < COUNT_OF(longest); i++) {
    struct huffman huffman;
    huffman_make(&huffman, times, COUNT_OF(times), longest[i]);
    assert_true(kraft(&huffman, longest[i]) <= 1u << longest[i]);
    for (size_t s = 0; s < COUNT_OF(times); s++)
      assert_int_not_equal(huffman.length[s], 0);
    for (size_t s = 1; s < COUNT_OF(times); s++)
      assert_true(huffman.length[s] <= huffman.length[s - 1]);
  }
}

/* A code has at least two symbols, so that every reader accepts it. */
static void test_one_symbol(void **state) {
  (void)state;
  uint32_t times[30] = {[7] = 3};
  struct huffman huffman;
  huffman_make(&huffman, times, COUNT_OF(times), HUFFMAN_BITS);
  assert_int_equal(huffman.length[7], 1);
  assert_int_equal(kraft(&huffman, HUFFMAN_BITS), 1u << HUFFMAN_BITS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_bytes),     cmocka_unit_test(test_few_records),
      cmocka_unit_test(test_alike_records), cmocka_unit_test(test_too_little_room),
      cmocka_unit_test(test_longest_code),  cmocka_unit_test(test_one_symbol),
      cmocka_unit_test(test_short_regions), cmocka_unit_test(test_short_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
