/* Judges whether a process left correct records. The bounds are the results of the same program
 * with the signal outside the runtime: before or after the call. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "darshan-read.h"
#include "target.h"

struct bounds {
  int64_t low, high;
};

/* Returns the counter with this index in the result's row that has the module and id of `like`; 0
 * if there is no such row. */
static int64_t value(const struct result *result, const struct row *like, int counter) {
  for (size_t i = 0; i < result->rows; i++)
    if (result->row[i].module == like->module && result->row[i].id == like->id)
      return result->row[i].counter[counter];
  return 0;
}

static int has_rows(const struct result *result, int module) {
  for (size_t i = 0; i < result->rows; i++)
    if (result->row[i].module == module) return 1;
  return 0;
}

/* Returns the sum of the bytes that all call sites wrote. */
static int64_t written_by_sites(const struct result *result) {
  const struct darshan_counter *counter = darshan_module_by_id(DARSHAN_MOD_SITES)->counters;
  int64_t sum = 0;
  while (strcmp(counter->name, "SITES_BYTES_WRITTEN") != 0)
    counter++;
  for (size_t i = 0; i < result->rows; i++)
    if (result->row[i].module == DARSHAN_MOD_SITES) sum += result->row[i].counter[counter->index];
  return sum;
}

static void widen(struct bounds *bounds, int64_t value) {
  if (value < bounds->low) bounds->low = value;
  if (value > bounds->high) bounds->high = value;
}

/* Returns 1 if the counter depends on the order or the duration of calls, so that it is not
 * compared; otherwise 0. */
static int is_loose(const struct darshan_counter *counter) {
  switch (counter->rule) {
  case DARSHAN_RULE_SUM:
  case DARSHAN_RULE_SUM_OR_UNKNOWN:
  case DARSHAN_RULE_MAX:
    break;
  default:
    return 1;
  }
  /* The runtime may take an interrupted call on a stream for the data movement of an inlined
   * macro. */
  if (strcmp(counter->name, "POSIX_EXT_INLINED") == 0) return 1;
  /* The same applies to the bytes of that call. */
  if (strncmp(counter->name, "STDIO_EXT_", 10) == 0) return 1;
  if (strncmp(counter->name, "SITES_GAPS_", 11) == 0) return 1;
  return strstr(counter->name, "SITES_CONSECUTIVE") || strstr(counter->name, "SITES_FORWARD") ||
         strstr(counter->name, "SITES_BACKWARD") || strstr(counter->name, "SITES_REPEATED") ||
         strstr(counter->name, "SEQ_") || strstr(counter->name, "CONSEC_") ||
         strstr(counter->name, "SWITCHES") || strstr(counter->name, "STRIDE") ||
         strstr(counter->name, "TIME_SIZE");
}

/* Returns 1 if a handler's I/O may be recorded in this module as part of the interrupted call,
 * otherwise 0: during a call of an upper layer, the runtime cannot distinguish a handler from the
 * library. */
static int may_be_shared(const struct judge *judge, const struct result *result, int module) {
  if (judge->action != ACTION_IO && judge->action != ACTION_FORK) return 0;
  if (module == DARSHAN_MOD_LAYERS) return 1;
  return module == DARSHAN_MOD_SITES && has_rows(result, DARSHAN_MOD_LAYERS);
}

/* Returns 1 if each counter of the row that `result` has for this record is between those of the
 * references; otherwise 0, with the reason in `why`. row: a row of the result or of a reference. */
static int row_is_right(const struct judge *judge, const struct result *result,
                        const struct row *row, char *why, size_t room) {
  const struct darshan_module *module = darshan_module_by_id(row->module);
  /* The kernel's usage counters include the work of the runtime and of the harness. */
  if (row->module == DARSHAN_MOD_USAGE) return 1;
  if (may_be_shared(judge, result, row->module)) return 1;
  for (const struct darshan_counter *counter = module->counters; counter->name[0]; counter++) {
    if (counter->index < 0 || is_loose(counter)) continue;
    struct bounds bounds = {INT64_MAX, INT64_MIN};
    for (int i = 0; i < REFERENCES; i++) {
      if (!judge->have[i]) continue;
      /* Without a signal no handler does I/O, so this reference applies only if calls were
       * dropped. */
      if (i == NO_SIGNAL && judge->have[AFTER_CALL] && result->dropped == 0) continue;
      widen(&bounds, value(&judge->reference[i], row, counter->index));
    }
    int64_t is = value(result, row, counter->index);
    if (is >= bounds.low && is <= bounds.high) continue;
    snprintf(why, room, "%s is %lld, not %lld to %lld (dropped %llu)", counter->name, (long long)is,
             (long long)bounds.low, (long long)bounds.high, (unsigned long long)result->dropped);
    return 0;
  }
  return 1;
}

static int rows_are_right(const struct judge *judge, const struct result *result,
                          const struct result *of, char *why, size_t room) {
  for (size_t i = 0; i < of->rows; i++)
    if (!row_is_right(judge, result, &of->row[i], why, room)) return 0;
  return 1;
}

static int talk_is_right(const struct judge *judge, const struct result *result, char *why,
                         size_t room) {
  struct bounds bounds = {INT64_MAX, INT64_MIN};
  for (int i = 0; i < REFERENCES; i++)
    if (judge->have[i]) widen(&bounds, judge->reference[i].talked);
  if (result->talked >= bounds.low && result->talked <= bounds.high) return 1;
  snprintf(why, room, "calls of MPI add up to %lld, not %lld to %lld", (long long)result->talked,
           (long long)bounds.low, (long long)bounds.high);
  return 0;
}

/* Returns 1 if the call sites wrote as many bytes as in a reference, else 0 with a reason in `why`.
 * Bytes that a handler wrote during a call of an upper layer belong to exactly one of the sites.
 * They belong to no site if the call never ends in this process, or if its bytes are those that it
 * requested of MPI-IO. */
static int sites_are_right(const struct judge *judge, const struct result *result, char *why,
                           size_t room) {
  struct bounds bounds = {INT64_MAX, INT64_MIN};
  int may_lack =
      judge->action == ACTION_FORK || result->dropped || has_rows(result, DARSHAN_MOD_MPIIO);
  if (!may_be_shared(judge, result, DARSHAN_MOD_SITES)) return 1;
  for (int i = 0; i < REFERENCES; i++)
    if (judge->have[i] && (i != NO_SIGNAL || may_lack))
      widen(&bounds, written_by_sites(&judge->reference[i]));
  int64_t is = written_by_sites(result);
  if (is >= bounds.low && is <= bounds.high) return 1;
  snprintf(why, room, "the sites wrote %lld bytes, not %lld to %lld", (long long)is,
           (long long)bounds.low, (long long)bounds.high);
  return 0;
}

static int same_data(const struct result *a, const struct result *b) {
  return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0);
}

int judge_says(const struct judge *judge, const struct result *result, char *why, size_t room) {
  int status = 0, data = 0;
  if (result->problem[0]) {
    snprintf(why, room, "%s", result->problem);
    return 0;
  }
  for (int i = 0; i < REFERENCES; i++) {
    if (!judge->have[i]) continue;
    status |= judge->reference[i].status == result->status;
    data |= same_data(&judge->reference[i], result);
  }
  if (!status || !data) {
    snprintf(why, room, status ? "the file has other bytes" : "it ended with %#x", result->status);
    return 0;
  }
  if (!talk_is_right(judge, result, why, room)) return 0;
  if (!sites_are_right(judge, result, why, room)) return 0;
  if (!rows_are_right(judge, result, result, why, room)) return 0;
  for (int i = 0; i < REFERENCES; i++)
    if (judge->have[i] && !rows_are_right(judge, result, &judge->reference[i], why, room)) return 0;
  return 1;
}
