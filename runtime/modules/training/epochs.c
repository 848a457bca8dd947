/* Makes the TRAINING records of loaders (loops over a DataLoader), of their epochs and of the rank,
 * and counts in them how long the program waited for batches. */
#include <string.h>

#include "../../door/door.h"
#include "../../intercept/stack.h"
#include "record-id.h"
#include "training-records.h"
#include "training-time.h"

uint32_t training_on;

enum { ITERATORS = 64 /* iterators in use at a time */ };

/* The running epoch of an iterator. */
struct iterator {
  const void *address; /* address of the Python object; NULL: the slot is free */
  uint64_t used;       /* value of state.uses at its last event */
  /* Numbers of the records; NO_RECORD: no record. */
  uint32_t loader, epoch, rank;
  uint64_t end;           /* end of its last event, in ticks */
  int has_begun, is_over; /* __next__ was called; __next__ raised StopIteration */
};

static struct {
  uint64_t uses;
  uint64_t counted; /* TRAINING_TIME contains the time up to these ticks */
  struct iterator iterator[ITERATORS];
} state;

int training_prepare(void) {
  if (!module_is_on(DARSHAN_MOD_TRAINING)) return 0;
  store_guard(&darshan_store, &training_lock, 0);
  training_on = 1;
  return 0;
}

/* Called in a forked child: forgets the parent's iterators. The child does not continue them:
 * PyTorch's workers leave the parent's loop at once. */
void training_forked(void) {
  memset(&state, 0, sizeof(state));
  training_worker_forked();
}

/* --- records ----------------------------------------------------------------------------- */

/* Writes the name of the record of a part of a loader's epochs, for example "epoch 3 of LOADER" or
 * "rank 1 of LOADER". part: "epoch " or "rank ". loader: the loader's id, written in
 * hexadecimal. */
static void name_part(struct site_name *name, const char *part, int64_t number, uint64_t loader) {
  name->length = 0;
  name->is_full = 0;
  site_name_add(name, part);
  site_name_add_number(name, (uint64_t)number);
  site_name_add(name, " of ");
  site_name_add_hex(name, loader);
}

/* Adds the time from `from` to t2 (ticks) to TRAINING_TIME as time of epochs, and the time from t1
 * to t2 also as a wait for data. If loops are nested, each time is added only once. The caller
 * holds training_lock. */
static void add_to_time(uint64_t from, uint64_t t1, uint64_t t2) {
  int64_t ns;
  if (from < state.counted) from = state.counted;
  if (t1 < from) t1 = from;
  if (t2 <= from) return;
  ns = training_nanoseconds(t1 - from);
  training_time_add(TIME_OF_EPOCHS, from, t1, ns, 0);
  ns = training_nanoseconds(t2 - t1);
  training_time_add(TIME_OF_EPOCHS, t1, t2, ns, ns);
  state.counted = t2;
}

/* --- an epoch begins --------------------------------------------------------------------- */

static void take_name(void *id) {
  struct site_name name;
  training_name_loader(&name);
  *(uint64_t *)id = darshan_hash(name.text, name.length, 0);
}

/* Returns the number of the epoch that begins now over the loader with this id. Looks at the
 * iterators of the last epochs, so it is 1 again for a loader that was not used for long. */
static int64_t next_epoch(uint64_t id) {
  for (int i = 0; i < ITERATORS; i++) {
    const struct darshan_training_record *loader = training_record_at(state.iterator[i].loader);
    if (loader && loader->base.id == id) return loader->counters[TRAINING_EPOCHS] + 1;
  }
  return 1;
}

uint64_t training_loader_begins(void) {
  uint64_t before = training_thread.loader, id = 0;
  if (runtime_phase() != RUNTIME_FINISHED) stack_run(take_name, &id);
  training_thread.loader = id;
  training_thread.epoch = id ? next_epoch(id) : 0;
  return before;
}

/* The arguments of training_epoch_began. */
struct beginning {
  const void *iterator;
  const struct training_settings *settings;
  uint64_t t1, t2;
};

static void fill(struct darshan_training_record *record, const struct beginning *beginning,
                 enum training_kind kind, uint64_t loader) {
  training_fill(record, kind, loader, beginning->settings);
  record->fcounters[TRAINING_F_START_TIMESTAMP] = ticks_span(beginning->t1, beginning->t2).start;
}

/* Counts the begin of an epoch, with the time of __iter__ and its fetches, in the record of the
 * epoch, of its loader or of the rank. */
static void count_begin(struct darshan_training_record *record, const struct beginning *beginning) {
  struct clock_span at = ticks_span(beginning->t1, beginning->t2);
  record->counters[TRAINING_EPOCHS]++;
  record->fcounters[TRAINING_F_ITER_TIME] += clock_length(at);
  record->fcounters[TRAINING_F_EPOCH_TIME] += clock_length(at);
  record->fcounters[TRAINING_F_END_TIMESTAMP] = at.end;
  training_add_fetches(record, &training_thread.sums);
}

/* Returns the slot of the iterator at this address: its own slot, otherwise a free slot, otherwise
 * the slot that was unused for the longest time. */
static struct iterator *place_of(const void *address) {
  struct iterator *oldest = &state.iterator[0];
  for (int i = 0; i < ITERATORS; i++) {
    struct iterator *iterator = &state.iterator[i];
    if (iterator->address == address) return iterator;
    if (iterator->used < oldest->used) oldest = iterator;
  }
  return oldest;
}

/* Makes or finds the record of a part of the loader's epochs: of one epoch or of one rank (part,
 * number: as in name_part), and counts the begin of an epoch in it. Writes its name to `name`.
 * Returns the record's number, or NO_RECORD if there is no space. */
static uint32_t add_part(struct site_name *name, const char *part, int64_t number,
                         const struct beginning *beginning, enum training_kind kind,
                         uint64_t loader) {
  int is_new;
  name_part(name, part, number, loader);
  uint32_t found = training_record_of(name, &is_new);
  struct darshan_training_record *record = training_record_at(found);
  if (!record) return NO_RECORD;
  if (is_new) fill(record, beginning, kind, loader);
  record->counters[kind == RECORD_OF_RANK ? TRAINING_RANK : TRAINING_EPOCH] = number;
  count_begin(record, beginning);
  return found;
}

/* Makes or finds the records of the epoch, its loader, and the rank that a launcher gave this
 * process, and stores their numbers in *iterator. name: in: that of the loader; overwritten. After
 * the logs of several processes are merged, processes that run the same loop share the first two.
 * The caller holds training_lock and the store's lock. */
static void add_records(struct iterator *iterator, struct site_name *name,
                        const struct beginning *beginning) {
  int is_new;
  iterator->loader = training_record_of(name, &is_new);
  struct darshan_training_record *loader = training_record_at(iterator->loader);
  if (!loader) {
    runtime_table_full();
    return;
  }
  uint64_t id = loader->base.id;
  if (is_new) fill(loader, beginning, RECORD_OF_LOADER, id);
  count_begin(loader, beginning);
  int64_t number = loader->counters[TRAINING_EPOCHS], rank = launched_rank();
  if (rank >= 0) iterator->rank = add_part(name, "rank ", rank, beginning, RECORD_OF_RANK, id);
  if (number <= LONGEST_EPOCHS)
    iterator->epoch = add_part(name, "epoch ", number, beginning, RECORD_OF_EPOCH, id);
}

/* Makes the records of an epoch and counts its begin (training_epoch_began). Runs on a stack of the
 * runtime. */
static void begin(void *beginning_) {
  const struct beginning *beginning = beginning_;
  struct site_name name;
  training_name_loader(&name);
  record_make_room(STORE_TRAINING);
  training_time_begin(TIME_OF_EPOCHS, -1);
  if (!record_lock(&training_lock)) return;
  struct iterator *iterator = place_of(beginning->iterator);
  *iterator =
      (struct iterator){.address = beginning->iterator, .used = ++state.uses, .end = beginning->t2};
  if (store_lock(&darshan_store)) {
    add_records(iterator, &name, beginning);
    store_unlock(&darshan_store);
  }
  add_to_time(beginning->t1, beginning->t1, beginning->t2);
  record_unlock(&training_lock);
}

void training_epoch_began(const void *iterator, const struct training_settings *settings,
                          uint64_t t1, uint64_t t2) {
  struct beginning beginning = {iterator, settings, t1, t2};
  if (runtime_phase() != RUNTIME_FINISHED) stack_run(begin, &beginning);
}

/* --- its steps --------------------------------------------------------------------------- */

/* A call of __next__. */
struct step {
  enum training_outcome outcome;
  int is_first;         /* 1: the first one of the epoch */
  struct clock_span at; /* its begin and end, in seconds */
  double since;         /* seconds since the last event of the iterator */
  double processor;     /* processor time, in seconds */
};

static void count_step(struct darshan_training_record *record, const struct step *step) {
  if (!record) return;
  double *times = record->fcounters, seconds = clock_length(step->at);
  record->counters[TRAINING_STEPS] += step->outcome == GAVE_BATCH;
  record->counters[TRAINING_COMPLETE] += step->outcome == GAVE_ALL;
  times[TRAINING_F_NEXT_TIME] += seconds;
  times[TRAINING_F_NEXT_PROCESSOR_TIME] += step->processor;
  times[TRAINING_F_EPOCH_TIME] += step->since;
  times[TRAINING_F_END_TIMESTAMP] = step->at.end;
  training_add_fetches(record, &training_thread.sums);
  if (step->is_first) {
    times[TRAINING_F_FIRST_TIME] += seconds;
  } else if (seconds > times[TRAINING_F_LONGEST_TIME]) {
    times[TRAINING_F_LONGEST_TIME] = seconds;
    times[TRAINING_F_LONGEST_TIMESTAMP] = step->at.start;
  }
}

void training_epoch_went_on(const void *address, enum training_outcome outcome, uint64_t t1,
                            uint64_t t2, uint64_t processor) {
  static const struct training_settings unknown = {-1, -1, -1, -1};
  if (!record_lock(&training_lock)) return;
  struct iterator *iterator = place_of(address);
  if (iterator->address != address) { /* it was not made by DataLoader.__iter__ */
    record_unlock(&training_lock);
    struct training_sums sums = training_thread.sums; /* sums of this step */
    training_thread.sums = (struct training_sums){0};
    training_epoch_began(address, &unknown, t1, t1);
    training_thread.sums = sums;
    if (!record_lock(&training_lock)) return;
    iterator = place_of(address);
  }
  if (iterator->address == address && !iterator->is_over) {
    struct step step = {.outcome = outcome, .is_first = !iterator->has_begun};
    step.at = ticks_span(t1, t2);
    step.since = clock_length(ticks_span(iterator->end, t2));
    step.processor = (double)processor / NS_PER_SECOND;
    add_to_time(iterator->end, t1, t2);
    count_step(training_record_at(iterator->loader), &step);
    count_step(training_record_at(iterator->epoch), &step);
    count_step(training_record_at(iterator->rank), &step);
    iterator->used = ++state.uses;
    iterator->end = t2;
    iterator->has_begun = 1;
    iterator->is_over = outcome == GAVE_ALL;
  }
  record_unlock(&training_lock);
}
