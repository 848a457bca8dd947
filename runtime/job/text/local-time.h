/* Local time without libc, whose functions allocate and take locks. */
#ifndef DARSHAN_LOCAL_TIME_H
#define DARSHAN_LOCAL_TIME_H

#include <stddef.h>
#include <stdint.h>

/* Returns the seconds to add to UTC at this time.  timezone: value of TZ or NULL.  A zone that
 * cannot be read counts as UTC, as with libc. */
int64_t darshan_utc_offset(const char *timezone, int64_t seconds);

/* Like darshan_utc_offset, from the content of a zone file (RFC 8536); returns 0 if it is
 * damaged. */
int64_t darshan_zone_offset(const unsigned char *zone, size_t length, int64_t seconds);

/* Like darshan_utc_offset, from a rule such as "CET-1CEST,M3.5.0,M10.5.0/3"; returns 0 if it is not
 * a rule. */
int64_t darshan_rule_offset(const char *rule, size_t length, int64_t seconds);

struct darshan_date {
  int64_t year;
  int month, day; /* from 1 */
};

/* Converts days since 1970-01-01 to a date of the Gregorian calendar, and back. */
struct darshan_date darshan_date_of_day(int64_t days);
int64_t darshan_day_of_date(int64_t year, int month, int day);

#endif
