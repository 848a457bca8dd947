/* Computes the offset of local time from UTC by time zone files and rules, and converts days to
 * dates. */
#include "logname.h"

#include <stdbool.h>
#include <string.h>

#include "text.h"

enum { DAY = 86400, HOUR = 3600, ZONE_LIMIT = 1 << 16, ZONE_HEADER = 44, PATH_ROOM = 512 };

/* Days in 400 years, and days from 1 March of the year 0 to 1970-01-01. Here a year begins in
 * March, so that the leap day is its last day; the calendar repeats every 400 years. */
enum { CYCLE_DAYS = 146097, DAYS_TO_1970 = 719468 };

static int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

int64_t darshan_day_of_date(int64_t year, int month, int day) {
  int64_t march_year = year - (month < 3);
  int64_t cycle = floor_divide(march_year, 400), y = march_year - cycle * 400;
  int64_t month_start = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5;
  return cycle * CYCLE_DAYS + y * 365 + y / 4 - y / 100 + month_start + day - 1 - DAYS_TO_1970;
}

struct darshan_date darshan_date_of_day(int64_t days) {
  int64_t cycle = floor_divide(days + DAYS_TO_1970, CYCLE_DAYS);
  int64_t n = days + DAYS_TO_1970 - cycle * CYCLE_DAYS;
  /* The terms remove the leap days before day n from n, so that the rest is 365 days per year. */
  int64_t y = (n - n / 1460 + n / 36524 - n / 146096) / 365;
  int64_t of_year = n - (y * 365 + y / 4 - y / 100);
  int month = (int)((5 * of_year + 2) / 153); /* 0: March */
  int day = (int)(of_year - (153 * month + 2) / 5 + 1);
  int calendar_month = month < 10 ? month + 3 : month - 9;
  return (struct darshan_date){cycle * 400 + y + (calendar_month < 3), calendar_month, day};
}

struct cursor {
  const char *at, *end;
};

static bool take(struct cursor *cursor, char c) {
  if (cursor->at == cursor->end || *cursor->at != c) return false;
  cursor->at++;
  return true;
}

static bool take_number(struct cursor *cursor, int64_t *number) {
  const char *start = cursor->at;
  *number = 0;
  for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
    if (*number < 100000) *number = *number * 10 + (*cursor->at - '0');
  return cursor->at > start;
}

/* Parses "[+-]hh[:mm[:ss]]" into seconds. Returns true, or false if there is no number. */
static bool take_time(struct cursor *cursor, int64_t *seconds) {
  int64_t part;
  bool negative = take(cursor, '-');
  if (!negative) take(cursor, '+');
  if (!take_number(cursor, seconds)) return false;
  *seconds *= HOUR;
  for (int unit = 60; unit >= 1 && take(cursor, ':'); unit /= 60) {
    if (!take_number(cursor, &part)) return false;
    *seconds += part * unit;
  }
  if (negative) *seconds = -*seconds;
  return true;
}

/* Skips a name such as "CET" or "<+03>". Returns true, or false if there is no name. */
static bool take_name(struct cursor *cursor) {
  const char *start = cursor->at;
  if (take(cursor, '<')) {
    while (cursor->at < cursor->end && *cursor->at != '>')
      cursor->at++;
    return take(cursor, '>');
  }
  while (cursor->at < cursor->end && ((*cursor->at | 32) >= 'a' && (*cursor->at | 32) <= 'z'))
    cursor->at++;
  return cursor->at - start >= 3;
}

static bool is_leap(int64_t year) {
  return darshan_day_of_date(year + 1, 1, 1) - darshan_day_of_date(year, 1, 1) == 366;
}

/* Parses ",Mm.w.d[/time]", ",Jn[/time]" or ",n[/time]": the day and time of a change to or from
 * daylight-saving time. Stores this time in the given year, in seconds since the epoch, local time.
 * Returns true, or false if the text has another form. */
static bool take_change(struct cursor *cursor, int64_t year, int64_t *when) {
  int64_t n, month, week, weekday, day, time = 2 * HOUR;
  if (!take(cursor, ',')) return false;
  if (take(cursor, 'M')) {
    if (!take_number(cursor, &month) || !take(cursor, '.') || !take_number(cursor, &week) ||
        !take(cursor, '.') || !take_number(cursor, &weekday) || month < 1 || month > 12)
      return false;
    int64_t first = darshan_day_of_date(year, (int)month, 1);
    int64_t next = month == 12 ? darshan_day_of_date(year + 1, 1, 1)
                               : darshan_day_of_date(year, (int)month + 1, 1);
    /* Uses that 1970-01-01 was a Thursday, and that week 5 means the last week of the month. */
    day = first + (weekday - (first + 4) % 7 + 7) % 7 + (week - 1) * 7;
    while (day >= next)
      day -= 7;
  } else {
    bool without_leap_day = take(cursor, 'J');
    if (!take_number(cursor, &n)) return false;
    day = darshan_day_of_date(year, 1, 1) + n;
    if (without_leap_day && !(is_leap(year) && n >= 60)) day--;
  }
  if (take(cursor, '/') && !take_time(cursor, &time)) return false;
  *when = day * DAY + time;
  return true;
}

int64_t darshan_rule_offset(const char *rule, size_t length, int64_t seconds) {
  static const char usual[] = ",M3.2.0,M11.1.0";
  struct cursor cursor = {rule, rule + length};
  int64_t standard, summer, start, end;
  if (!take_name(&cursor) || !take_time(&cursor, &standard)) return 0;
  standard = -standard; /* a rule has the seconds to add to local time */
  if (!take_name(&cursor)) return standard;
  if (take_time(&cursor, &summer))
    summer = -summer;
  else
    summer = standard + HOUR;
  if (cursor.at == cursor.end) cursor = (struct cursor){usual, usual + sizeof(usual) - 1};
  int64_t year = darshan_date_of_day(floor_divide(seconds + standard, DAY)).year;
  if (!take_change(&cursor, year, &start) || !take_change(&cursor, year, &end)) return standard;
  start -= standard;
  end -= summer;
  bool in_summer =
      start < end ? seconds >= start && seconds < end : !(seconds >= end && seconds < start);
  return in_summer ? summer : standard;
}

static int64_t big_endian(const unsigned char *bytes, size_t n) {
  uint64_t value = bytes[0] & 0x80 ? ~UINT64_C(0) : 0;
  for (size_t i = 0; i < n; i++)
    value = value << 8 | bytes[i];
  return (int64_t)value;
}

/* A block of a time zone file, which has one or two blocks. */
struct block {
  const unsigned char *times, *indices, *types, *end;
  size_t time_size, num_times, num_types;
};

/* Reads the header of the block at `at`, where `length` bytes of the file are left. time_size:
 * bytes of a transition time, 4 or 8. Returns true, or false if the block is damaged or does not
 * lie within the file. */
static bool read_block(struct block *block, const unsigned char *at, size_t length,
                       size_t time_size) {
  size_t count[6]; /* isut, isstd, leap, time, type, char */
  if (length < ZONE_HEADER || memcmp(at, "TZif", 4) != 0) return false;
  for (size_t i = 0; i < 6; i++) {
    count[i] = (size_t)big_endian(at + 20 + 4 * i, 4);
    if (count[i] > length) return false;
  }
  block->time_size = time_size;
  block->num_times = count[3];
  block->num_types = count[4];
  block->times = at + ZONE_HEADER;
  size_t size = ZONE_HEADER + count[3] * (time_size + 1) + count[4] * 6 + count[5] +
                count[2] * (time_size + 4) + count[1] + count[0];
  if (size > length || count[4] == 0) return false;
  block->indices = block->times + count[3] * time_size;
  block->types = block->indices + count[3];
  block->end = at + size;
  return true;
}

int64_t darshan_zone_offset(const unsigned char *zone, size_t length, int64_t seconds) {
  struct block block;
  const unsigned char *end = zone + length;
  if (!read_block(&block, zone, length, 4)) return 0;
  /* In files from version 2 on, the first block is only for readers with 32-bit times. */
  if (zone[4] >= '2' && !read_block(&block, block.end, (size_t)(end - block.end), 8)) return 0;
  size_t before = 0; /* number of transitions up to now */
  while (before < block.num_times &&
         big_endian(block.times + before * block.time_size, block.time_size) <= seconds)
    before++;
  if (before == block.num_times && zone[4] >= '2' && block.end < end && *block.end == '\n') {
    const char *rule = (const char *)block.end + 1;
    const char *newline = memchr(rule, '\n', (size_t)((const char *)end - rule));
    if (newline != NULL && newline > rule)
      return darshan_rule_offset(rule, (size_t)(newline - rule), seconds);
  }
  size_t type = before == 0 ? 0 : block.indices[before - 1];
  return type < block.num_types ? big_endian(block.types + type * 6, 4) : 0;
}

int64_t darshan_utc_offset(const char *timezone, int64_t seconds) {
  char path[PATH_ROOM];
  struct darshan_text text = darshan_text_in(path, sizeof(path));
  if (timezone != NULL && timezone[0] == ':') timezone++;
  if (timezone != NULL && timezone[0] == '\0') return 0;
  if (timezone != NULL && timezone[0] != '/') darshan_text_add(&text, "/usr/share/zoneinfo/");
  darshan_text_add(&text, timezone ? timezone : "/etc/localtime");
  struct darshan_file file;
  if (darshan_text_length(&text) == 0) return 0;
  if (darshan_read_file(&file, path, ZONE_LIMIT) < 0)
    return timezone ? darshan_rule_offset(timezone, strlen(timezone), seconds) : 0;
  int64_t offset = darshan_zone_offset((const unsigned char *)file.bytes, file.length, seconds);
  darshan_release_file(&file);
  return offset;
}
