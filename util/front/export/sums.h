/* The exported sums: one for each job, user and file system. They never decrease, and outlive the
 * processes that they count. Their number is bounded: what is beyond the limit counts as job and
 * file system "other" of its user, and users beyond a quarter of the limit as user "other". */
#ifndef DARSHAN_EXPORT_SUMS_H
#define DARSHAN_EXPORT_SUMS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "values.h"

enum { SUM_JOB, SUM_USER, SUM_FS, SUM_TYPE, SUM_LABELS };
extern const char *const sum_label_names[SUM_LABELS];

enum { SUM_LABEL_ROOM = 129 };
/* Copies a label: valid UTF-8 without controls, of at most 128 bytes. All that comes later can rely
 * on this; two names that become one label have one sum, for a reader refuses the whole text if two
 * rows have the same labels. Returns out. */
const char *sum_label_clean(char out[SUM_LABEL_ROOM], const char *label);

struct sum {
  char *label[SUM_LABELS];       /* clean */
  char *as_prometheus, *as_otlp; /* the labels as these formats write them; NULL: not yet */
  uid_t uid;                     /* of the first process */
  struct values values;
  unsigned processes;    /* that count into it and live */
  double idle_since;     /* seconds; meaningless with processes */
  int64_t began_ns;      /* since the epoch: when the first process began to count */
  unsigned long changed; /* number of the look that changed it last */
};

struct sums {
  struct sum **all; /* the exported ones first */
  size_t count, exported, limit;
  unsigned long look; /* number of the present look, from 1 */
};

/* Returns the sum with these labels, or the one that takes its place beyond the limit; NULL if out
 * of memory. */
struct sum *sums_get(struct sums *sums, uid_t uid, const char *const label[SUM_LABELS],
                     int64_t began_ns, double now);

/* Adds to a sum what `now` has more than `counted`, which becomes the larger of the two. */
void sums_add(const struct sums *sums, struct sum *sum, const struct values *now,
              struct values *counted);

/* Stops to export the sums that have had no process for ten minutes. They are kept, and go on where
 * they were if a process comes back, until very many sums are. */
void sums_retire(struct sums *sums, double now);

void sums_free(struct sums *sums);

#endif
