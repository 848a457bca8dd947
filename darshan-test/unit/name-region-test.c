/* Tests the name region: duplicates, empty names, the format 3.00 with a count, and entries that
 * cross the steps of reading. */
#include "reader.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A region in an unnamed file, built entry by entry. */
struct region {
  FILE *stream;
  struct darshan_frame frame;
};

static struct region new_region(int format) {
  struct region region = {tmpfile(), {.format = format}};
  assert_non_null(region.stream);
  region.frame.header.comp_type = DARSHAN_UNCOMPRESSED;
  return region;
}

static void add(struct region *region, uint64_t id, const char *name) {
  uint32_t length = (uint32_t)strlen(name);
  fwrite(&id, sizeof(id), 1, region->stream);
  if (region->frame.format == 300) fwrite(&length, sizeof(length), 1, region->stream);
  fwrite(name, length + (region->frame.format == 300 ? 0 : 1), 1, region->stream);
}

/* Reads the region and closes its file. Returns the result of darshan_names_read. */
static int read_region(struct region *region, struct darshan_names *names,
                       struct darshan_error *error) {
  fflush(region->stream);
  long size = ftell(region->stream);
  struct darshan_file file = {.fd = fileno(region->stream), .size = (uint64_t)size};
  region->frame.header.names = (struct darshan_region){0, (uint64_t)size};
  int result = darshan_names_read(names, &file, &region->frame, error);
  fclose(region->stream);
  return result;
}

static void check_basics(int format) {
  struct region region = new_region(format);
  struct darshan_names names;
  struct darshan_error error = {""};
  add(&region, 1, "/first");
  add(&region, 2, "");
  add(&region, 1, "/second"); /* the first name stays */
  add(&region, 2, "/late");   /* a later name replaces an empty name */
  add(&region, 2, "/later");
  add(&region, 3, "");
  assert_int_equal(read_region(&region, &names, &error), 0);
  assert_int_equal(names.count, 3);
  assert_string_equal(darshan_names_find(&names, 1), "/first");
  assert_string_equal(darshan_names_find(&names, 2), "/late");
  assert_string_equal(darshan_names_find(&names, 3), "");
  assert_null(darshan_names_find(&names, 4));
  darshan_names_free(&names);
}

static void test_basics(void **state) {
  (void)state;
  check_basics(341);
  check_basics(300);
}

static void make_name(char *name, uint64_t id) {
  int n = sprintf(name, "/file-%llu-", (unsigned long long)id);
  memset(name + n, 'x', id % 300);
  name[n + (int)(id % 300)] = '\0';
}

static void count_name(uint64_t id, const char *name, void *context) {
  char want[512];
  make_name(want, id);
  assert_string_equal(name, want);
  ++*(uint64_t *)context;
}

/* Reads, in a region of this log format (300 or newer), far more names than one step of reading,
 * and many times the initial size of the table. */
static void check_many(int format) {
  enum { MANY = 20000 };
  struct region region = new_region(format);
  struct darshan_names names;
  struct darshan_error error = {""};
  char name[512];
  for (uint64_t id = 0; id < MANY; id++) {
    make_name(name, id);
    add(&region, id, name);
  }
  assert_int_equal(read_region(&region, &names, &error), 0);
  assert_int_equal(names.count, MANY);
  for (uint64_t id = 0; id < MANY; id++) {
    make_name(name, id);
    assert_string_equal(darshan_names_find(&names, id), name);
  }
  uint64_t count = 0;
  darshan_names_each(&names, count_name, &count);
  assert_int_equal(count, MANY);
  darshan_names_free(&names);
}

static void test_many(void **state) {
  (void)state;
  check_many(341);
  check_many(300);
}

static void test_cut_off(void **state) {
  (void)state;
  struct region region = new_region(341);
  struct darshan_names names;
  struct darshan_error error = {""};
  add(&region, 1, "/first");
  fwrite("1234567", 7, 1, region.stream);
  assert_int_equal(read_region(&region, &names, &error), -1);
  assert_string_not_equal(error.text, "");
  darshan_names_free(&names);
}

static void test_endless_name(void **state) {
  (void)state;
  struct region region = new_region(341);
  struct darshan_names names;
  struct darshan_error error = {""};
  for (int i = 0; i < 300000; i++)
    fputc('x', region.stream);
  assert_int_equal(read_region(&region, &names, &error), -1);
  assert_string_not_equal(error.text, "");
  darshan_names_free(&names);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_basics), cmocka_unit_test(test_many),
                                     cmocka_unit_test(test_cut_off),
                                     cmocka_unit_test(test_endless_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
