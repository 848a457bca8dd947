/* Converts old record versions: every value moves to its index in the newest record. Values that an
 * old version does not have get the value of the format's definition. */
#include "reader.h"
#include "records.h"
#include "unit.h"

#include <string.h>

static struct darshan_layout layout;

static void make(int module, int version, size_t bytes) {
  struct darshan_error error = {""};
  assert_int_equal(darshan_layout_make(&layout, darshan_module_by_id(module), version, &error), 0);
  assert_int_equal(layout.words * 8, bytes);
}

/* The sizes of records are those of the format's definition. */
static void test_sizes(void **state) {
  (void)state;
  static const struct {
    int module, version;
    size_t bytes;
  } known[] = {{DARSHAN_MOD_POSIX, 1, 680},        {DARSHAN_MOD_POSIX, 2, 648},
               {DARSHAN_MOD_POSIX, 3, 664},        {DARSHAN_MOD_POSIX, 4, 704},
               {DARSHAN_MOD_MPIIO, 1, 544},        {DARSHAN_MOD_MPIIO, 2, 544},
               {DARSHAN_MOD_MPIIO, 3, 560},        {DARSHAN_MOD_STDIO, 1, 240},
               {DARSHAN_MOD_STDIO, 2, 248},        {DARSHAN_MOD_H5F, 1, 40},
               {DARSHAN_MOD_H5F, 2, 56},           {DARSHAN_MOD_H5F, 3, 80},
               {DARSHAN_MOD_H5D, 1, 904},          {DARSHAN_MOD_H5D, 2, 912},
               {DARSHAN_MOD_PNETCDF_FILE, 1, 48},  {DARSHAN_MOD_PNETCDF_FILE, 2, 64},
               {DARSHAN_MOD_PNETCDF_FILE, 3, 152}, {DARSHAN_MOD_PNETCDF_VAR, 1, 1120},
               {DARSHAN_MOD_BGQ, 1, 120},          {DARSHAN_MOD_BGQ, 2, 112},
               {DARSHAN_MOD_DFS, 1, 584},          {DARSHAN_MOD_DAOS, 1, 696}};
  for (size_t i = 0; i < COUNT_OF(known); i++)
    make(known[i].module, known[i].version, known[i].bytes);
}

static void test_refused(void **state) {
  (void)state;
  struct darshan_error error = {""};
  const int versions[] = {0, -1, 5};
  for (size_t i = 0; i < COUNT_OF(versions); i++)
    assert_int_equal(
        darshan_layout_make(&layout, darshan_module_by_id(DARSHAN_MOD_POSIX), versions[i], &error),
        -1);
  assert_int_equal(
      darshan_layout_make(&layout, darshan_module_by_id(DARSHAN_MOD_HEATMAP), 1, &error), -1);
}

/* Fills a record so that every 64-bit word contains its index. */
static void number_words(uint64_t *words) {
  for (uint64_t i = 0; i < DARSHAN_WORDS_MAX; i++)
    words[i] = i;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static void test_posix_3(void **state) {
  (void)state;
  uint64_t old[DARSHAN_WORDS_MAX];
  struct darshan_posix_record now;
  number_words(old);
  make(DARSHAN_MOD_POSIX, 3, 664);
  darshan_layout_convert(&layout, old, (uint64_t *)(void *)&now, sizeof(now) / 8);
  assert_int_equal(now.base.id, 0);
  assert_int_equal(now.base.rank, 1);
  assert_int_equal(now.counters[POSIX_OPENS], 2);
  assert_int_equal(now.counters[POSIX_FILENOS], -1);
  assert_int_equal(now.counters[POSIX_DUPS], -1);
  assert_int_equal(now.counters[POSIX_READS], 3);
  assert_int_equal(now.counters[POSIX_RENAME_SOURCES], -1);
  assert_int_equal(now.counters[POSIX_RENAMED_FROM], 0);
  assert_int_equal(now.counters[POSIX_MODE], 10);
  assert_int_equal(bits_of(now.fcounters[POSIX_F_VARIANCE_RANK_BYTES]), 664 / 8 - 1);
}

static void test_posix_1(void **state) {
  (void)state;
  uint64_t old[DARSHAN_WORDS_MAX];
  struct darshan_posix_record now;
  number_words(old);
  make(DARSHAN_MOD_POSIX, 1, 680);
  assert_int_equal(layout.skip_if_positive, 2 + 6); /* FOPENS */
  darshan_layout_convert(&layout, old, (uint64_t *)(void *)&now, sizeof(now) / 8);
  assert_int_equal(now.counters[POSIX_MMAPS], 2 + 5);
  assert_int_equal(now.counters[POSIX_FSYNCS], 2 + 10);
  assert_true(now.fcounters[POSIX_F_CLOSE_START_TIMESTAMP] == -1.0);
  assert_true(now.fcounters[POSIX_F_OPEN_END_TIMESTAMP] == -1.0);
  assert_int_equal(bits_of(now.fcounters[POSIX_F_OPEN_START_TIMESTAMP]), 2 + 68);
  assert_int_equal(bits_of(now.fcounters[POSIX_F_CLOSE_END_TIMESTAMP]), 2 + 68 + 5);
}

static void check_h5d(int version, uint64_t file_id, int64_t opens) {
  uint64_t old[DARSHAN_WORDS_MAX];
  struct darshan_h5d_record now;
  number_words(old);
  make(DARSHAN_MOD_H5D, version, version == 1 ? 904 : 912);
  darshan_layout_convert(&layout, old, (uint64_t *)(void *)&now, sizeof(now) / 8);
  assert_int_equal(now.file_rec_id, file_id);
  assert_int_equal(now.counters[H5D_OPENS], opens);
}

static void test_h5d(void **state) {
  (void)state;
  check_h5d(1, 0, 2);
  check_h5d(2, 2, 3);
}

static void test_pnetcdf_opens_are_added(void **state) {
  (void)state;
  for (int version = 1; version <= 2; version++) {
    uint64_t old[DARSHAN_WORDS_MAX] = {77, 0, 5, 30, bits_of(1.5), bits_of(2.5)};
    struct darshan_pnetcdf_file_record now;
    make(DARSHAN_MOD_PNETCDF_FILE, version, version == 1 ? 48 : 64);
    darshan_layout_convert(&layout, old, (uint64_t *)(void *)&now, sizeof(now) / 8);
    assert_int_equal(now.counters[PNETCDF_FILE_OPENS], 35);
    assert_int_equal(now.counters[PNETCDF_FILE_CREATES], -1);
    assert_true(now.fcounters[PNETCDF_FILE_F_OPEN_START_TIMESTAMP] == 1.5);
    assert_true(now.fcounters[version == 1 ? PNETCDF_FILE_F_CLOSE_END_TIMESTAMP
                                           : PNETCDF_FILE_F_CLOSE_START_TIMESTAMP] == 2.5);
    assert_true(now.fcounters[PNETCDF_FILE_F_WAIT_TIME] == -1.0);
  }
}

static void test_bgq_1_has_padding(void **state) {
  (void)state;
  uint64_t old[DARSHAN_WORDS_MAX];
  struct darshan_bgq_node_record now;
  number_words(old);
  make(DARSHAN_MOD_BGQ, 1, 120);
  darshan_layout_convert(&layout, old, (uint64_t *)(void *)&now, sizeof(now) / 8);
  assert_int_equal(now.counters[BGQ_CSJOBID], 3);
  assert_int_equal(bits_of(now.fcounters[BGQ_F_TIMESTAMP]), 14);
}

/* The newest version is converted to itself: no value is lost or moved. */
static void test_newest_is_itself(void **state) {
  (void)state;
  for (int id = 0; id < DARSHAN_MAX_MODULES + 1; id++) {
    const struct darshan_module *module = darshan_module_by_id(id);
    struct darshan_error error = {""};
    if (!module || darshan_layout_make(&layout, module, module->version, &error) != 0) continue;
    assert_true(layout.newest);
    assert_int_equal(layout.words * 8, module->record_size);
    for (size_t i = 0; i < layout.words; i++)
      assert_int_equal(layout.target[i], i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),
                                     cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_posix_3),
                                     cmocka_unit_test(test_posix_1),
                                     cmocka_unit_test(test_h5d),
                                     cmocka_unit_test(test_pnetcdf_opens_are_added),
                                     cmocka_unit_test(test_bgq_1_has_padding),
                                     cmocka_unit_test(test_newest_is_itself)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
