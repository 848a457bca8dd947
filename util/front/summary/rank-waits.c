/* Adds up the bins of MPIWAIT. See rank-waits.h. */
#include "rank-waits.h"

#include "records.h"

enum { NS_PER_SECOND = 1000000000 };

/* Returns the seconds in the bins of a record, which is untrusted: a bin cannot hold more than its
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
