/* Tests layouts in Lustre's format, which are made byte by byte, and the records made from them. */
#include "modules/lustre/layout.h"

#include <string.h>

#include "records.h"
#include "unit.h"

enum { ID = 4711, RANK = 3, ROOM = 4096 };

struct reply {
  unsigned char bytes[4096];
  size_t length;
};

static void add(struct reply *reply, uint64_t value, int size) {
  for (int i = 0; i < size; i++)
    reply->bytes[reply->length++] = (unsigned char)(value >> 8 * i);
}
static void set(struct reply *reply, size_t at, uint64_t value, int size) {
  size_t length = reply->length;
  reply->length = at;
  add(reply, value, size);
  reply->length = length;
}

/* Adds a layout of version 1, or of version 3 if there is a pool (NULL: none). stripe_size: in
 * bytes; stripes: the stripe count, 65535: all OSTs. objects: their number, on the OSTs first,
 * first + 1, ... */
static void add_plain(struct reply *reply, uint32_t pattern, uint32_t stripe_size, unsigned stripes,
                      const char *pool, unsigned objects, unsigned first) {
  char name[16] = "";
  add(reply, pool ? 0x0BD30BD0 : 0x0BD10BD0, 4);
  add(reply, pattern, 4);
  add(reply, 0x1111, 8);
  add(reply, 0x2222, 8);
  add(reply, stripe_size, 4);
  add(reply, stripes, 2);
  add(reply, 7, 2);
  if (pool) strncpy(name, pool, sizeof(name) - 1);
  for (size_t i = 0; pool && i < sizeof(name); i++)
    add(reply, (unsigned char)name[i], 1);
  for (unsigned i = 0; i < objects; i++) {
    add(reply, 0x3333, 8);
    add(reply, 0x4444, 8);
    add(reply, 0, 4);
    add(reply, first + i, 4);
  }
}

static void start_composite(struct reply *reply, unsigned entries) {
  reply->length = 0;
  add(reply, 0x0BD60BD0, 4);
  add(reply, 0, 4);
  add(reply, 1, 4);
  add(reply, 0, 2);
  add(reply, entries, 2);
  for (unsigned i = 0; i < 16 + 48 * entries; i++)
    add(reply, 0, 1);
}
/* Starts entry `number` of a composite layout, for the file's bytes from start to before end.
 * Returns the entry's offset in the reply. */
static size_t start_entry(struct reply *reply, unsigned number, uint32_t id, uint32_t flags,
                          uint64_t start, uint64_t end) {
  size_t at = 32 + (size_t)number * 48;
  set(reply, at, id, 4);
  set(reply, at + 4, flags, 4);
  set(reply, at + 8, start, 8);
  set(reply, at + 16, end, 8);
  set(reply, at + 24, reply->length, 4);
  return at;
}
static void end_entry(struct reply *reply, size_t at) {
  uint64_t offset = 0;
  for (int i = 3; i >= 0; i--)
    offset = offset << 8 | reply->bytes[at + 24 + (size_t)i];
  set(reply, at + 28, reply->length - offset, 4);
}

struct record {
  struct darshan_lustre_head head;
  char rest[ROOM];
};

static size_t read_reply(struct record *record, const struct reply *reply, int *settled) {
  memset(record, 0x5a, sizeof(*record));
  return lustre_record((char *)record, sizeof(*record), ID, RANK, reply->bytes, reply->length,
                       settled);
}

static struct darshan_lustre_component component(const struct record *record, int i) {
  struct darshan_lustre_component result;
  memcpy(&result, record->rest + (size_t)i * sizeof(result), sizeof(result));
  return result;
}

static void check_counters(const struct record *record, int i,
                           const int64_t expected[LUSTRE_COMP_NUM_COUNTERS]) {
  struct darshan_lustre_component found = component(record, i);
  for (int c = 0; c < LUSTRE_COMP_NUM_COUNTERS; c++)
    assert_int_equal(found.counters[c], expected[c]);
}

static void check_osts(const struct record *record, const int64_t *expected, int n) {
  int64_t ost;
  assert_int_equal(record->head.num_stripes, n);
  for (int i = 0; i < n; i++) {
    const char *at =
        record->rest + (size_t)record->head.num_comps * sizeof(struct darshan_lustre_component);
    memcpy(&ost, at + (size_t)i * sizeof(ost), sizeof(ost));
    assert_int_equal(ost, expected[i]);
  }
}

static void test_plain(void **state) {
  struct reply reply = {.length = 0};
  struct record record;
  int settled = 0;
  (void)state;
  add_plain(&reply, 1, 1 << 20, 3, NULL, 3, 8);
  assert_int_equal(read_reply(&record, &reply, &settled), 32 + 72 + 3 * 8);
  assert_true(settled);
  assert_int_equal(record.head.base.id, ID);
  assert_int_equal(record.head.base.rank, RANK);
  assert_int_equal(record.head.num_comps, 1);
  check_counters(&record, 0, (int64_t[]){1 << 20, 3, 0, 0, 0, -1, 0});
  check_osts(&record, (int64_t[]){8, 9, 10}, 3);
  assert_string_equal(component(&record, 0).pool_name, "");
}

static void test_pool(void **state) {
  struct reply reply = {.length = 0};
  struct record record;
  int settled = 0;
  (void)state;
  add_plain(&reply, 1, 0xFFFF0000, 1, "a-pool-of-15-ch", 1, 0xFFFFFFFF);
  assert_int_equal(read_reply(&record, &reply, &settled), 32 + 72 + 8);
  check_counters(&record, 0, (int64_t[]){0xFFFF0000, 1, 0, 0, 0, -1, 0});
  check_osts(&record, (int64_t[]){-1}, 1);
  assert_string_equal(component(&record, 0).pool_name, "a-pool-of-15-ch");
}

static void test_overstriped(void **state) {
  struct reply reply = {.length = 0};
  struct record record;
  int settled = 0;
  (void)state;
  add_plain(&reply, 0x201, 65536, 4, NULL, 4, 2);
  assert_true(read_reply(&record, &reply, &settled) > 0);
  check_counters(&record, 0, (int64_t[]){65536, 4, 4, 0, 0, -1, 0});
}

static void test_released(void **state) {
  struct reply reply = {.length = 0};
  struct record record;
  int settled = 0;
  (void)state;
  add_plain(&reply, 0x80000001, 1 << 20, 2, NULL, 0, 0);
  assert_int_equal(read_reply(&record, &reply, &settled), 32 + 72 + 2 * 8);
  check_osts(&record, (int64_t[]){-1, -1}, 2);
}

static void test_foreign(void **state) {
  struct reply reply = {.length = 0};
  struct record record;
  int settled = 0;
  (void)state;
  add(&reply, 0x0BD70BD0, 4);
  add(&reply, 4, 4);
  add(&reply, 1, 4);
  add(&reply, 0, 4);
  add(&reply, 0x64616f73, 4);
  assert_int_equal(read_reply(&record, &reply, &settled), 32 + 72);
  check_counters(&record, 0, (int64_t[]){0, 0, 8, 0, 0, -1, 0});
}

/* Makes a layout with data on the MDT first, then a component with objects, then a component
 * without objects so far. */
static void make_progressive(struct reply *reply) {
  start_composite(reply, 3);
  size_t at = start_entry(reply, 0, 0x00020001, 0x10, 0, 1 << 20);
  add_plain(reply, 0x100, 1 << 20, 0, NULL, 0, 0);
  end_entry(reply, at);
  at = start_entry(reply, 1, 0x00020002, 0x80000110, 1 << 20, 1 << 30);
  add_plain(reply, 1, 4 << 20, 2, "flash", 2, 5);
  end_entry(reply, at);
  at = start_entry(reply, 2, 0x00020003, 0, 1 << 30, UINT64_MAX);
  add_plain(reply, 1, 4 << 20, 65535, NULL, 0, 0);
  end_entry(reply, at);
}

static void test_composite(void **state) {
  struct reply reply;
  struct record record;
  int settled = 1;
  (void)state;
  make_progressive(&reply);
  assert_int_equal(read_reply(&record, &reply, &settled), 32 + 2 * 72 + 2 * 8);
  assert_false(settled); /* the last component is not complete */
  assert_int_equal(record.head.num_comps, 2);
  check_counters(&record, 0, (int64_t[]){1 << 20, 0, 2, 0x10, 0, 1 << 20, 2});
  check_counters(&record, 1, (int64_t[]){4 << 20, 2, 0, 0x910, 1 << 20, 1 << 30, 2});
  check_osts(&record, (int64_t[]){5, 6}, 2);
  assert_string_equal(component(&record, 1).pool_name, "flash");
}

/* A layout of a self-extending file is complete, although its extension component has no objects,
 * because that component never gets any. */
static void test_settled(void **state) {
  struct reply reply;
  struct record record;
  int settled = 0;
  (void)state;
  start_composite(&reply, 2);
  size_t at = start_entry(&reply, 0, 1, 0x10, 0, 64 << 20);
  add_plain(&reply, 1, 1 << 20, 1, NULL, 1, 3);
  end_entry(&reply, at);
  at = start_entry(&reply, 1, 2, 0x40, 64 << 20, UINT64_MAX);
  add_plain(&reply, 1, 64 << 20, 65535, NULL, 0, 0);
  end_entry(&reply, at);
  assert_int_equal(read_reply(&record, &reply, &settled), 32 + 72 + 8);
  assert_true(settled);
}

/* If a layout is truncated at any byte, no byte after the end is read; the sanitizer checks this.
 * */
static void test_short(void **state) {
  struct reply reply;
  struct record record;
  int settled;
  (void)state;
  make_progressive(&reply);
  for (size_t n = 0; n < reply.length; n++) {
    unsigned char *exact = n ? test_malloc(n) : NULL;
    if (n) memcpy(exact, reply.bytes, n);
    assert_int_equal(lustre_record((char *)&record, sizeof(record), ID, RANK, exact, n, &settled),
                     0);
    if (n) test_free(exact);
  }
}

/* If the record does not fit into the room, no byte after its end is written. */
static void test_no_room(void **state) {
  struct reply reply;
  struct record record;
  int settled;
  (void)state;
  make_progressive(&reply);
  size_t needed = read_reply(&record, &reply, &settled);
  for (size_t room = 0; room < needed; room++) {
    char *exact = room ? test_malloc(room) : NULL;
    assert_int_equal(lustre_record(exact, room, ID, RANK, reply.bytes, reply.length, &settled), 0);
    if (room) test_free(exact);
  }
}

static size_t read_with(size_t at, uint64_t value, int size) {
  struct reply reply;
  struct record record;
  int settled;
  make_progressive(&reply);
  set(&reply, at, value, size);
  return read_reply(&record, &reply, &settled);
}

static void test_hostile(void **state) {
  struct reply reply = {.length = 0};
  struct record record;
  int settled;
  (void)state;
  assert_int_equal(read_with(0, 0x0BD00BD0, 4), 0);       /* unknown magic */
  assert_int_equal(read_with(14, 0, 2), 0);               /* no entries */
  assert_int_equal(read_with(14, 65535, 2), 0);           /* more than fit */
  assert_int_equal(read_with(32 + 24, 0xFFFFFFF0, 4), 0); /* far beyond the end */
  assert_int_equal(read_with(32 + 28, 0xFFFFFFFF, 4), 0); /* longer than the reply */
  assert_int_equal(read_with(32 + 48 + 28, 16, 4), 0);    /* shorter than a header */
  assert_int_equal(read_with(32 + 48 + 24, 32, 4), 0);    /* no layout there */
  add_plain(&reply, 1, 1 << 20, 65535, NULL, 4, 0);       /* stripes without objects */
  assert_int_equal(read_reply(&record, &reply, &settled), 0);
  reply.length = 0;
  add_plain(&reply, 1, 1 << 20, 0, NULL, 0, 0); /* a folder's reply */
  assert_int_equal(read_reply(&record, &reply, &settled), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),       cmocka_unit_test(test_pool),
      cmocka_unit_test(test_overstriped), cmocka_unit_test(test_released),
      cmocka_unit_test(test_foreign),     cmocka_unit_test(test_composite),
      cmocka_unit_test(test_settled),     cmocka_unit_test(test_short),
      cmocka_unit_test(test_no_room),     cmocka_unit_test(test_hostile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
