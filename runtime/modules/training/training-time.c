/* Adds the times in which a training waited for data and made batches to the bins of TRAINING_TIME
 * (training-time.h). */
#include "training-time.h"

#include <string.h>

#include "../../door/door.h"
#include "../heatmap/heatmap.h"
#include "record-id.h"
#include "training-records.h"

/* Nanoseconds of a unit of the bins, and bytes of a record's name. */
enum { NS_PER_UNIT = 1000000, NAME_BYTES = 48 };

static const char *const names[TRAINING_TIMES] = {
    [TIME_OF_EPOCHS] = "heatmap:epochs",
    [TIME_OF_BATCHES] = "heatmap:batches",
    [TIME_ON_PROCESSORS] = "heatmap:processors",
};

/* State of one kind of time. */
struct series {
  uint32_t number; /* number of its record; NO_RECORD: no record */
  int is_refused;  /* 1: the record could not be made */
  int64_t left[2]; /* nanoseconds of `whole` and `part` that do not yet fill a unit of the bins */
  /* Time that was added before the record existed: making a fetcher counts as a fetch, and the
   * process learns only afterwards that it is a worker. */
  uint64_t t1, t2; /* in ticks; 0: no such time */
  int64_t whole, part;
};
static struct series series[TRAINING_TIMES];

void training_time_forked(void) {
  const struct series *epochs = &series[TIME_OF_EPOCHS], *batches = &series[TIME_OF_BATCHES];
  if (epochs->number || batches->number || batches->t2)
    memset(series, 0, sizeof(series)); /* a needless write would copy the page */
}

double training_time_last(void) {
  return 0;
}

/* Returns the record of a kind, or NULL if it has none. */
static struct heatmap_record *record_of(enum training_time kind) {
  if (!series[kind].number) return NULL;
  return store_record(&darshan_store, STORE_TRAINING_TIME, series[kind].number);
}

void training_time_agree(double seconds) {
  for (int kind = 0; kind < TRAINING_TIMES; kind++) {
    struct heatmap_record *record = record_of((enum training_time)kind);
    if (record) heatmap_reach(record, seconds);
  }
}

/* Writes the name of a record, for example "heatmap:batches", or "heatmap:batches:3" for worker 3
 * (negative: no worker), without a NUL. Returns its length. */
static size_t name_record(char name[NAME_BYTES], enum training_time kind, int64_t worker) {
  size_t length = strlen(names[kind]), digits = 0;
  memcpy(name, names[kind], length);
  if (worker < 0) return length;
  name[length++] = ':';
  for (int64_t rest = worker; digits == 0 || rest > 0; rest /= 10)
    digits++;
  for (size_t i = digits; i-- > 0; worker /= 10)
    name[length + i] = (char)('0' + worker % 10);
  return length + digits;
}

/* Makes the record of a kind, or marks the kind as refused if there is no space. worker: number of
 * this process as a worker; negative: it is not a worker. The caller holds training_lock and the
 * store's lock. */
static void make_record(enum training_time kind, int64_t worker) {
  struct record_store *store = &darshan_store;
  char name[NAME_BYTES];
  size_t length = name_record(name, kind, worker);
  struct store_entry *entry = store_enter(store, darshan_hash(name, length, 0), name, length);
  struct heatmap_record *made = entry ? store_next_record(store, STORE_TRAINING_TIME) : NULL;
  if (made) {
    heatmap_begin(made);
    series[kind].number = store_new_record(store, STORE_TRAINING_TIME, entry);
  }
  series[kind].is_refused = !series[kind].number;
  if (series[kind].is_refused) runtime_lost_part();
}

void training_time_begin(enum training_time kind, int64_t worker) {
  if (LIKELY(series[kind].number) || series[kind].is_refused) return;
  if (runtime_phase() == RUNTIME_FINISHED || !module_is_on(DARSHAN_MOD_TRAINING_TIME)) return;
  record_make_room(STORE_TRAINING_TIME);
  if (!record_lock(&training_lock)) return;
  if (!series[kind].number && store_lock(&darshan_store)) {
    make_record(kind, worker);
    store_unlock(&darshan_store);
  }
  record_unlock(&training_lock);
}

int64_t training_nanoseconds(uint64_t ticks) {
  return (int64_t)((double)ticks * clock_tick(&darshan_hot.clock) * NS_PER_SECOND);
}

/* Adds nanoseconds to a series of bins, spread over the seconds `at`. A rest that is smaller than a
 * unit (1 ms) stays in *left for the next call. */
static void add(const struct heatmap_record *record, int64_t *bins, int64_t *left, int64_t ns,
                struct clock_span at) {
  int64_t sum = *left + (ns > 0 ? ns : 0);
  if (sum >= NS_PER_UNIT) heatmap_spread(record, bins, sum / NS_PER_UNIT, at.start, at.end);
  *left = sum % NS_PER_UNIT;
}

/* Adds time from t1 to t2 (ticks), of `whole` and `part` nanoseconds, to the time that is added to
 * the bins when the record exists. */
static void keep(struct series *to, uint64_t t1, uint64_t t2, int64_t whole, int64_t part) {
  if (!to->t2) to->t1 = t1;
  to->t2 = t2;
  to->whole += whole;
  to->part += part;
}

void training_time_add(enum training_time kind, uint64_t t1, uint64_t t2, int64_t whole,
                       int64_t part) {
  struct series *to = &series[kind];
  struct heatmap_record *record = record_of(kind);
  if (t2 < t1 || to->is_refused) return;
  if (!record) {
    keep(to, t1, t2, whole, part);
    return;
  }
  if (to->t2) {
    uint64_t end = to->t2;
    to->t2 = 0;
    training_time_add(kind, to->t1, end, to->whole, to->part);
    to->whole = to->part = 0;
  }
  struct clock_span at = ticks_span(t1, t2);
  heatmap_reach(record, at.end);
  add(record, record->written, &to->left[0], whole, at);
  add(record, record->read, &to->left[1], part < whole ? part : whole, at);
}
