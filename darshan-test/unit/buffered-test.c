/* Tests the buffers for descriptors that remedies use (runtime/remedies/buffered.h). */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "remedies/buffered.h"

__thread uint64_t darshan_put_off; /* no handler waits */
void handlers_let_in(void) {}

static struct buffered one;

static void *takes(void *begins) {
  __atomic_store_n((int *)begins, 1, __ATOMIC_RELEASE);
  int took = buffered_take(&one);
  if (took) buffered_unlock(&one);
  return took ? &one : NULL;
}

/* If a thread ends the use of the buffer, a second thread that waits for the lock does not get the
 * descriptor, because its data in the buffer would never be written. */
static void service_that_ends(void **state) {
  int begins = 0;
  void *took = NULL;
  pthread_t thread;
  (void)state;
  buffered_serve(&one);
  assert_int_equal(buffered_take(&one), 1);
  assert_int_equal(pthread_create(&thread, NULL, takes, &begins), 0);
  while (!__atomic_load_n(&begins, __ATOMIC_ACQUIRE))
    sched_yield();
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* it waits for the lock meanwhile */
  one.is_served = 0;
  buffered_unlock(&one);
  assert_int_equal(pthread_join(thread, &took), 0);
  assert_null(took);
  assert_int_equal(buffered_take(&one), 0);
}

/* A list contains the files that were added, by device and inode, until it is full. */
static void lists_of_files(void **state) {
  struct file_id files[2] = {{0, 0}};
  struct stat first = {.st_dev = 1, .st_ino = 7}, other = {.st_dev = 2, .st_ino = 7};
  int count = 0;
  (void)state;
  assert_int_equal(files_have(files, 2, count, &first), 0);
  assert_int_equal(files_add(files, 2, &count, &first), 0);
  assert_int_equal(files_have(files, 2, count, &first), 1);
  assert_int_equal(files_have(files, 2, count, &other), 0);
  assert_int_equal(files_add(files, 2, &count, &other), 0);
  assert_int_equal(files_add(files, 2, &count, &other), -1);
  assert_int_equal(files_have(files, 2, count, &other), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(service_that_ends),
      cmocka_unit_test(lists_of_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
