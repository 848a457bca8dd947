/* Counts MPI communication calls in the record of the process. */
#include "apmpi-module.h"

#include <string.h>

#include "../../mpi/mpi.h"
#include "../../mpi/wrap-mpi.h"
#include "record-id.h"
#include "records.h"

struct apmpi_state apmpi_state;

static const char head_name[] = "darshan-apmpi-header", name[] = "APMPI";

int apmpi_prepare(void) {
  struct apmpi_state *apmpi = &apmpi_state;
  store_guard(&darshan_store, &apmpi->lock, 0);
  apmpi->on = module_is_on(DARSHAN_MOD_APMPI);
  if (apmpi->on) apmpi_watch(APMPI_WATCH_CALLS);
  if (module_is_on(DARSHAN_MOD_MPIWAIT)) apmpi_watch(APMPI_WATCH_WAITS);
  return 0;
}

/* Called in a forked child, which is not a rank and counts nothing: resets the state. */
void apmpi_forked(void) {
  apmpi_state = (struct apmpi_state){0};
}

/* --- calls that are counted ------------------------------------------------------------ */

/* Returns 1 if MPI is initialized and not finalized, and the call whose wrapper has this stack
 * frame is not within a call of MPI-IO, MPI_Init or MPI_Finalize. Otherwise returns 0. */
static int is_of_the_program(const char *frame) {
  return mpi_state.phase == MPI_RUNNING && !mpi_is_inside(MPI_LEVEL_IO, frame) &&
         !mpi_is_inside(MPI_LEVEL_LIFE, frame);
}

int apmpi_counts(const char *frame) {
  return apmpi_state.on && is_of_the_program(frame);
}

int apmpi_counts_as_waiting(const char *frame) {
  return mpiwait_state.on && !layers_inside() && is_of_the_program(frame);
}

int apmpi_begin(struct apmpi_call *call, enum apmpi_counter counter, enum apmpi_manner manner,
                const char *frame) {
  if (mpi_is_inside(MPI_LEVEL_COMMUNICATION, frame)) return 0;
  int counts = apmpi_counts(frame);
  call->inside = manner != APMPI_BEGINS && layers_inside();
  call->waits = manner == APMPI_WAITS && apmpi_counts_as_waiting(frame);
  /* A rank without a record takes part in the barriers, too, because the other ranks wait for
   * it. */
  call->meets = mpi_state.meets && is_of_the_program(frame);
  if (!counts && !call->inside && !call->meets && !call->waits) return 0;
  call->counted = counts && counter != APMPI_NONE;
  call->met_from = call->met_until = 0;
  mpi_enter(MPI_LEVEL_COMMUNICATION, frame);
  if (call->inside) layer_communication_begin(&call->layer);
  return 1;
}

void apmpi_meet(struct apmpi_call *call, mpi_handle comm) {
  if (!call->meets || !mpi_can_ask() || !mpi_function(Barrier)) return;
  if (!apmpi_all_agreed(comm)) return;
  uint64_t t1 = ticks_now();
  if (mpi_function(Barrier)(comm) != 0) return;
  call->met_from = t1;
  call->met_until = ticks_after(t1);
}

/* --- the record ------------------------------------------------------------------------ */

/* Indexes of the first counter of each call in the record, and of the counter after its last. The
 * counters of a call follow those of the previous call. */
enum {
#define APMPI_CALL(name, sized, sync) AT_##name, END_##name = AT_##name + ((sized) ? 7 : 0),
#include "counted.def"
};
enum {
#define APMPI_CALL(name, sized, sync) WAIT_##name, WAIT_END_##name = WAIT_##name + (sync)-1,
#include "counted.def"
};

/* By enum apmpi_counter: where a call's numbers are in the record. */
static const struct place {
  uint16_t counter;        /* index of its first counter */
  int8_t is_sized, is_met; /* 1: it has counters of bytes; it has a time of barriers */
  uint16_t sync_time;      /* index of that time */
} places[APMPI_CALLS] = {
#define APMPI_CALL(name, sized, sync) {AT_##name, sized, sync, (uint16_t)WAIT_##name},
#include "counted.def"
};

/* Makes the APMPI record of this process and returns it with its head, or NULL if the store is
 * full. Fills the head in before the journal counts the record, because readers find the end of the
 * record by a length in the head. The caller holds the store's lock. */
static struct apmpi_kept *make_record(void) {
  struct record_store *store = &darshan_store;
  struct store_entry *of_head = store_enter(
      store, darshan_hash(head_name, sizeof(head_name) - 1, 0), head_name, sizeof(head_name) - 1);
  uint64_t id = darshan_hash(name, sizeof(name) - 1, 0);
  if (!of_head || !store_enter(store, id, name, sizeof(name) - 1)) return NULL;
  struct apmpi_kept *kept = store_next_record(store, STORE_APMPI);
  if (!kept) return NULL;
  kept->head.magic = APMPI_MAGIC;
  kept->head.sync = (uint32_t)mpi_state.meets;
  kept->record.base = (struct darshan_base_record){id, store_rank(store)};
  memcpy(kept->record.processor, mpi_state.host, sizeof(kept->record.processor) - 1);
  apmpi_state.number = store_new_record(store, STORE_APMPI, of_head);
  return apmpi_state.number ? kept : NULL;
}

/* Returns the record of the process, which is created at its first use; NULL if the store is
 * full. The caller holds the module's lock. */
static struct darshan_apmpi_record *record(void) {
  struct apmpi_kept *kept = NULL;
  if (apmpi_state.number) {
    kept = store_record(&darshan_store, STORE_APMPI, apmpi_state.number);
  } else if (store_lock(&darshan_store)) {
    kept = make_record();
    store_unlock(&darshan_store);
    struct store_fill fill = store_fill(&darshan_store, STORE_APMPI);
    if (!kept && fill.count < fill.limit && !store_names_are_full(&darshan_store))
      runtime_lost_part();
    apmpi_state.on = kept != NULL;
  }
  return kept ? &kept->record : NULL;
}

/* Returns the class of a message size, 0 to 5: up to 256 bytes, up to 1, 8 and 256 KiB, up to 1
 * MiB, more. The bounds belong to the class below them, as in the size counters of files. */
static int size_class(int64_t bytes) {
  static const int64_t bounds[] = {256, 1 << 10, 8 << 10, 256 << 10, 1 << 20};
  int at = 0;
  while (at < (int)(sizeof(bounds) / sizeof(bounds[0])) && bytes > bounds[at])
    at++;
  return at;
}

/* Adds a call to the record: its number, its bytes with their class if it is sized, and its
 * shortest, longest and total time. */
static void add_call(struct darshan_apmpi_record *to, enum apmpi_counter counter, int64_t bytes,
                     double seconds) {
  const struct place *place = &places[counter];
  uint64_t *counters = &to->counters[place->counter];
  double *times = &to->times[3 * counter];
  if (place->is_sized) {
    counters[1] += (uint64_t)bytes;
    counters[2 + size_class(bytes)]++;
  }
  if (counters[0]++ == 0 || seconds < times[1]) times[1] = seconds;
  if (seconds > times[2]) times[2] = seconds;
  times[0] += seconds;
  to->total_time += seconds;
}

static void add_wait(struct darshan_apmpi_record *to, enum apmpi_counter counter, double seconds) {
  if (!places[counter].is_met) return;
  to->sync_times[places[counter].sync_time] += seconds;
  to->total_sync_time += seconds;
}

static void count(enum apmpi_counter counter, int64_t bytes, uint64_t t1, uint64_t t2,
                  uint64_t met_from, uint64_t met_until) {
  record_make_room(STORE_APMPI);
  if (!record_lock(&apmpi_state.lock)) return;
  struct darshan_apmpi_record *to = record();
  if (to) {
    add_call(to, counter, bytes, clock_length(ticks_span(t1, t2)));
    if (met_until) add_wait(to, counter, clock_length(ticks_span(met_from, met_until)));
  }
  record_unlock(&apmpi_state.lock);
}

void apmpi_count(enum apmpi_counter counter, int64_t bytes, uint64_t t1, uint64_t t2) {
  count(counter, bytes, t1, t2, 0, 0);
}

void apmpi_end(const struct apmpi_call *call, enum apmpi_counter counter, enum mpiwait_whom whom,
               int result, int64_t bytes, uint64_t t1, uint64_t t2) {
  uint64_t from = call->met_until ? call->met_from : t1;
  if (call->inside) layer_communication_end(&call->layer, from, t2);
  if (call->waits) mpiwait_count(whom, from, t2);
  if (call->counted && result == 0) count(counter, bytes, t1, t2, call->met_from, call->met_until);
  mpi_leave(MPI_LEVEL_COMMUNICATION);
}

/* Called before recording ends: makes the record of a rank that did not communicate, so that each
 * rank has one. */
void apmpi_ending(void) {
  if (!apmpi_state.on || mpi_state.phase != MPI_RUNNING) return;
  record_make_room(STORE_APMPI);
  if (!record_lock(&apmpi_state.lock)) return;
  record();
  record_unlock(&apmpi_state.lock);
}
