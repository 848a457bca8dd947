/* Sums the epochs in TRAINING records, and the bins of MPIWAIT (summary.h). */
#include "summary.h"

#include <math.h>

#include "records.h"

/* Kinds of records: a loop over a DataLoader with the sums of its epochs, and one epoch of it. */
enum { LOADER = 0, EPOCH = 1 };

/* Returns a time from a log; 0 if it is not a plausible time, because logs are untrusted. */
static double time_of(const struct darshan_training_record *record, int counter) {
  static const double longest = 1e9; /* seconds */
  double time = record->fcounters[counter];
  return isfinite(time) && time > 0 && time <= longest ? time : 0;
}

static double number_of(const struct darshan_training_record *record, int counter) {
  int64_t number = record->counters[counter];
  return number > 0 ? (double)number : 0;
}

/* Counts the loops by their record ids: if ranks share no record, each has one of the same id. Does
 * nothing if out of memory. */
static void add_loop(struct epochs *sum, const struct darshan_training_record *record) {
  int is_new;
  double *processes = id_table_get(&sum->loops, record->base.id, &is_new);
  if (!processes) return;
  *processes += number_of(record, TRAINING_PROCESSES);
  if (*processes > sum->processes) sum->processes = *processes;
}

/* Adds one epoch, or that of several processes. An epoch that the program left early has fewer
 * batches, so it does not count here. */
static void add_epoch(struct epochs *sum, const struct darshan_training_record *record) {
  double number = number_of(record, TRAINING_EPOCHS);
  if (!number || number != number_of(record, TRAINING_COMPLETE)) return;
  double each = number_of(record, TRAINING_STEPS) / number;
  if (!sum->fewest || each < sum->fewest) sum->fewest = each;
  if (each > sum->most) sum->most = each;
}

static void add(struct epochs *sum, const struct darshan_training_record *record) {
  add_loop(sum, record);
  double start = time_of(record, TRAINING_F_ITER_TIME);
  double longest = time_of(record, TRAINING_F_LONGEST_TIME);
  sum->number += number_of(record, TRAINING_EPOCHS);
  sum->batches += number_of(record, TRAINING_STEPS);
  sum->whole += time_of(record, TRAINING_F_EPOCH_TIME);
  sum->wait += start + time_of(record, TRAINING_F_NEXT_TIME);
  sum->begin += start + time_of(record, TRAINING_F_FIRST_TIME);
  if (longest > sum->longest) sum->longest = longest;
}

void epochs_add(struct epochs *sum, darshan_log *log) {
  struct darshan_error error = {""};
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_TRAINING, &error);
  const void *record;
  size_t size;
  while (records && darshan_records_next(records, &record, &size, &error) > 0) {
    const struct darshan_training_record *one = record;
    if (one->counters[TRAINING_KIND] == LOADER) add(sum, one);
    if (one->counters[TRAINING_KIND] == EPOCH) add_epoch(sum, one);
  }
  if (records) darshan_records_close(records);
}

enum { NS_PER_SECOND = 1000000000 };

/* Returns the seconds in the bins of a record. Logs are untrusted, so a bin counts at most its
 * width. */
static double seconds_in(const struct darshan_heatmap_head *head) {
  static const double longest = 1e9;
  const int64_t *collective = (const int64_t *)(head + 1), *message = collective + head->nbins;
  double width = head->bin_width_seconds, sum = 0;
  if (!(width > 0 && width < longest)) return 0;
  for (int64_t i = 0; i < head->nbins; i++) {
    double here = ((double)collective[i] + (double)message[i]) / NS_PER_SECOND;
    if (here > 0) sum += here < width ? here : width;
  }
  return sum;
}

double rank_waits_of(darshan_log *log) {
  struct darshan_error error = {""};
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_MPIWAIT, &error);
  const void *record;
  size_t size;
  double sum = 0;
  while (records && darshan_records_next(records, &record, &size, &error) > 0)
    sum += seconds_in(record);
  if (records) darshan_records_close(records);
  return sum;
}
