/* Paths of the files that the runtime writes, and the local time in these paths. Uses no libc
 * functions, which allocate and take locks (local-time.c). */
#ifndef DARSHAN_LOGNAME_H
#define DARSHAN_LOGNAME_H

#include <stddef.h>
#include <stdint.h>

#include "../../names/path-buffers.h"
#include "../config/config.h"

/* How DARSHAN_LOGFILE decides the path of a process's log. */
enum darshan_log_naming {
  DARSHAN_NAME_GIVEN,    /* the log gets that path; if it exists, no log is written */
  DARSHAN_NAME_NUMBERED, /* the log gets that path; if it exists, a number is appended */
  DARSHAN_NAME_MADE      /* another log gets that path, so this log gets a generated name */
};

struct darshan_log_identity {
  int64_t jobid;
  int64_t pid;        /* of rank 0 for a job's log; of this process for another log and a journal */
  int64_t rank;       /* of this process, for the journal */
  int64_t start_time; /* seconds since the epoch */
  enum darshan_log_naming naming;
  uint64_t unique;  /* number of the job, in the names of its journals; 0: a number is generated */
  const char *part; /* path of the process's part of a run's log; NULL: the process writes a log */
};

/* Stores the path under which a log is written before it is complete. A generated name is new at
 * every call; the path of a part or of DARSHAN_LOGFILE is always the same. Returns the path's
 * length, or 0 if it does not fit into room. */
size_t darshan_partial_path(char *out, size_t room, const struct darshan_config *config,
                            const struct darshan_log_identity *identity);

/* Stores the path to which a complete log is renamed; the caller must not replace an existing file.
 * The path is identity->part or DARSHAN_LOGFILE if the log has such a name, otherwise `partial`
 * (the path of darshan_partial_path) with shutdown_seconds + 1 in its name. shutdown_seconds: whole
 * seconds that writing the log took. Returns the path's length, or 0 if the path does not fit into
 * room. */
size_t darshan_final_path(char *out, size_t room, const struct darshan_config *config,
                          const struct darshan_log_identity *identity, const char *partial,
                          int64_t shutdown_seconds);

/* Stores the path of a journal of this process. The path is new in every call, except for a rank of
 * a job with a unique number, whose path is always the same. Returns the path's length, or 0 if it
 * does not fit into room. */
size_t darshan_journal_path(char *out, size_t room, const struct darshan_config *config,
                            const struct darshan_log_identity *identity);

/* Makes the missing folders above the last component of path, with mode 0755. The last `shared` of
 * these folders get mode 01777 if their parent has it, because the folders of a day serve all
 * users. Returns 0 or -errno. */
int darshan_make_folders(const char *path, int shared);
/* Returns the number of folders between LOGPATH and a log: 3 (year, month, day), or 0. */
int darshan_dated_levels(const struct darshan_config *config);

/* Returns the seconds to add to UTC at this time (seconds since the epoch). timezone: value of TZ,
 * the name of a zone file or a rule; NULL: the zone of /etc/localtime. Returns 0 (UTC, as in libc)
 * if it is empty or is neither a file that can be read nor a rule. */
int64_t darshan_utc_offset(const char *timezone, int64_t seconds);

/* Returns the offset of local time from UTC in seconds, as darshan_utc_offset does, from the
 * content of a time zone file (RFC 8536). Returns 0 if the content is damaged. */
int64_t darshan_zone_offset(const unsigned char *zone, size_t length, int64_t seconds);

/* Returns the offset of local time from UTC in seconds, as darshan_utc_offset does, by a rule such
 * as "CET-1CEST,M3.5.0,M10.5.0/3". Returns 0 if the text is not a rule, and the offset of standard
 * time if its dates are damaged. */
int64_t darshan_rule_offset(const char *rule, size_t length, int64_t seconds);

struct darshan_date {
  int64_t year;
  int month, day; /* from 1 */
};

/* darshan_date_of_day returns the date in the Gregorian calendar for a number of days since
 * 1970-01-01. darshan_day_of_date returns the number of days for a date. */
struct darshan_date darshan_date_of_day(int64_t days);
int64_t darshan_day_of_date(int64_t year, int month, int day);

#endif
