/* Tests the command line, the mount table and the metadata, in the form that readers of logs
 * require. */
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/job/text/jobtext.h"
#include "../../runtime/job/text/text.h"
#include "unit.h"

static char text[DARSHAN_JOB_TEXT_ROOM];

static size_t make(const char *cmdline, size_t length, const char *mounts) {
  memset(text, '!', sizeof(text));
  return darshan_job_text_from(text, sizeof(text), cmdline, length, mounts, strlen(mounts));
}

#define ROOT "dev / ext4 rw 0 0\n"
#define ROOT_ENTRY "\next4\t/"

static void command_lines(void **state) {
  (void)state;
  static const struct {
    const char *cmdline;
    size_t length;
    const char *expected;
  } rows[] = {
#define ROW(cmdline, expected) {cmdline, sizeof(cmdline) - 1, expected}
      ROW("./a.out\0", "./a.out"),
      ROW("./a.out\0-n\0"
          "5\0",
          "./a.out -n 5"),
      ROW("a\0\0b\0", "a  b"),
      ROW("title\0\0\0\0\0", "title"),
      ROW("", ""),
      ROW("no end", "no end"),
      ROW("py\0-c\0x=1\ny=2\tz\r\n\0", "py -c x=1 y=2 z  "),
      ROW("esc\x1b[31m\x7f\0", "esc?[31m?"),
      ROW("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\0",
          "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
      ROW("latin\xe9\0next\0", "latin? next"),
      ROW("bad \xe0\x80\x80 \xf0\x80\x80\x80 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82\0",
          "bad ??? ???? ?? ??? ???? ??"),
#undef ROW
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char expected[256];
    snprintf(expected, sizeof(expected), "%s" ROOT_ENTRY, rows[i].expected);
    size_t length = make(rows[i].cmdline, rows[i].length, ROOT);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
  }
}

static void mount_tables(void **state) {
  (void)state;
  static const struct {
    const char *mounts, *expected;
  } rows[] = {
      {"a /x ext4 rw 0 0\nb / xfs rw 0 0\n", "\next4\t/x\nxfs\t/"},
      {"a / xfs rw 0 0", "\nxfs\t/"},
      {"a / xfs", "\nxfs\t/"},
      {"s:/e /home nfs rw 0 0\na / ext4 rw 0 0\ns:/f /sw nfs4 rw 0 0\n",
       "\next4\t/\nnfs4\t/sw\nnfs\t/home"},
      {"a / ext4 rw 0 0\nb / ext4 ro 0 0\nc / xfs rw 0 0\n", "\next4\t/\nxfs\t/"},
      {"a /x ext4 r 0 0\na /xy ext4 r 0 0\na /x ext4 r 0 0\n", "\next4\t/x\next4\t/xy"},
      {"proc /proc proc rw 0 0\nt /tmp tmpfs rw 0 0\nc /c cgroup2 rw 0 0\n", "\ncgroup2\t/c"},
      {"a /my\\040disk ext4 rw 0 0\na /tab\\011 ext4 rw 0 0\n" ROOT, ROOT_ENTRY},
      {"a /back\\134slash ext4 rw 0 0\n", "\next4\t/back\\slash"},
      {"a /hash\\043\\0 ext4 rw 0 0\n", "\next4\t/hash#\\0"},
      {"a /new\\012line ext4 rw 0 0\na /latin\\351 ext4 rw 0 0\n" ROOT, ROOT_ENTRY},
      {"a /\xc3\xa9 fuse.x rw 0 0\n", "\nfuse.x\t/\xc3\xa9"},
      {"", "\nunknown\t/"},
      {"\n\n \n  \nword\na b\n" ROOT, ROOT_ENTRY},
      {"proc /proc proc rw 0 0\n", "\nunknown\t/"}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    make("", 0, rows[i].mounts);
    assert_string_equal(text, rows[i].expected);
  }
}

/* Writes mount entries of 1 + type + 1 + point bytes: of the longest allowed length, and one byte
 * longer, which is left out. */
static void long_entries_are_left_out(void **state) {
  (void)state;
  char mounts[1024], type[64], point[512];
  static const struct {
    int type, point;
    bool stored;
  } rows[] = {{31, 222, true}, {31, 223, false}, {32, 10, false}, {3, 250, true}, {3, 251, false}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    memset(type, 't', sizeof(type));
    memset(point, 'p', sizeof(point));
    point[0] = '/';
    snprintf(mounts, sizeof(mounts), "dev %.*s %.*s rw 0 0\n", rows[i].point, point, rows[i].type,
             type);
    make("", 0, mounts);
    assert_int_equal(strstr(text, "/ppp") != NULL, rows[i].stored);
  }
}

/* Checks the requirements of the original Darshan's readers: two words after every newline, no
 * newline at the end, at most 64 entries. Returns the number of entries. length: of the command
 * line; room: for the whole text. */
static int check_readable(size_t length, size_t room) {
  assert_true(length < room);
  assert_int_equal(strlen(text), length);
  const char *newline = strchr(text, '\n');
  assert_non_null(newline);
  assert_true(darshan_utf8_clean(text, (size_t)(newline - text)));
  assert_int_not_equal(text[length - 1], '\n');
  int count = 0;
  for (; newline != NULL; newline = strchr(newline + 1, '\n')) {
    char type[4096], point[4096];
    int end = 0;
    assert_int_equal(sscanf(newline, "\n%4095s%4095s%n", type, point, &end), 2);
    assert_int_equal(end, 2 + strlen(type) + strlen(point));
    assert_true(newline[end] == '\0' || newline[end] == '\n');
    assert_true(strlen(type) <= 31 && strlen(point) <= 255 && end < 256);
    assert_true(darshan_utf8_clean(type, strlen(type)));
    assert_true(darshan_utf8_clean(point, strlen(point)));
    count++;
  }
  assert_true(count <= 64);
  return count;
}

static void at_most_64_entries_and_the_room(void **state) {
  (void)state;
  char mounts[8192];
  size_t at = 0;
  for (int i = 0; i < 100; i++)
    at += (size_t)sprintf(mounts + at, "d /m%d %s rw 0 0\n", i, i < 40 ? "nfs" : "xfs");
  assert_int_equal(check_readable(make("x", 1, mounts), sizeof(text)), 64);
  assert_non_null(strstr(text, "\nxfs\t/m99\nnfs\t/m0"));
  at = 0;
  for (int i = 0; i < 40; i++)
    at += (size_t)sprintf(mounts + at, "d /%0100d xfs rw 0 0\n", i);
  sprintf(mounts + at, "d /short xfs rw 0 0\n");
  int fit = (DARSHAN_JOB_TEXT_ROOM - 1 - 1) / (1 + 3 + 1 + 101);
  assert_int_equal(check_readable(make("x", 1, mounts), sizeof(text)), fit + 1);
  assert_non_null(strstr(text, "/short"));
}

static void a_long_command_line_leaves_room_for_a_mount(void **state) {
  (void)state;
  char cmdline[DARSHAN_JOB_TEXT_ROOM + 100], mounts[512];
  snprintf(mounts, sizeof(mounts), "d /%0220d abcdefghijklmnopqrstuvwxyzabcde rw 0 0\n", 7);
  static const char mark[] = "<TRUNCATED>";
  for (size_t length = 2500; length < sizeof(cmdline); length++) {
    memset(cmdline, 'c', length);
    cmdline[length - 1] = '\0';
    check_readable(make(cmdline, length, mounts), sizeof(text));
    assert_non_null(strstr(text, "abcde\t/"));
    size_t stored = strcspn(text, "\n"), most = DARSHAN_JOB_TEXT_ROOM - 1 - 256;
    bool cut = length - 1 > most;
    assert_int_equal(stored, cut ? most : length - 1);
    assert_int_equal(strstr(text, mark) == text + stored - strlen(mark), cut);
  }
  /* The text is truncated within a character, whose remaining bytes are replaced. */
  for (size_t i = 0; i + 1 < sizeof(cmdline); i += 2)
    memcpy(cmdline + i, "\xc3\xa9", 2);
  for (size_t shift = 0; shift < 2; shift++)
    check_readable(make(cmdline + shift, sizeof(cmdline) - shift, ROOT), sizeof(text));
}

/* Returns a number below the limit; the seed is fixed, so every run tests the same values. */
static unsigned random_below(unsigned limit) {
  static uint64_t seed = 42;
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(seed >> 33) % limit;
}

static void nothing_makes_it_unreadable(void **state) {
  (void)state;
  static const char pieces[][12] = {" ",    "\n",   "/",     "\\040", "\\012", "\\",   "ext4 ",
                                    "\t",   "\xc3", "é",     "nfs ",  "\\777", "\\34", "d /",
                                    "\x01", "\xff", "tmpfs", "x",     "abc",   " rw\n"};
  for (int round = 0; round < 20000; round++) {
    char mounts[1024] = "", cmdline[1024] = "";
    unsigned parts = random_below(60);
    for (unsigned i = 0; i < parts; i++)
      strcat(mounts, pieces[random_below(COUNT_OF(pieces))]);
    for (unsigned i = 0; i < parts; i++)
      strcat(cmdline, pieces[random_below(COUNT_OF(pieces))]);
    check_readable(make(cmdline, strlen(cmdline), mounts), sizeof(text));
  }
}

static void of_this_process(void **state) {
  (void)state;
  char expected[4096] = "", line[4096];
  FILE *file = fopen("/proc/self/cmdline", "r");
  if (file == NULL) skip(); /* nothing to compare with */
  size_t length = fread(expected, 1, sizeof(expected) - 1, file);
  fclose(file);
  for (size_t i = 0; i + 1 < length; i++)
    if (expected[i] == '\0') expected[i] = ' ';
  length = darshan_job_text(text, sizeof(text), 1);
  check_readable(length, sizeof(text));
  assert_int_equal(strcspn(text, "\n"), strlen(expected));
  assert_memory_equal(text, expected, strlen(expected));
  /* libc's reader of the mount table must know every entry. */
  for (char *entry = strchr(text, '\n'); entry != NULL; entry = strchr(entry + 1, '\n')) {
    FILE *mounts = setmntent("/proc/self/mounts", "r");
    bool found = false;
    assert_non_null(mounts);
    for (struct mntent *mount; !found && (mount = getmntent(mounts)) != NULL;) {
      int n = snprintf(line, sizeof(line), "\n%s\t%s", mount->mnt_type, mount->mnt_dir);
      found = strncmp(entry, line, (size_t)n) == 0 && strchr("\n", entry[n]) != NULL;
    }
    endmntent(mounts);
    if (!found) fail_msg("no such mount: %s", entry);
  }
}

static void metadata_lines(void **state) {
  (void)state;
  char metadata[32] = "";
  size_t used = darshan_metadata_add(metadata, sizeof(metadata), 0, "lib_ver", "4.0.0");
  assert_string_equal(metadata, "lib_ver=4.0.0\n");
  used = darshan_metadata_add(metadata, sizeof(metadata), used, "k", "a=b\nc\xff");
  assert_string_equal(metadata, "lib_ver=4.0.0\nk=a=b c?\n");
  assert_int_equal(used, strlen(metadata));
  /* 32 - 23 bytes remain: "kk=12345" and its newline would need the byte of the NUL. */
  assert_int_equal(darshan_metadata_add(metadata, sizeof(metadata), used, "kk", "12345"), used);
  assert_string_equal(metadata, "lib_ver=4.0.0\nk=a=b c?\n");
  used = darshan_metadata_add(metadata, sizeof(metadata), used, "kk", "1234");
  assert_string_equal(metadata, "lib_ver=4.0.0\nk=a=b c?\nkk=1234\n");
  assert_int_equal(used, sizeof(metadata) - 1);
  assert_int_equal(darshan_metadata_add(metadata, sizeof(metadata), used, "", ""), used);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(command_lines),
      cmocka_unit_test(mount_tables),
      cmocka_unit_test(long_entries_are_left_out),
      cmocka_unit_test(at_most_64_entries_and_the_room),
      cmocka_unit_test(a_long_command_line_leaves_room_for_a_mount),
      cmocka_unit_test(nothing_makes_it_unreadable),
      cmocka_unit_test(of_this_process),
      cmocka_unit_test(metadata_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
