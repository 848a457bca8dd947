/* Makes rows of MPI communication. An APMPI record has counters of more than 70 calls, most of
 * which a program never makes. So each call that the program made is a row, instead of some 640
 * columns. */
#include "columns.h"

#include <ctype.h>

enum { SIZES = 6, COUNTERS = 2 + SIZES /* of a call with byte counts */, TIMES = 3 };

struct call {
  const char *name; /* in capitals, as in the counters: "ALLREDUCE" */
  bool sized, sync; /* the record has byte counts; it has the time of waiting for other ranks */
};
static const struct call calls[] = {
#define APMPI_CALL(name, sized, sync) {#name, sized, sync},
#include "modules/apmpi/counted.def"
};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

/* Adds the call's name in MPI's spelling, for example "MPI_Allreduce" for "ALLREDUCE", to the texts
 * of the batch. Returns the index of the text. */
static uint64_t title(darshan_batch *batch, const char *name) {
  char text[64] = "MPI_";
  enum { PREFIX = 4 };
  for (size_t i = 0; name[i] && PREFIX + i + 1 < sizeof(text); i++)
    text[PREFIX + i] = (char)(i > 0 ? tolower((unsigned char)name[i]) : name[i]);
  return batch_text(batch, text);
}

/* Returns the value, or -1 if it is so large that the record must be corrupt. */
static uint64_t whole(uint64_t value) {
  return value > INT64_MAX ? UINT64_MAX : value;
}

/* Fills the row of the function calls[call]. counters: its counters in the record. wait: its
 * waiting time in seconds; NULL if the record has none, the row then gets -1. */
static void fill(darshan_batch *batch, uint64_t *row, const struct darshan_apmpi_record *record,
                 int call, const uint64_t *counters, const double *wait) {
  const struct darshan_apmpi_head *head = &batch->calls;
  char processor[sizeof(record->processor) + 1] = "";
  memcpy(processor, record->processor, sizeof(record->processor));
  const bool known = head->magic == APMPI_MAGIC, measured = known && head->sync && wait;
  row_begin(batch, row);
  row += ROW_HEAD;
  *row++ = batch_text(batch, processor);
  *row++ = title(batch, calls[call].name);
  for (int i = 0; i < COUNTERS; i++)
    *row++ = i == 0 || calls[call].sized ? whole(counters[i]) : UINT64_MAX;
  for (int i = 0; i < TIMES; i++)
    *row++ = row_bits(record->times[TIMES * call + i]);
  *row++ = row_bits(measured ? *wait : -1.0);
  *row++ = row_bits(known ? head->variance_of_time : -1.0);
  *row = row_bits(known && head->sync ? head->variance_of_sync_time : -1.0);
}

bool call_rows(darshan_batch *batch, struct table *table) {
  const struct darshan_apmpi_record *record = batch->record;
  const struct darshan_apmpi_head *head = batch->record;
  if (head->magic == APMPI_MAGIC) {
    memcpy(&batch->calls, head, sizeof(batch->calls));
    return true;
  }
  const uint64_t *counters = record->counters;
  const double *wait = record->sync_times;
  for (int i = 0; i < CALLS; i++) {
    if (i >= batch->row_of_record && counters[0] != 0) {
      uint64_t *row = batch_is_full(batch) ? NULL : batch_row(batch, table);
      batch->row_of_record = i;
      if (!row) return false;
      fill(batch, row, record, i, counters, calls[i].sync ? wait : NULL);
    }
    counters += calls[i].sized ? COUNTERS : 1;
    wait += calls[i].sync;
  }
  return true;
}
