/* Tests the mount table after the command line, and the search for a path's mount. */
#include "reader.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Parses a job region's text; the caller frees the job by darshan_job_free. */
static struct darshan_job_region parse(const char *text) {
  struct darshan_job_region job = {.text = strdup(text)};
  struct darshan_error error = {""};
  assert_non_null(job.text);
  assert_int_equal(darshan_mounts_parse(&job, &error), 0);
  return job;
}

/* Parses text, the text of a job region. Checks that its command line is exe, and that it has
 * `count` mounts; want: "path type" of each, in order. */
static void check_mounts(const char *text, const char *exe, const char *const *want, int count) {
  struct darshan_job_region job = parse(text);
  assert_string_equal(job.text, exe);
  assert_int_equal(job.num_mounts, count);
  for (int i = 0; i < count; i++) {
    char got[64];
    snprintf(got, sizeof(got), "%s %s", job.mounts[i].path, job.mounts[i].type);
    assert_string_equal(got, want[i]);
  }
  darshan_job_free(&job);
}

static void test_longest_first(void **state) {
  (void)state;
  const char *const want[] = {"/home nfs", "/data ext4", "/a xfs", "/ ext4"};
  check_mounts("./app -x\next4\t/\nnfs\t/home\nxfs\t/a\next4\t/data", "./app -x", want, 4);
}

static void test_no_mounts(void **state) {
  (void)state;
  check_mounts("./app", "./app", NULL, 0);
  check_mounts("./app\n", "./app", NULL, 0);
  check_mounts("./app\nlonely", "./app", NULL, 0);
}

/* A mount line with one word also uses the first word of the next line, which is then read again.
 * */
static void test_borrowed_words(void **state) {
  (void)state;
  const char *const want[] = {"ext4 stray", "/mnt ext4"};
  check_mounts("./app -c\nstray\next4\t/mnt", "./app -c", want, 2);
  const char *const twice[] = {"/mnt ext4", "/mnt ext4"};
  check_mounts("./app\n\next4\t/mnt", "./app", twice, 2);
}

static void check_found(const struct darshan_job_region *job, const char *name, const char *path) {
  int mount = darshan_mounts_find(job, name);
  if (!path) {
    assert_int_equal(mount, -1);
    return;
  }
  assert_in_range(mount, 0, job->num_mounts - 1);
  assert_string_equal(job->mounts[mount].path, path);
}

static void test_resolving(void **state) {
  (void)state;
  struct darshan_job_region job = parse("x\nnfs\t/home\nxfs\t/home/a\nlustre\t/scratch");
  check_found(&job, "/home/a/file", "/home/a");
  check_found(&job, "/home/b", "/home");
  check_found(&job, "/home2/x", "/home"); /* a prefix of bytes, not of a path */
  check_found(&job, "/hom", NULL);
  check_found(&job, "<STDOUT>", NULL);
  check_found(&job, "", NULL);
  check_found(&job, NULL, NULL);
  darshan_job_free(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_longest_first), cmocka_unit_test(test_no_mounts),
      cmocka_unit_test(test_borrowed_words), cmocka_unit_test(test_resolving)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
