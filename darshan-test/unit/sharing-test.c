/* Tests the number of ranks that have an id: as a list, and as a table of buckets. */
#include "log/ranks/facts.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns an id that is spread over all 64 bits like a hash. */
static uint64_t id_of(uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15u;
  return number ^ number >> 29;
}

/* Returns ids that an attacker chose: their upper bits are equal, and their values descend. */
static uint64_t falling_id(uint64_t number) {
  return (((uint64_t)1 << 30) - number) << 16;
}

/* Returns the table of a rank that has the files with the numbers `first` to first + n - 1. */
static struct sharing table_of(struct arena *arena, uint64_t first, uint64_t n,
                               uint64_t (*id_of)(uint64_t)) {
  enum { ENTRY = sizeof(uint64_t) + sizeof("name") };
  struct sharing table;
  char *names = malloc(n * ENTRY + 1);
  assert_non_null(names);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t id = id_of(first + i);
    memcpy(names + i * ENTRY, &id, sizeof(id));
    memcpy(names + i * ENTRY + sizeof(id), "name", sizeof("name"));
  }
  assert_int_equal(sharing_make(&table, arena, names, n * ENTRY), 0);
  free(names);
  return table;
}

static struct sharing rank_table(struct arena *arena, uint64_t first, uint64_t n) {
  return table_of(arena, first, n, id_of);
}

static void test_empty(void **state) {
  (void)state;
  struct arena arena = {NULL};
  struct sharing table = rank_table(&arena, 0, 0), other = rank_table(&arena, 0, 0);
  assert_int_equal(table.count, 0);
  assert_int_equal(sharing_ranks(&table, id_of(0)), 0);
  assert_int_equal(sharing_merge(&table, &arena, &other), 0);
  assert_int_equal(sharing_known_to(&table, id_of(0), 2), 0);
  arena_drop(&arena);
}

/* Rank r has the files r to r + FILES - 1. The expected count of file f is the number of ranks with
 * f in this range. */
static void test_list(void **state) {
  (void)state;
  enum { FILES = 300, RANKS = 20 };
  struct arena arena = {NULL};
  struct sharing table = rank_table(&arena, 0, FILES);
  for (uint64_t rank = 1; rank < RANKS; rank++) {
    struct sharing other = rank_table(&arena, rank, FILES);
    assert_int_equal(sharing_merge(&table, &arena, &other), 0);
  }
  assert_int_equal(table.count, FILES + RANKS - 1);
  for (unsigned file = 0; file < FILES + RANKS - 1; file++) {
    unsigned before = file + 1, behind = FILES + RANKS - 1 - file;
    unsigned want = before < behind ? before : behind;
    if (want > RANKS) want = RANKS;
    assert_int_equal(sharing_ranks(&table, id_of(file)), want);
    assert_int_equal(sharing_known_to(&table, id_of(file), RANKS), want == RANKS);
  }
  for (unsigned file = FILES + RANKS; file < 2 * FILES; file++)
    assert_int_equal(sharing_ranks(&table, id_of(file)), 0);
  arena_drop(&arena);
}

/* The bytes of a table in a message between ranks can be read as the same table. */
static void test_bytes(void **state) {
  (void)state;
  enum { FILES = 50 };
  struct arena arena = {NULL};
  struct sharing table = rank_table(&arena, 0, FILES);
  struct sharing read = sharing_at(sharing_bytes(&table), table.count);
  assert_int_equal(sharing_size(table.count), FILES * sizeof(uint64_t));
  for (unsigned file = 0; file < FILES; file++)
    assert_int_equal(sharing_ranks(&read, id_of(file)), 1);
  arena_drop(&arena);
}

/* With more ids than a list can hold, the count is never below the number of ranks. */
static void test_many_ids(void **state) {
  (void)state;
  enum { FILES = SHARING_LIST + 1000, SHARED = 5000 };
  struct arena arena = {NULL};
  struct sharing large = rank_table(&arena, 0, FILES), small = rank_table(&arena, 0, SHARED);
  assert_int_equal(large.count, SHARING_BUCKETS);
  assert_int_equal(small.count, SHARED);
  assert_int_equal(sharing_merge(&small, &arena, &large), 0);
  assert_int_equal(small.count, SHARING_BUCKETS);
  unsigned alone = 0;
  for (unsigned file = 0; file < FILES; file++) {
    unsigned ranks = sharing_ranks(&small, id_of(file));
    assert_true(ranks >= (file < SHARED ? 2 : 1));
    assert_false(sharing_known_to(&small, id_of(file), 2));
    alone += ranks == 1;
  }
  /* 2^17 ids in 2^20 buckets: about nine of ten have a bucket of their own. */
  assert_true(alone > FILES / 2);
  arena_drop(&arena);
}

/* Ids that collide must not make darshan-merge slow, because a journal may come from an attacker: a
 * quadratic algorithm would exceed the test's time limit. */
static void test_colliding_ids(void **state) {
  (void)state;
  enum { LISTED = SHARING_LIST - 1, FILES = 2000000, SECONDS = 60 };
  struct arena arena = {NULL};
  alarm(SECONDS);
  struct sharing list = table_of(&arena, 0, LISTED, falling_id);
  assert_int_equal(list.count, LISTED);
  for (uint64_t file = 0; file < LISTED; file++)
    assert_int_equal(sharing_ranks(&list, falling_id(file)), 1);
  assert_int_equal(sharing_ranks(&list, falling_id(LISTED)), 0);
  struct sharing large = table_of(&arena, 0, FILES, falling_id);
  assert_int_equal(large.count, SHARING_BUCKETS);
  assert_int_equal(sharing_ranks(&large, falling_id(1)), SHARING_MANY);
  alarm(0);
  arena_drop(&arena);
}

/* Counts do not exceed their maximum, at which the table reports that they are incomplete. */
static void test_many_ranks(void **state) {
  (void)state;
  struct arena arena = {NULL};
  struct sharing table = rank_table(&arena, 0, 1);
  unsigned ranks = 1;
  for (; ranks < 1u << 15; ranks *= 2) {
    struct sharing same = table;
    assert_int_equal(sharing_merge(&table, &arena, &same), 0);
  }
  assert_int_equal(sharing_ranks(&table, id_of(0)), ranks);
  assert_true(sharing_known_to(&table, id_of(0), ranks));
  struct sharing same = table;
  assert_int_equal(sharing_merge(&table, &arena, &same), 0);
  assert_int_equal(sharing_ranks(&table, id_of(0)), SHARING_MANY);
  assert_false(sharing_known_to(&table, id_of(0), (1u << 16) - 1));
  assert_false(sharing_known_to(&table, id_of(0), 1u << 16));
  arena_drop(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty),         cmocka_unit_test(test_list),
      cmocka_unit_test(test_bytes),         cmocka_unit_test(test_many_ids),
      cmocka_unit_test(test_colliding_ids), cmocka_unit_test(test_many_ranks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
