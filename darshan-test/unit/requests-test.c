/* Tests requests in progress: the oldest request of a key comes first, and a full table reports
 * that it is full. */
#include "modules/posix/asynchronous/requests.h"

#include "unit.h"

static struct requests requests;

static struct request taken(uint64_t key) {
  struct request copy = {.key = 0};
  const struct request *found = requests_find(&requests, key);
  assert_non_null(found);
  requests_take(&requests, found, &copy);
  return copy;
}

static void oldest_first(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++)
    requests_add(&requests, 7)->offset = i;
  requests_add(&requests, 8)->offset = 9;
  for (int i = 0; i < 3; i++)
    assert_int_equal(taken(7).offset, i);
  assert_null(requests_find(&requests, 7));
  assert_int_equal(taken(8).offset, 9);
  assert_int_equal(requests.open, 0);
  assert_int_equal(requests.used, 4); /* slots are reused */
  requests_add(&requests, 1);
  assert_int_equal(requests.used, 4);
  requests_forget(&requests);
  assert_null(requests_find(&requests, 1));
}

static void full(void **state) {
  (void)state;
  for (uint64_t i = 0; i < REQUESTS_MOST; i++)
    assert_non_null(requests_add(&requests, i));
  assert_false(requests.was_full);
  assert_null(requests_add(&requests, REQUESTS_MOST));
  assert_true(requests.was_full);
  for (uint64_t i = 0; i < REQUESTS_MOST; i += 1000)
    assert_int_equal(taken(i).key, i);
  assert_non_null(requests_add(&requests, REQUESTS_MOST));
  requests_forget(&requests);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(oldest_first), cmocka_unit_test(full)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
