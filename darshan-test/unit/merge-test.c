/* Tests the merge of records: of the ranks of one job, and of the text output's totals. */
#include "merge/merge.h"
#include "records.h"
#include "unit.h"

#include <string.h>

typedef struct darshan_posix_record posix;

static struct darshan_merge_plan posix_plan(void) {
  struct darshan_merge_plan plan;
  darshan_merge_plan_make(&plan, darshan_module_by_id(DARSHAN_MOD_POSIX));
  return plan;
}

/* Makes a record with this id and rank that takes `time` seconds and moves `bytes` bytes. */
static posix record(uint64_t id, int64_t rank, int64_t bytes, double time) {
  posix r = {.base = {id, rank}};
  r.counters[POSIX_BYTES_READ] = bytes / 2;
  r.counters[POSIX_BYTES_WRITTEN] = bytes - bytes / 2;
  r.fcounters[POSIX_F_READ_TIME] = time / 2;
  r.fcounters[POSIX_F_META_TIME] = time / 2;
  return r;
}

static posix merge_ranks(posix *ranks, int count) {
  struct darshan_merge_plan plan = posix_plan();
  struct darshan_spread into, from;
  darshan_merge_prepare(&plan, &ranks[0], &into);
  for (int i = 1; i < count; i++) {
    darshan_merge_prepare(&plan, &ranks[i], &from);
    darshan_merge_pair(&plan, &ranks[0], &into, &ranks[i], &from);
  }
  darshan_merge_finish(&plan, &ranks[0], &into);
  return ranks[0];
}

static void test_single_rules(void **state) {
  (void)state;
  posix ranks[] = {record(9, 0, 100, 1), record(9, 1, 300, 3)};
  ranks[0].counters[POSIX_OPENS] = 2;
  ranks[1].counters[POSIX_OPENS] = 3;
  ranks[0].counters[POSIX_MMAPS] = ranks[1].counters[POSIX_MMAPS] = -1;
  ranks[0].counters[POSIX_MAX_BYTE_READ] = 7;
  ranks[1].counters[POSIX_MAX_BYTE_READ] = 5;
  ranks[0].fcounters[POSIX_F_OPEN_START_TIMESTAMP] = 4;
  ranks[1].fcounters[POSIX_F_OPEN_START_TIMESTAMP] = 2;
  ranks[1].fcounters[POSIX_F_READ_START_TIMESTAMP] = 6; /* rank 0 never read */
  ranks[0].fcounters[POSIX_F_CLOSE_END_TIMESTAMP] = 8;
  posix m = merge_ranks(ranks, 2);
  assert_int_equal(m.base.rank, -1);
  assert_int_equal(m.base.id, 9);
  assert_int_equal(m.counters[POSIX_OPENS], 5);
  assert_int_equal(m.counters[POSIX_MMAPS], -1); /* unknown stays unknown */
  assert_int_equal(m.counters[POSIX_MAX_BYTE_READ], 7);
  assert_true(m.fcounters[POSIX_F_OPEN_START_TIMESTAMP] == 2);
  assert_true(m.fcounters[POSIX_F_READ_START_TIMESTAMP] == 6);
  assert_true(m.fcounters[POSIX_F_CLOSE_END_TIMESTAMP] == 8);
}

static void test_companions_travel(void **state) {
  (void)state;
  posix ranks[] = {record(9, 0, 0, 0), record(9, 1, 0, 0)};
  ranks[0].fcounters[POSIX_F_MAX_READ_TIME] = 1;
  ranks[0].counters[POSIX_MAX_READ_TIME_SIZE] = 11;
  ranks[1].fcounters[POSIX_F_MAX_READ_TIME] = 2;
  ranks[1].counters[POSIX_MAX_READ_TIME_SIZE] = 22;
  ranks[0].fcounters[POSIX_F_MAX_WRITE_TIME] = 3;
  ranks[0].counters[POSIX_MAX_WRITE_TIME_SIZE] = 33;
  posix m = merge_ranks(ranks, 2);
  assert_int_equal(m.counters[POSIX_MAX_READ_TIME_SIZE], 22);
  assert_int_equal(m.counters[POSIX_MAX_WRITE_TIME_SIZE], 33);
}

static void test_extremes_and_variance(void **state) {
  (void)state;
  posix ranks[] = {record(9, 0, 100, 2), record(9, 1, 300, 1), record(9, 2, 500, 6)};
  posix m = merge_ranks(ranks, 3);
  assert_int_equal(m.counters[POSIX_FASTEST_RANK], 1);
  assert_int_equal(m.counters[POSIX_FASTEST_RANK_BYTES], 300);
  assert_int_equal(m.counters[POSIX_SLOWEST_RANK], 2);
  assert_int_equal(m.counters[POSIX_SLOWEST_RANK_BYTES], 500);
  assert_true(m.fcounters[POSIX_F_SLOWEST_RANK_TIME] == 6);
  /* times 2, 1, 6: mean 3, squares 1 + 4 + 9; bytes 100, 300, 500 */
  assert_float_equal(m.fcounters[POSIX_F_VARIANCE_RANK_TIME], 14.0 / 3, 1e-12);
  assert_float_equal(m.fcounters[POSIX_F_VARIANCE_RANK_BYTES], 80000.0 / 3, 1e-6);
}

static void set_access(posix *r, int slot, int64_t size, int64_t count) {
  r->counters[POSIX_ACCESS1_ACCESS + slot] = size;
  r->counters[POSIX_ACCESS1_COUNT + slot] = count;
}

static void check_access(const posix *r, const int64_t (*want)[2]) {
  for (int slot = 0; slot < 4; slot++) {
    assert_int_equal(r->counters[POSIX_ACCESS1_ACCESS + slot], want[slot][0]);
    assert_int_equal(r->counters[POSIX_ACCESS1_COUNT + slot], want[slot][1]);
  }
}

/* The access size 8 becomes more common than 64 when the ranks are added; if counts are equal, the
 * larger size comes first. */
static void test_top4_of_ranks(void **state) {
  (void)state;
  posix ranks[] = {record(9, 0, 0, 0), record(9, 1, 0, 0)};
  set_access(&ranks[0], 0, 64, 10);
  set_access(&ranks[0], 1, 8, 6);
  set_access(&ranks[0], 2, 1, 2);
  set_access(&ranks[1], 0, 8, 7);
  set_access(&ranks[1], 1, 512, 2);
  set_access(&ranks[1], 2, 4096, 1);
  posix m = merge_ranks(ranks, 2);
  static const int64_t want[4][2] = {{8, 13}, {64, 10}, {512, 2}, {1, 2}};
  check_access(&m, want);
}

/* A total adds the count of an access size where this size already stands, and inserts a new size
 * by its count. It does not sort again: 8 stays second although its count becomes the largest. */
static void test_top4_of_totals(void **state) {
  (void)state;
  struct darshan_merge_plan plan = posix_plan();
  struct darshan_total_state total_state = {0};
  posix total, records[] = {record(1, 0, 0, 0), record(2, 0, 0, 0)};
  memset(&total, 0, sizeof(total));
  set_access(&records[0], 0, 64, 10);
  set_access(&records[0], 1, 8, 6);
  set_access(&records[1], 0, 8, 7);
  set_access(&records[1], 1, 512, 2);
  for (int i = 0; i < 2; i++)
    darshan_total_add(&plan, &total_state, &total, &records[i]);
  static const int64_t want[4][2] = {{64, 10}, {8, 13}, {512, 2}, {0, 0}};
  check_access(&total, want);
}

static void test_totals(void **state) {
  (void)state;
  struct darshan_merge_plan plan = posix_plan();
  struct darshan_total_state total_state = {0};
  posix total, records[] = {record(1, 0, 100, 5), record(1, 1, 50, 7), record(2, 0, 10, 1)};
  memset(&total, 0, sizeof(total));
  records[0].counters[POSIX_MODE] = 1;
  records[2].counters[POSIX_MODE] = 3;
  records[1].fcounters[POSIX_F_CLOSE_START_TIMESTAMP] = -1; /* from an old version */
  records[1].counters[POSIX_MMAPS] = -5;
  darshan_total_add(&plan, &total_state, &total, &records[0]);
  darshan_total_add(&plan, &total_state, &total, &records[1]);
  assert_int_equal(total.base.rank, -1);
  assert_int_equal(total.base.id, 1);
  assert_int_equal(total.counters[POSIX_SLOWEST_RANK], 1);
  assert_int_equal(total.counters[POSIX_SLOWEST_RANK_BYTES], 50);
  assert_int_equal(total.counters[POSIX_FASTEST_RANK], 0);
  assert_int_equal(total.counters[POSIX_MMAPS], -1);
  assert_true(total.fcounters[POSIX_F_CLOSE_START_TIMESTAMP] == 0);
  darshan_total_add(&plan, &total_state, &total, &records[2]);
  assert_int_equal(total.base.id, 0);
  assert_int_equal(total.counters[POSIX_SLOWEST_RANK], -1); /* no longer one file */
  assert_true(total.fcounters[POSIX_F_SLOWEST_RANK_TIME] == 0);
  assert_int_equal(total.counters[POSIX_MODE], 3);
  assert_int_equal(darshan_record_bytes(&plan, &total), 160);
}

/* The numbers of a tuple together are one value: two tuples are equal only if all their numbers
 * are. */
static void test_tuples(void **state) {
  (void)state;
  struct darshan_merge_plan plan;
  darshan_merge_plan_make(&plan, darshan_module_by_id(DARSHAN_MOD_H5D));
  enum { WIDTH = H5D_ACCESS2_ACCESS - H5D_ACCESS1_ACCESS };
  struct darshan_h5d_record a, b;
  struct darshan_spread spread_a, spread_b;
  memset(&a, 0, sizeof(a));
  memset(&b, 0, sizeof(b));
  a.counters[H5D_ACCESS1_ACCESS] = b.counters[H5D_ACCESS1_ACCESS] = 100;
  b.counters[H5D_ACCESS2_ACCESS] = 100;
  b.counters[H5D_ACCESS2_ACCESS + 1] = 5; /* same size, another shape */
  a.counters[H5D_ACCESS1_COUNT] = 1;
  b.counters[H5D_ACCESS1_COUNT] = 2;
  b.counters[H5D_ACCESS2_COUNT] = 4;
  darshan_merge_prepare(&plan, &a, &spread_a);
  darshan_merge_prepare(&plan, &b, &spread_b);
  darshan_merge_pair(&plan, &a, &spread_a, &b, &spread_b);
  assert_int_equal(a.counters[H5D_ACCESS1_COUNT], 4);
  assert_int_equal(a.counters[H5D_ACCESS1_ACCESS + 1], 5);
  assert_int_equal(a.counters[H5D_ACCESS2_COUNT], 3);
  assert_int_equal(a.counters[H5D_ACCESS1_ACCESS + WIDTH + 1], 0);
  assert_int_equal(a.counters[H5D_ACCESS3_COUNT], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_single_rules),
                                     cmocka_unit_test(test_companions_travel),
                                     cmocka_unit_test(test_extremes_and_variance),
                                     cmocka_unit_test(test_top4_of_ranks),
                                     cmocka_unit_test(test_top4_of_totals),
                                     cmocka_unit_test(test_totals),
                                     cmocka_unit_test(test_tuples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
