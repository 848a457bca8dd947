/* The path of an open folder is remembered, and is used for a short time without a query to the
 * kernel. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counting/clock.h"
#include "intercept/guard.h"
#include "names/descriptors.h"
#include "unit.h"

/* No signal is delayed in this program. */
__thread uint64_t darshan_put_off;
void handlers_let_in(void) {}

enum { NOT_FOLLOWED, BEGIN = 1000, ROOM = 4096 };

static char work[] = "/tmp/folder-test-XXXXXX";
static char old[ROOM], new[ROOM];

/* Asserts that a name relative to the descriptor is recorded as one in this folder. now: as for
 * fd_folder_clean_path. */
static void assert_below(const char *folder, int fd, uint64_t now) {
  char found[ROOM], expected[2 * ROOM];
  snprintf(expected, sizeof(expected), "%s/name", folder);
  assert_int_equal(fd_folder_clean_path(found, sizeof(found), fd, "name", now), strlen(expected));
  assert_string_equal(found, expected);
}

static int open_folder(const char *path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY);
  assert_true(fd >= 0);
  return fd;
}

/* Renames a folder as another process would, so that the runtime does not see the call. */
static void move(const char *from, const char *to) {
  assert_int_equal(rename(from, to), 0);
}

static void asked_after_a_moment(void **state) {
  (void)state;
  int fd = open_folder(old);
  assert_below(old, fd, BEGIN);
  move(old, new);
  assert_below(old, fd, BEGIN + CLOCK_SHORT - 1);
  assert_below(new, fd, BEGIN + CLOCK_SHORT);
  move(new, old);
  assert_below(old, fd, BEGIN); /* another processor's counter may be behind */
  fd_folder_forget(fd);
  close(fd);
}

static void asked_after_some_uses(void **state) {
  (void)state;
  int fd = open_folder(old);
  assert_below(old, fd, BEGIN);
  move(old, new);
  for (int uses = 1; uses < 16; uses++)
    assert_below(old, fd, BEGIN);
  assert_below(new, fd, BEGIN);
  move(new, old);
  fd_folder_forget(fd);
  close(fd);
}

static void always_asked_if_not_followed(void **state) {
  (void)state;
  int fd = open_folder(old);
  assert_below(old, fd, NOT_FOLLOWED);
  move(old, new);
  assert_below(new, fd, NOT_FOLLOWED);
  move(new, old);
  assert_below(old, fd, BEGIN); /* it may have been closed unseen since */
  move(old, new);
  assert_below(new, fd, NOT_FOLLOWED);
  move(new, old);
  fd_folder_forget(fd);
  close(fd);
}

static void forgotten_at_the_end(void **state) {
  (void)state;
  int fd = open_folder(old), other = open_folder("/");
  assert_below(old, fd, BEGIN);
  fd_folder_forget(fd);
  assert_int_equal(dup2(other, fd), fd);
  assert_below("", fd, BEGIN);
  fd_folder_forget(fd);
  close(fd);
  close(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asked_after_a_moment), cmocka_unit_test(asked_after_some_uses),
      cmocka_unit_test(always_asked_if_not_followed), cmocka_unit_test(forgotten_at_the_end)};
  if (!mkdtemp(work)) return 1;
  snprintf(old, sizeof(old), "%s/old", work);
  snprintf(new, sizeof(new), "%s/new", work);
  int failed = mkdir(old, 0700) || cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(old);
  rmdir(work);
  return failed;
}
