/* The exported sums: one for each job, user and file system. Sums never decrease, and outlive the
 * processes whose numbers they contain. There is a limit of sums, and a user may have at most a
 * quarter of it. Beyond one of these limits, numbers are added to the job and file system "other"
 * of their user. If as many users as a quarter of the limit have such a sum, all further users
 * share the user "other". */
#ifndef DARSHAN_EXPORT_SUMS_H
#define DARSHAN_EXPORT_SUMS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "values.h"

/* Labels of a sum: job id, user, mount point and type of the file system. */
enum { SUM_JOB, SUM_USER, SUM_FS, SUM_TYPE, SUM_LABELS };
extern const char *const sum_label_names[SUM_LABELS];

enum { SUM_LABEL_ROOM = 129 }; /* bytes of a label, with NUL */
/* Copies a label as valid UTF-8 without control characters, at most 128 bytes. Returns out. All
 * formats need labels in this form. Two names that become the same label share a sum, because a
 * receiver rejects the whole text if two rows have the same labels. */
const char *sum_label_clean(char out[SUM_LABEL_ROOM], const char *label);

struct sum {
  char *label[SUM_LABELS];       /* clean */
  char *as_prometheus, *as_otlp; /* labels in the form of these formats; NULL: not made yet */
  uid_t uid;                     /* user of the first process */
  struct values values;          /* the numbers */
  unsigned processes;            /* number of living processes whose numbers are added to it */
  double idle_since;             /* monotonic time in seconds; meaningless if processes is not 0 */
  int64_t began_ns;      /* start of the process for which the sum was made, ns since the epoch */
  unsigned long changed; /* number of the look that last changed it */
};

struct sums {
  struct sum **all;              /* exported sums come first */
  size_t count, exported, limit; /* number of all sums; of exported ones; limit of the latter */
  unsigned long look;            /* number of the present look, from 1 */
};

/* Returns the sum of a set of clean labels, which is made if necessary; a sum "other" beyond the
 * limits (above); NULL if out of memory. began_ns: start of the process, for a new sum. now:
 * monotonic time in seconds. */
struct sum *sums_get(struct sums *sums, uid_t uid, const char *const label[SUM_LABELS],
                     int64_t began_ns, double now);

/* Adds the increase of the numbers from `counted` to `now` to a sum. Sets each number of `counted`
 * to the larger of both. */
void sums_add(const struct sums *sums, struct sum *sum, const struct values *now,
              struct values *counted);

/* Stops exporting sums that, at the monotonic time `now` in seconds, have had no process for ten
 * minutes. They stay in memory, up to a limit, and are exported again if a process with their
 * labels appears. */
void sums_retire(struct sums *sums, double now);

/* Frees all sums; keeps the limit. */
void sums_free(struct sums *sums);

#endif
