/* Tests which names are recorded, and how a path becomes a name. */
#include <stdio.h>
#include <string.h>

#include "../../runtime/format/log-format.h"
#include "../../runtime/job/config/names.h"
#include "load-config.h"
#include "names/paths.h"
#include "unit.h"

static bool excluded(const struct loaded *loaded, int module, const char *name) {
  return darshan_name_excluded(&loaded->config, module, name, strlen(name));
}

static void system_folders_are_left_out(void **state) {
  (void)state;
  static const char *const folders[] = {"/etc/", "/dev/",  "/usr/", "/bin/",  "/boot/", "/lib/",
                                        "/opt/", "/sbin/", "/sys/", "/proc/", "/var/"};
  const struct loaded *loaded = LOAD("A=b");
  for (size_t i = 0; i < COUNT_OF(folders); i++) {
    char name[64];
    size_t length = strlen(folders[i]);
    assert_true(excluded(loaded, DARSHAN_MOD_POSIX, folders[i]));
    snprintf(name, sizeof(name), "%sx", folders[i]);
    assert_true(excluded(loaded, DARSHAN_MOD_STDIO, name));
    snprintf(name, sizeof(name), "/data%sx", folders[i]);
    assert_false(excluded(loaded, DARSHAN_MOD_POSIX, name));
    snprintf(name, sizeof(name), "%.*s64/x", (int)length - 1, folders[i]);
    assert_false(excluded(loaded, DARSHAN_MOD_POSIX, name));
    /* Without its last byte, the name is that of the folder itself, which may be a file. */
    assert_false(darshan_name_excluded(&loaded->config, DARSHAN_MOD_POSIX, folders[i], length - 1));
  }
  static const char *const others[] = {
      "",         "/",       "/e",        "/home/me/x",
      "/lib64/x", "<STDIN>", "/tmp/etc/", "/var/opt/cray/dws/mounts/job/x"};
  for (size_t i = 0; i < COUNT_OF(others); i++)
    assert_false(excluded(loaded, DARSHAN_MOD_POSIX, others[i]));
  assert_true(excluded(loaded, DARSHAN_MOD_POSIX, "/var/opt/cray/dws/mount"));
  /* Names of these modules are not paths. */
  static const int not_paths[] = {DARSHAN_MOD_HEATMAP, DARSHAN_MOD_APMPI, DARSHAN_MOD_MDHIM};
  for (size_t i = 0; i < COUNT_OF(not_paths); i++)
    assert_false(excluded(loaded, not_paths[i], "/etc/x"));
}

static void files_of_a_launcher_are_left_out(void **state) {
  (void)state;
  static const char shared[] = "/spool/n1.7.0/1/pmix-data.7";
  const struct loaded *loaded = LOAD("PMIX_SERVER_TMPDIR=/spool/n1.7.0");
  assert_true(excluded(loaded, DARSHAN_MOD_POSIX, shared));
  assert_true(excluded(loaded, DARSHAN_MOD_STDIO, "/spool/n1.7.0/pmix"));
  assert_false(excluded(loaded, DARSHAN_MOD_HEATMAP, shared));
  static const char *const others[] = {"/spool/n1.7.0/1/0/mine", "/spool/n1.7.0",
                                       "/spool/n1.7.01/pmix", "/data/pmix", "/tmp/pmix"};
  for (size_t i = 0; i < COUNT_OF(others); i++)
    assert_false(excluded(loaded, DARSHAN_MOD_POSIX, others[i]));
  assert_false(excluded(LOAD("A=b"), DARSHAN_MOD_POSIX, shared));
  loaded = LOAD("PMIX_SERVER_TMPDIR=/spool/n1.7.0", "DARSHAN_MPI_FILES=yes");
  assert_false(excluded(loaded, DARSHAN_MOD_POSIX, shared));
  assert_false(excluded(LOAD("PMIX_SERVER_TMPDIR="), DARSHAN_MOD_POSIX, "/pmix"));
  assert_false(excluded(LOAD("PMIX_SERVER_TMPDIR=/"), DARSHAN_MOD_POSIX, "//pmix"));
}

static const char *const of_mpi[] = {"/tmp/ompi.vm.0/pid.26321/hwloc.sm",
                                     "/tmp/ompi.vm.0/pid.26321/1/sf_cid--1-0.sm",
                                     "/tmp/ompi.node-1.site.org.1000/jf.2565/1/x",
                                     "/home/me/T/ompi.vm.0/pid.1/pmix_dstor_ds12_1/dstore_sm.lock",
                                     "/tmp/ompi.vm.0/pid.1",
                                     "/tmp/openmpi-sessions-me@n1_0/4242/0/x",
                                     "/tmp/prte.n1.1000/dvm.77/contact",
                                     "/tmp/prterun.n1.7.0/1/0/x",
                                     "/scratch/pmix_dstor_77/smseg-1-0",
                                     "/spool/step/pmix_dstor_ds21_77/smseg-1-0",
                                     "/scratch/pmix-gds-shmem2.n1-prterun-n1-7@1.jobdata.7",
                                     "/tmp/pmix.n1.tool.99",
                                     "/tmp/vader_segment.vm.0.28420001.1",
                                     "/scratch/sm_segment.n1.0.abcd01.12",
                                     "/tmp/osc_sm.vm.be00001.0.4",
                                     "/tmp/osc_rdma.n1.be00001.0.4",
                                     "/tmp/mpich_shar_tmpjInkv2",
                                     "/tmp/ucx_shm_posix_3e73f5f8"};

/* Names similar to the patterns, and a user's name. */
static const char *const not_of_mpi[] = {"/tmp/ompi.txt",
                                         "/tmp/ompi.vm.0",
                                         "/tmp/ompi.vm.0/mine",
                                         "/tmp/ompi.vm.0/pid.x/mine",
                                         "/tmp/ompi.vm.0/pid./mine",
                                         "/tmp/ompi.vm.0/pid.1x/mine",
                                         "/tmp/ompi.vm/0/pid.1/mine",
                                         "/tmp/ompi..0/pid.1/mine",
                                         "/tmp/my-ompi.vm.0/pid.1/mine",
                                         "/tmp/openmpi-sessions-me/mine",
                                         "/tmp/prterun.log",
                                         "/tmp/pmix",
                                         "/tmp/pmix-notes.txt",
                                         "/tmp/pmix_dstor_x/mine",
                                         "/tmp/vader_segment.c",
                                         "/tmp/vader_segment.vm.28420001.1.bak",
                                         "/tmp/osc_sm.vm.be00001.0",
                                         "/tmp/osc_sm.vm.be00001.0.4/mine",
                                         "/tmp/mpich_shar_tmp",
                                         "/tmp/ucx_shm_posix_x",
                                         "/home/me/.data.shfp.3795720707.25027",
                                         "ompi.vm.0/pid.1/hwloc.sm",
                                         "/tmp/ompi."};

static void files_of_mpi_are_left_out(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(of_mpi); i++) {
    const struct loaded *loaded = LOAD("DARSHAN_MPI_FILES=0");
    if (!excluded(loaded, DARSHAN_MOD_POSIX, of_mpi[i]) ||
        !excluded(loaded, DARSHAN_MOD_STDIO, of_mpi[i]) ||
        excluded(loaded, DARSHAN_MOD_HEATMAP, of_mpi[i]))
      fail_msg("%s", of_mpi[i]);
    loaded = LOAD("DARSHAN_MPI_FILES=1", "PMIX_SERVER_TMPDIR=/spool");
    if (excluded(loaded, DARSHAN_MOD_POSIX, of_mpi[i])) fail_msg("%s, wanted", of_mpi[i]);
    assert_false(excluded(LOAD_FILE("MPI_FILES 1\n", NULL), DARSHAN_MOD_POSIX, of_mpi[i]));
    loaded = LOAD_FILE("NAME_INCLUDE ^/ POSIX\n", NULL);
    assert_false(excluded(loaded, DARSHAN_MOD_POSIX, of_mpi[i]));
  }
  const struct loaded *loaded = LOAD("A=b");
  for (size_t i = 0; i < COUNT_OF(not_of_mpi); i++)
    if (excluded(loaded, DARSHAN_MOD_POSIX, not_of_mpi[i])) fail_msg("%s", not_of_mpi[i]);
}

static void rules_of_the_file(void **state) {
  (void)state;
  static const char file[] = "NAME_EXCLUDE \\.tmp$,^/scratch/.*core POSIX,STDIO\n"
                             "NAME_EXCLUDE ^heatmap: HEATMAP\n"
                             "NAME_INCLUDE ^/etc/job,keep POSIX\n"
                             "NAME_EXCLUDE ^/var/opt/cray/dws/mounts/ STDIO\n";
  static const struct {
    const char *name;
    bool posix, stdio, h5f, heatmap;
  } rows[] = {{"/home/a.tmp", true, true, false, false},
              {"/home/a.tmp.gz", false, false, false, false},
              {"/scratch/x/core.1", true, true, false, false},
              {"/home/scratch/core", false, false, false, false},
              {"/home/keep.tmp", false, true, false, false},
              {"/etc/job.conf", false, true, true, false},
              {"/etc/jo", true, true, true, false},
              {"heatmap:POSIX", false, false, false, true},
              {"/var/opt/cray/dws/mounts/x", false, false, false, false}};
  struct loaded *loaded = LOAD_FILE(file, NULL);
  assert_int_equal(loaded->messages.count, 0);
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    const char *name = rows[i].name;
    if (excluded(loaded, DARSHAN_MOD_POSIX, name) != rows[i].posix ||
        excluded(loaded, DARSHAN_MOD_STDIO, name) != rows[i].stdio ||
        excluded(loaded, DARSHAN_MOD_H5F, name) != rows[i].h5f ||
        excluded(loaded, DARSHAN_MOD_HEATMAP, name) != rows[i].heatmap)
      fail_msg("%s", name);
  }
}

/* Replaces `from` by `to` until no occurrence remains, which is the simplest form of the rule. */
static void replace_all(char *text, const char *from, const char *to) {
  for (char *at; (at = strstr(text, from)) != NULL;) {
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
  }
}

static void check_clean(const char *cwd, const char *path) {
  char expected[512], found[512];
  if (path[0] == '/')
    snprintf(expected, sizeof(expected), "%s", path);
  else
    snprintf(expected, sizeof(expected), "%s/%s", cwd, path);
  for (size_t before = 0; before != strlen(expected);) {
    before = strlen(expected);
    replace_all(expected, "//", "/");
    replace_all(expected, "/./", "/");
  }
  size_t length = darshan_clean_path(found, sizeof(found), cwd, strlen(cwd), path);
  if (length != strlen(expected) || strcmp(found, expected) != 0)
    fail_msg("cwd %s, path %s: %s instead of %s", cwd, path, found, expected);
}

/* Tests every path of up to eight of these bytes, at every offset within the eight bytes that are
 * checked together. */
static void paths_are_cleaned_as_the_rule_says(void **state) {
  (void)state;
  static const char alphabet[] = "/.a";
  enum { LONGEST = 8 };
  for (int length = 0, combinations = 1; length <= LONGEST; length++, combinations *= 3)
    for (int n = 0; n < combinations; n++) {
      char path[LONGEST + 1] = "", longer[64];
      for (int i = 0, rest = n; i < length; i++, rest /= 3)
        path[i] = alphabet[rest % 3];
      check_clean("/home/me", path);
      check_clean("/", path);
      /* A folder given by a descriptor has the name under which it was opened. */
      snprintf(longer, sizeof(longer), "/%s", path);
      check_clean(longer, "x");
      check_clean(longer, "./x");
      for (int shift = 5; shift < 13; shift++) {
        static const char before[] = "abcdefghijklmnop";
        snprintf(longer, sizeof(longer), "/%s%s", before + shift, path);
        check_clean("/home/me", longer);
        snprintf(longer, sizeof(longer), "/%s%sqrstuvwxyz", before + shift, path);
        check_clean("/home/me", longer);
      }
      snprintf(longer, sizeof(longer), "%sbcdefghijk", path);
      check_clean("/home/me", longer);
    }
  check_clean("/home", "<STDIN>//x/./y");
}

static void a_path_fits_whole_or_not_at_all(void **state) {
  (void)state;
  char out[16];
  assert_int_equal(darshan_clean_path(out, 8, "/ab", 3, "/123456"), 7);
  assert_int_equal(darshan_clean_path(out, 7, "/ab", 3, "/123456"), 0);
  assert_int_equal(darshan_clean_path(out, 8, "/ab", 3, "xyz"), 7);
  assert_string_equal(out, "/ab/xyz");
  assert_int_equal(darshan_clean_path(out, 7, "/ab", 3, "xyz"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(system_folders_are_left_out),
      cmocka_unit_test(files_of_a_launcher_are_left_out),
      cmocka_unit_test(files_of_mpi_are_left_out),
      cmocka_unit_test(rules_of_the_file),
      cmocka_unit_test(paths_are_cleaned_as_the_rule_says),
      cmocka_unit_test(a_path_fits_whole_or_not_at_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
