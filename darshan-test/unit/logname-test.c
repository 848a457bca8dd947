/* Tests paths of logs and journals, and that local time equals that of libc. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../runtime/job/text/logname.h"
#include "load-config.h"
#include "unit.h"

enum { DAY = 86400 };

static void dates_are_those_of_libc(void **state) {
  (void)state;
  for (int64_t day = -200000; day < 200000; day++) {
    time_t seconds = (time_t)(day * DAY);
    struct tm tm;
    struct darshan_date date = darshan_date_of_day(day);
    assert_non_null(gmtime_r(&seconds, &tm));
    if (date.year != tm.tm_year + 1900 || date.month != tm.tm_mon + 1 || date.day != tm.tm_mday ||
        darshan_day_of_date(date.year, date.month, date.day) != day)
      fail_msg("day %lld", (long long)day);
  }
}

static void use_zone(const char *zone) {
  if (zone == NULL)
    unsetenv("TZ");
  else
    setenv("TZ", zone, 1);
  tzset();
}

static const char *const zones[] = {NULL,
                                    "",
                                    "UTC",
                                    ":Europe/Berlin",
                                    "Europe/Berlin",
                                    "America/New_York",
                                    "America/Sao_Paulo",
                                    "Asia/Kolkata",
                                    "Australia/Lord_Howe",
                                    "Africa/Casablanca",
                                    "Europe/Dublin",
                                    "Pacific/Apia",
                                    "No/Such_Zone",
                                    "/no/such/file",
                                    "CET-1CEST,M3.5.0,M10.5.0/3",
                                    "EST5EDT,M3.2.0,M11.1.0",
                                    "NZST-12NZDT,M9.5.0,M4.1.0/3",
                                    "<+0330>-3:30",
                                    "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
                                    "IST-2IDT,M3.4.4/26,M10.5.0",
                                    "AAA3BBB2:30:15,J60/1,J300",
                                    "AAA3BBB,59,299/0:30",
                                    "JST-9"};

/* Compares times for eighty years at intervals of eleven days, seven hours and some seconds, so
 * that every time of the day and hours close to changes of the offset occur. */
static void offsets_are_those_of_libc(void **state) {
  (void)state;
  for (size_t z = 0; z < COUNT_OF(zones); z++) {
    use_zone(zones[z]);
    for (int64_t t = 0; t < INT64_C(80) * 365 * DAY; t += 11 * DAY + 7 * 3600 + 13) {
      time_t seconds = (time_t)t;
      struct tm tm;
      assert_non_null(localtime_r(&seconds, &tm));
      int64_t offset = darshan_utc_offset(zones[z], t);
      if (offset != tm.tm_gmtoff)
        fail_msg("%s at %lld: %lld instead of %ld", zones[z] ? zones[z] : "(not set)", (long long)t,
                 (long long)offset, tm.tm_gmtoff);
    }
  }
  use_zone(NULL);
}

/* Compares times close to every change of a rule, to the second. */
static void rules_change_at_the_second(void **state) {
  (void)state;
  for (size_t z = 0; z < COUNT_OF(zones); z++) {
    if (zones[z] == NULL || strchr(zones[z], ',') == NULL) continue;
    use_zone(zones[z]);
    size_t length = strlen(zones[z]);
    int64_t before = darshan_rule_offset(zones[z], length, 1700000000);
    int changes = 0;
    for (int64_t t = 1700000000; t < 1700000000 + 800 * DAY; t += 900) {
      int64_t now = darshan_rule_offset(zones[z], length, t);
      if (now == before) continue;
      before = now;
      changes++;
      for (int64_t exact = t - 901; exact <= t; exact++) {
        time_t seconds = (time_t)exact;
        struct tm tm;
        assert_non_null(localtime_r(&seconds, &tm));
        assert_int_equal(darshan_rule_offset(zones[z], length, exact), tm.tm_gmtoff);
      }
    }
    assert_true(changes >= 4);
  }
  use_zone(NULL);
}

/* A rule of a time zone without days uses the days of the United States. */
static void a_rule_without_days(void **state) {
  (void)state;
  static const char brief[] = "EST5EDT", full[] = "EST5EDT,M3.2.0,M11.1.0";
  for (int64_t t = 1700000000; t < 1700000000 + 400 * DAY; t += DAY / 2)
    assert_int_equal(darshan_rule_offset(brief, strlen(brief), t),
                     darshan_rule_offset(full, strlen(full), t));
}

static void put(unsigned char **at, uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; i--)
    *(*at)++ = (unsigned char)(value >> (8 * i));
}

/* Makes a zone file with one change, from UTC+1 to UTC+2 at second 1000, and, unless version is
 * '\0', a rule for later times. version: the byte that names the format's version (RFC 8536).
 * Returns its length. */
static size_t make_zone(unsigned char *zone, char version, const char *rule) {
  unsigned char *at = zone;
  for (int size = 4; size <= (version == '\0' ? 4 : 8); size += 4) {
    memcpy(at, "TZif", 4);
    at[4] = (unsigned char)version;
    memset(at + 5, 0, 15);
    at += 20;
    for (int i = 0; i < 6; i++)
      put(&at, (const uint64_t[]){0, 0, 0, 1, 2, 4}[i], 4);
    /* The reader must ignore the first block of a newer file. */
    put(&at, version != '\0' && size == 4 ? 5 : 1000, size);
    put(&at, 1, 1);
    put(&at, 3600, 4), put(&at, 0, 2);
    put(&at, 7200, 4), put(&at, 1, 2);
    memcpy(at, "ABC", 4);
    at += 4;
  }
  return (size_t)(at - zone) + (size_t)(version == '\0' ? 0 : sprintf((char *)at, "\n%s\n", rule));
}

static void zone_files(void **state) {
  (void)state;
  unsigned char zone[512];
  static const struct {
    char version;
    const char *rule;
    int64_t before, after;
  } rows[] = {{'\0', "", 3600, 7200}, {'2', "", 3600, 7200}, {'3', "XYZ-5", 3600, 18000}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    size_t length = make_zone(zone, rows[i].version, rows[i].rule);
    assert_int_equal(darshan_zone_offset(zone, length, 999), rows[i].before);
    assert_int_equal(darshan_zone_offset(zone, length, 1000), rows[i].after);
    assert_int_equal(darshan_zone_offset(zone, length, -1), rows[i].before);
  }
}

/* Reads damaged zone files, in which the address sanitizer would detect errors. */
static void damaged_zone_files_do_no_harm(void **state) {
  (void)state;
  unsigned char zone[512];
  size_t length = make_zone(zone, '2', "CET-1CEST,M3.5.0,M10.5.0/3");
  int64_t whole = darshan_zone_offset(zone, length, 1700000000);
  assert_int_equal(whole, 3600);
  for (size_t cut = 0; cut < length; cut++) {
    unsigned char *copy = malloc(cut + !cut);
    memcpy(copy, zone, cut);
    int64_t offset = darshan_zone_offset(copy, cut, 1700000000);
    assert_true(offset == 0 || offset == 3600 || offset == 7200);
    free(copy);
  }
  for (size_t i = 0; i < length; i++)
    for (int value = 0; value < 256; value += 15) {
      unsigned char *copy = malloc(length);
      memcpy(copy, zone, length);
      copy[i] = (unsigned char)value;
      darshan_zone_offset(copy, length, 1700000000);
      free(copy);
    }
}

static const struct darshan_log_identity identity = {
    .jobid = 4711, .pid = 99, .rank = 3, .start_time = 1700000000};

/* Returns whether the text matches a pattern in which # stands for a number of any length. */
static bool looks_like(const char *text, const char *pattern) {
  for (; *pattern != '\0'; pattern++) {
    if (*pattern != '#') {
      if (*text++ != *pattern) return false;
      continue;
    }
    if (*text < '0' || *text > '9') return false;
    while (*text >= '0' && *text <= '9')
      text++;
  }
  return *text == '\0';
}

static void check_paths(const struct loaded *loaded, const char *partial, const char *final) {
  char path[DARSHAN_PATH_ROOM], done[DARSHAN_PATH_ROOM], again[DARSHAN_PATH_ROOM];
  size_t length = darshan_partial_path(path, sizeof(path), &loaded->config, &identity);
  assert_int_equal(length, strlen(path));
  if (!looks_like(path, partial)) fail_msg("%s does not look like %s", path, partial);
  length = darshan_final_path(done, sizeof(done), &loaded->config, &identity, path, 6);
  assert_int_equal(length, strlen(done));
  if (!looks_like(done, final)) fail_msg("%s does not look like %s", done, final);
  if (loaded->config.logfile != NULL) return;
  assert_memory_equal(path, done, strlen(path) - strlen(".darshan_partial"));
  usleep(2); /* the number is computed from microseconds */
  darshan_partial_path(again, sizeof(again), &loaded->config, &identity);
  assert_string_not_equal(path, again);
}

static void names_of_logs(void **state) {
  (void)state;
  /* 1700000000 is 2023-11-14 22:13:20 UTC. */
  check_paths(LOAD("DARSHAN_LOGPATH=/l", "LOGNAME=me", "TZ="),
              "/l/me_prog_id4711-99_11-14-80000-#.darshan_partial",
              "/l/me_prog_id4711-99_11-14-80000-#_7.darshan");
  check_paths(LOAD("DARSHAN_LOGPATH=/l", "LOGNAME=verylongname", "TZ=JST-9"),
              "/l/verylong_prog_id4711-99_11-15-26000-#.darshan_partial",
              "/l/verylong_prog_id4711-99_11-15-26000-#_7.darshan");
  check_paths(LOAD("DARSHAN_LOGPATH=/l", "LOGNAME=me", "TZ=ABC-9", "DARSHAN_LOGPATH_DATED="),
              "/l/2023/11/15/me_prog_id4711-99_11-15-26000-#.darshan_partial",
              "/l/2023/11/15/me_prog_id4711-99_11-15-26000-#_7.darshan");
  check_paths(LOAD("DARSHAN_LOGPATH=/l", "LOGNAME=../../x", "TZ="),
              "/l/.._.._x_prog_id4711-99_11-14-80000-#.darshan_partial",
              "/l/.._.._x_prog_id4711-99_11-14-80000-#_7.darshan");
  check_paths(LOAD("DARSHAN_LOGFILE=/l/my.darshan"), "/l/my.darshan-99.darshan_partial",
              "/l/my.darshan");
  char pattern[64], end[64];
  snprintf(pattern, sizeof(pattern), "/l/%u_prog_id4711-99_11-14-80000-#.darshan_partial",
           (unsigned)geteuid());
  snprintf(end, sizeof(end), "/l/%u_prog_id4711-99_11-14-80000-#_7.darshan", (unsigned)geteuid());
  check_paths(LOAD("DARSHAN_LOGPATH=/l", "TZ=", "LOGNAME="), pattern, end);
}

static void a_file_name_is_never_too_long(void **state) {
  (void)state;
  char program[600], path[DARSHAN_PATH_ROOM];
  memset(program, 'p', sizeof(program));
  program[sizeof(program) - 1] = '\0';
  struct darshan_log_identity large = {
      .jobid = INT64_MIN, .pid = INT64_MIN, .rank = INT64_MAX, .start_time = 1700000000};
  struct loaded *loaded = load_config(
      (const char *const[LOAD_VARIABLES]){"DARSHAN_LOGPATH=/l", "LOGNAME=12345678"}, NULL, program);
  assert_true(darshan_partial_path(path, sizeof(path), &loaded->config, &large) > 0);
  assert_true(strlen(strrchr(path, '/') + 1) <= 255);
  assert_true(darshan_journal_path(path, sizeof(path), &loaded->config, &large) > 0);
  assert_true(strlen(strrchr(path, '/') + 1) <= 255);
}

static void a_path_that_does_not_fit(void **state) {
  (void)state;
  char path[64], done[64];
  struct loaded *loaded = LOAD("DARSHAN_LOGPATH=/123456789/123456789", "LOGNAME=me", "TZ=");
  assert_true(darshan_partial_path(path, 48, &loaded->config, &identity) > 0);
  assert_string_equal(path, "/123456789/123456789/id4711.darshan_partial");
  assert_true(darshan_final_path(done, sizeof(done), &loaded->config, &identity, path, 0) > 0);
  assert_string_equal(done, "/123456789/123456789/id4711_1.darshan");
  assert_int_equal(darshan_partial_path(path, 40, &loaded->config, &identity), 0);
  assert_int_equal(
      darshan_final_path(done, 14, &loaded->config, &identity, "/x/y.darshan_partial", 0), 0);
  assert_int_equal(darshan_journal_path(path, 40, &loaded->config, &identity), 0);
}

static void names_of_journals(void **state) {
  (void)state;
  char path[DARSHAN_PATH_ROOM], other[DARSHAN_PATH_ROOM];
  struct darshan_log_identity neighbour = identity;
  neighbour.pid++;
  struct loaded *loaded = LOAD("DARSHAN_MMAP_LOGPATH=/m", "LOGNAME=me");
  assert_true(darshan_journal_path(path, sizeof(path), &loaded->config, &identity) > 0);
  assert_true(darshan_journal_path(other, sizeof(other), &loaded->config, &neighbour) > 0);
  assert_true(looks_like(path, "/m/me_prog_id4711_mmap-log-#-3.darshan"));
  assert_string_not_equal(path, other);
}

static void folders_are_made(void **state) {
  (void)state;
  char top[] = "/tmp/darshan-logname-XXXXXX", path[256];
  struct stat info;
  assert_non_null(mkdtemp(top));
  mode_t mask = umask(022);
  snprintf(path, sizeof(path), "%s/a//b/c/file", top);
  assert_int_equal(darshan_make_folders(path, 0), 0);
  assert_int_equal(darshan_make_folders(path, 0), 0);
  assert_int_equal(stat(path, &info), -1);
  snprintf(path, sizeof(path), "%s/a/b/c", top);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 07777, 0755);
  assert_int_equal(darshan_make_folders("file", 0), 0);
  assert_int_equal(darshan_make_folders("/file", 0), 0);
  snprintf(path, sizeof(path), "%s/file", top);
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  assert_true(fd >= 0);
  close(fd);
  snprintf(path, sizeof(path), "%s/file/folder/log", top);
  assert_int_equal(darshan_make_folders(path, 0), -ENOTDIR);
  static const char *const made[] = {"file", "a/b/c", "a/b", "a", ""};
  for (size_t i = 0; i < COUNT_OF(made); i++) {
    snprintf(path, sizeof(path), "%s/%s", top, made[i]);
    assert_int_equal(remove(path), 0);
  }
  umask(mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dates_are_those_of_libc),
      cmocka_unit_test(offsets_are_those_of_libc),
      cmocka_unit_test(rules_change_at_the_second),
      cmocka_unit_test(a_rule_without_days),
      cmocka_unit_test(zone_files),
      cmocka_unit_test(damaged_zone_files_do_no_harm),
      cmocka_unit_test(names_of_logs),
      cmocka_unit_test(a_file_name_is_never_too_long),
      cmocka_unit_test(a_path_that_does_not_fit),
      cmocka_unit_test(names_of_journals),
      cmocka_unit_test(folders_are_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
