/* Adds the times in which a rank waits for other ranks to the time bins of its record. */
#include "mpiwait.h"

#include "../../mpi/mpi.h"
#include "../heatmap/heatmap.h"
#include "record-id.h"

struct mpiwait_state mpiwait_state;

static const char name[] = "heatmap:MPIWAIT";

int mpiwait_prepare(void) {
  store_guard(&darshan_store, &mpiwait_state.lock, 0);
  mpiwait_state.on = module_is_on(DARSHAN_MOD_MPIWAIT);
  return 0;
}

/* Called in a forked child, which is not a rank: clears the state. */
void mpiwait_forked(void) {
  mpiwait_state = (struct mpiwait_state){0};
}

/* Makes and returns the MPIWAIT record of this process; NULL if the store is full. The caller holds
 * the store's lock. */
static struct heatmap_record *make_record(void) {
  struct record_store *store = &darshan_store;
  struct store_entry *entry =
      store_enter(store, darshan_hash(name, sizeof(name) - 1, 0), name, sizeof(name) - 1);
  struct heatmap_record *made = entry ? store_next_record(store, STORE_MPIWAIT) : NULL;
  if (!made) return NULL;
  heatmap_begin(made);
  mpiwait_state.number = store_new_record(store, STORE_MPIWAIT, entry);
  return mpiwait_state.number ? made : NULL;
}

/* Returns the MPIWAIT record, which is made at the first call; NULL if it cannot be made: the
 * module then switches itself off. The caller holds the module's lock. */
static struct heatmap_record *record(void) {
  struct heatmap_record *found = NULL;
  if (LIKELY(mpiwait_state.number))
    return store_record(&darshan_store, STORE_MPIWAIT, mpiwait_state.number);
  if (!store_lock(&darshan_store)) return NULL;
  found = make_record();
  store_unlock(&darshan_store);
  mpiwait_state.on = found != NULL;
  if (!found) runtime_lost_part();
  return found;
}

/* Returns the bins of nanoseconds of this kind of wait: a heat map's bins of bytes written for all
 * ranks, of bytes read for single ranks. */
static int64_t *bins_of(struct heatmap_record *of, enum mpiwait_whom whom) {
  return whom == MPIWAIT_ALL ? of->written : of->read;
}

/* Adds a wait of `ns` nanoseconds that is not within the current bin, spread over the bins of the
 * time `at` (seconds), and makes the bin in which it ended the current one. */
static void add_slowly(struct heatmap_record *to, enum mpiwait_whom whom, struct clock_span at,
                       int64_t ns) {
  struct mpiwait_state *state = &mpiwait_state;
  struct heatmap_span span;
  heatmap_reach(to, at.end);
  heatmap_spread(to, bins_of(to, whom), ns, at.start, at.end);
  state->bin = heatmap_enter(to, &span, at.end);
  state->from = span.from;
  state->until = span.until;
}

void mpiwait_count(enum mpiwait_whom whom, uint64_t t1, uint64_t t2) {
  struct mpiwait_state *state = &mpiwait_state;
  if (UNLIKELY(!state->number)) record_make_room(STORE_MPIWAIT);
  if (!record_lock(&state->lock)) return;
  struct heatmap_record *to = record();
  if (t1 < state->counted) t1 = state->counted;
  if (to && t1 < t2) {
    struct clock_span at = ticks_span(t1, t2);
    int64_t ns = (int64_t)(clock_length(at) * NS_PER_SECOND + 0.5);
    if (LIKELY(t1 >= state->from && t2 < state->until))
      bins_of(to, whom)[state->bin] += ns;
    else
      add_slowly(to, whom, at, ns);
    state->counted = t2;
  }
  record_unlock(&state->lock);
}

void mpiwait_ending(void) {
  struct mpiwait_state *state = &mpiwait_state;
  if (!state->on || state->number || mpi_state.phase != MPI_RUNNING || mpi_state.size == 1) return;
  record_make_room(STORE_MPIWAIT);
  if (!record_lock(&state->lock)) return;
  record();
  record_unlock(&state->lock);
}

void mpiwait_ended(void) {
  mpiwait_state.end = clock_seconds(&darshan_hot.clock, ticks_now());
}

double mpiwait_last(void) {
  return 0;
}

/* Rounds the bins to multiples of `unit` nanoseconds. Carries the rest of each bin to the next one,
 * so that the sum changes by half a unit at most. */
static void round_bins(int64_t *bins, int64_t unit) {
  int64_t carried = 0;
  for (int i = 0; i < HEATMAP_BINS; i++) {
    if (bins[i] <= 0) continue;
    int64_t whole = bins[i] + carried;
    bins[i] = (whole + unit / 2) / unit * unit;
    carried = whole - bins[i];
  }
}

/* Rounds all bins, because nanoseconds do not compress well and the log has some hundred bins for
 * each rank of a job. The unit is a power of two and at least a thousandth of a bin's width, so
 * that the low bytes become 0. */
static void round_waits(struct heatmap_record *to) {
  enum { PARTS = 1000 };
  int64_t unit = 1, least = (int64_t)(to->head.bin_width_seconds * NS_PER_SECOND) / PARTS;
  while (unit < least)
    unit *= 2;
  round_bins(bins_of(to, MPIWAIT_ALL), unit);
  round_bins(bins_of(to, MPIWAIT_SOME), unit);
}

void mpiwait_agree(double seconds) {
  double end = mpiwait_state.end;
  if (!mpiwait_state.number) return;
  struct heatmap_record *to = store_record(&darshan_store, STORE_MPIWAIT, mpiwait_state.number);
  heatmap_reach(to, seconds);
  if (seconds > end)
    heatmap_spread(to, bins_of(to, MPIWAIT_ALL), (int64_t)((seconds - end) * NS_PER_SECOND), end,
                   seconds);
  round_waits(to);
}
