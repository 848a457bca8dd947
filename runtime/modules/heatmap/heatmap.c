/* Adds transfers to the bins of heat maps. */
#include "heatmap.h"

#include <string.h>

#include "../../door/door.h"
#include "../../intercept/spin.h"
#include "record-id.h"

struct heatmap_state heatmap_state;

#define FIRST_WIDTH 0.1 /* seconds */

static const char *const names[HEATMAP_LAYERS] = {
    [HEATMAP_POSIX] = "heatmap:POSIX", [HEATMAP_MPIIO] = "heatmap:MPIIO",
    [HEATMAP_STDIO] = "heatmap:STDIO", [HEATMAP_DFS] = "heatmap:DFS",
    [HEATMAP_DAOS] = "heatmap:DAOS",
};

int heatmap_prepare(void) {
  struct record_store *store = &darshan_store;
  segments_prepare(&heatmap_state.mpiio, sizeof(struct heatmap_slot), SEGMENTS_PAGE);
  store_beside(store, STORE_MPIIO, &heatmap_state.mpiio);
  for (int i = 0; i < HEATMAP_LAYERS; i++)
    store_guard(store, &heatmap_state.layers[i].lock, 1);
  return 0;
}

void heatmap_forked(void) {
  struct heatmap_state *heatmap = &heatmap_state;
  memset(heatmap->layers, 0, sizeof(heatmap->layers));
  heatmap->end = 0;
  segments_clear(&heatmap->mpiio);
}

void heatmap_begin(struct heatmap_record *record) {
  record->head.bin_width_seconds = FIRST_WIDTH;
  record->head.nbins = HEATMAP_BINS;
}

/* Makes and returns the record of a layer; NULL if there is no space. The caller holds the store's
 * lock. Fills the head in before the journal counts the record, because a reader needs the number
 * of bins in it. */
static struct heatmap_record *make_record(enum heatmap_layer layer) {
  struct record_store *store = &darshan_store;
  size_t length = strlen(names[layer]);
  struct store_entry *entry =
      store_enter(store, darshan_hash(names[layer], length, 0), names[layer], length);
  struct heatmap_record *record = entry ? store_next_record(store, STORE_HEATMAP) : NULL;
  if (!record) return NULL;
  heatmap_begin(record);
  return store_new_record(store, STORE_HEATMAP, entry) ? record : NULL;
}

/* Returns 1 if the layer has a record, which it makes if necessary. Otherwise returns 0. The caller
 * holds the layer's lock. */
static int have_record(enum heatmap_layer layer) {
  struct heatmap *heatmap = &heatmap_state.layers[layer];
  if (heatmap->record) return 1;
  if (heatmap->refused) return 0;
  if (module_is_on(DARSHAN_MOD_HEATMAP)) {
    if (!store_lock(&darshan_store)) return 0;
    heatmap->record = make_record(layer);
    store_unlock(&darshan_store);
    struct store_fill fill = store_fill(&darshan_store, STORE_HEATMAP);
    if (!heatmap->record && fill.count < fill.limit && !store_names_are_full(&darshan_store))
      runtime_lost_part();
  }
  heatmap->refused = !heatmap->record;
  return !heatmap->refused;
}

/* Adds up pairs of bins, so that the first half of the array has all; the other half becomes 0. */
static void fold_bins(int64_t *bins) {
  for (int i = 0; i < HEATMAP_BINS / 2; i++)
    bins[i] = bins[2 * i] + bins[2 * i + 1];
  memset(bins + HEATMAP_BINS / 2, 0, HEATMAP_BINS / 2 * sizeof(*bins));
}

void heatmap_reach(struct heatmap_record *record, double seconds) {
  while (seconds > HEATMAP_BINS * record->head.bin_width_seconds &&
         record->head.bin_width_seconds < 1e9) {
    fold_bins(record->written);
    fold_bins(record->read);
    record->head.bin_width_seconds *= 2;
  }
}

/* Returns the index of the bin of this time, in seconds: the first or last bin if the time is
 * outside of all. */
static int bin_at(const struct heatmap_record *record, double seconds) {
  double bin = seconds / record->head.bin_width_seconds;
  if (!(bin > 0)) return 0;
  return bin < HEATMAP_BINS ? (int)bin : HEATMAP_BINS - 1;
}

void heatmap_spread(const struct heatmap_record *record, int64_t *bins, int64_t bytes, double start,
                    double end) {
  /* Rounds the running sum instead of each part, so that no byte is lost. */
  int first = bin_at(record, start), last = bin_at(record, end);
  double width = record->head.bin_width_seconds, time = end - start;
  int64_t done = 0;
  for (int bin = first; bin < last; bin++) {
    double part = time > 0 ? (double)bytes * (((bin + 1) * width - start) / time) : 0;
    int64_t upto = (int64_t)(part + 0.5);
    if (upto > bytes) upto = bytes;
    if (upto < done) upto = done;
    bins[bin] += upto - done;
    done = upto;
  }
  bins[last] += bytes - done;
}

/* Adds the bytes that the file's record counted since `booked` to the bin of the span. read,
 * written: the record's bytes so far. Does nothing if the span is still unset. Leaves booked as it
 * is. */
static void book(struct heatmap_record *record, const struct heatmap_span *span, int64_t booked[2],
                 int64_t read, int64_t written) {
  int64_t more_read = read - booked[0], more_written = written - booked[1];
  if (span->until == 0 || (more_read == 0 && more_written == 0)) return;
  /* Finds the bin by the middle of the span, because bins may have become wider since, but not
   * narrower. */
  int bin = bin_at(record,
                   clock_seconds(&darshan_hot.clock, span->from + (span->until - span->from) / 2));
  record->read[bin] += more_read;
  record->written[bin] += more_written;
}

int heatmap_enter(const struct heatmap_record *record, struct heatmap_span *span, double end) {
  double width = record->head.bin_width_seconds;
  int bin = bin_at(record, end);
  span->from = clock_ticks_at(&darshan_hot.clock, bin * width);
  span->until = clock_ticks_at(&darshan_hot.clock, (bin + 1) * width);
  return bin;
}

void heatmap_next(enum heatmap_layer layer, struct heatmap_span *span, int64_t booked[2],
                  const struct heatmap_transfer *transfer) {
  struct heatmap *heatmap = &heatmap_state.layers[layer];
  int64_t read = *transfer->read, written = *transfer->written;
  if (!spin_lock(SPIN_TABLE, &heatmap->lock)) return;
  if (have_record(layer)) {
    struct heatmap_record *record = heatmap->record;
    struct clock_span at = ticks_span(transfer->t1, transfer->t2);
    heatmap_reach(record, at.end);
    book(record, span, booked, read - (transfer->writes ? 0 : transfer->bytes),
         written - (transfer->writes ? transfer->bytes : 0));
    heatmap_spread(record, transfer->writes ? record->written : record->read, transfer->bytes,
                   at.start, at.end);
    booked[0] = read;
    booked[1] = written;
    heatmap_enter(record, span, at.end);
  } else {
    *span = (struct heatmap_span){
        0, UINT64_MAX}; /* a span that never ends, so that the record makes no further slow call */
  }
  spin_unlock(&heatmap->lock);
}

/* Adds the bytes of a record that are not yet in the heat map (read and written, less booked) to
 * the bin of its span, and stores read and written in booked. The caller holds the record's
 * lock. */
static void settle(enum heatmap_layer layer, const struct heatmap_span *span, int64_t booked[2],
                   int64_t read, int64_t written) {
  struct heatmap *heatmap = &heatmap_state.layers[layer];
  if (!spin_lock(SPIN_TABLE, &heatmap->lock)) return;
  if (heatmap->record) book(heatmap->record, span, booked, read, written);
  spin_unlock(&heatmap->lock);
  booked[0] = read;
  booked[1] = written;
}

void heatmap_settle(const struct heatmap_source *source) {
  const struct record_store *store = &darshan_store;
  for (uint32_t i = 1; i <= store_fill(store, source->module).count; i++) {
    int *lock = segments_at(source->locks, i);
    char *item = segments_at(source->spans, i);
    const struct darshan_base_record *record = store_record(store, source->module, i);
    const int64_t *counters = (const void *)(record + 1);
    if (!spin_lock(SPIN_RECORD, lock)) continue;
    settle(source->layer, (const void *)(item + source->span), (void *)(item + source->booked),
           counters[source->read], counters[source->written]);
    spin_unlock(lock);
  }
}

void heatmap_ended(void) {
  heatmap_state.end = clock_seconds(&darshan_hot.clock, ticks_now());
}

double heatmap_end(void) {
  return heatmap_state.end;
}

void heatmap_set_end(double seconds) {
  heatmap_state.end = seconds;
}
