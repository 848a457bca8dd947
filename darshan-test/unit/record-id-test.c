/* Tests the hash for record ids with values from the format's definition. */
#include "darshan-read.h"
#include "record-id.h"
#include "unit.h"

#include <string.h>

static const struct {
  const char *name;
  uint64_t id;
} known[] = {{"", UINT64_C(10211412111675192767)},
             {"a", UINT64_C(2110215103713784748)},
             {"/tmp/foo", UINT64_C(15222432511180422829)},
             {"xxxxxxxxxxxxxxxxxxxxxxx", UINT64_C(11377817139690103579)},
             {"xxxxxxxxxxxxxxxxxxxxxxxx", UINT64_C(8681362180469844528)},
             {"xxxxxxxxxxxxxxxxxxxxxxxxx", UINT64_C(13485099048458727123)},
             {"<STDIN>", UINT64_C(14734109647742566553)},
             {"heatmap:POSIX", UINT64_C(16592106915301738621)},
             {"heatmap:MPIIO", UINT64_C(3668870418325792824)},
             {"heatmap:STDIO", UINT64_C(3989511027826779520)},
             {"heatmap:DFS", UINT64_C(1597927878319380788)},
             {"heatmap:DAOS", UINT64_C(4131494093108637317)},
             {"darshan-bgq-record", UINT64_C(17224881367579287459)}};

static void test_known_ids(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(known); i++)
    assert_int_equal(darshan_id_of_name(known[i].name, strlen(known[i].name)), known[i].id);
}

/* The hash must not depend on the alignment of the bytes. */
static void test_unaligned(void **state) {
  (void)state;
  char room[64];
  for (size_t shift = 0; shift < 8; shift++) {
    memcpy(room + shift, "xxxxxxxxxxxxxxxxxxxxxxxxx", 25);
    assert_int_equal(darshan_hash(room + shift, 25, 0), UINT64_C(13485099048458727123));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_ids),
                                     cmocka_unit_test(test_unaligned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
