/* Attributes to the application the calls that POSIX and STDIO counted before the first call of an
 * upper layer. Attributed and unattributed calls then add up to the sums of both modules. */
#include "../../door/door.h"
#include "../../intercept/spin.h"
#include "../apmpi/apmpi-module.h"
#include "../posix/posix-state.h"
#include "../sites/sites.h"
#include "../stdio/stdio-state.h"
#include "layers.h"
#include "modules/layers/records.h"
#include "modules/posix/records.h"
#include "modules/stdio/records.h"

/* PART: address of the first counter of an operation (READ, WRITE, META) in a LAYERS record. The
 * enum: indexes of counters of one operation, relative to it. */
#define PART(record, operation) (&(record)->counters[LAYERS_##operation##_CALLS])
enum {
  CALLS,
  POSIX_READS_AT,
  POSIX_WRITES_AT,
  POSIX_OTHER_AT,
  BYTES_READ_AT,
  BYTES_WRITTEN_AT,
  STDIO_CALLS_AT,
  STDIO_READ_AT,
  STDIO_WRITTEN_AT
};

static void take_posix(struct darshan_layers_record *sum, const struct darshan_posix_record *from) {
  const int64_t *c = from->counters;
  const double *f = from->fcounters;
  int64_t other = c[POSIX_OPENS] + c[POSIX_SEEKS] + c[POSIX_STATS] + c[POSIX_FSYNCS] +
                  c[POSIX_FDSYNCS] + c[POSIX_RENAME_SOURCES];
  PART(sum, READ)[CALLS] += c[POSIX_READS];
  PART(sum, READ)[POSIX_READS_AT] += c[POSIX_READS];
  PART(sum, READ)[BYTES_READ_AT] += c[POSIX_BYTES_READ];
  PART(sum, WRITE)[CALLS] += c[POSIX_WRITES];
  PART(sum, WRITE)[POSIX_WRITES_AT] += c[POSIX_WRITES];
  PART(sum, WRITE)[BYTES_WRITTEN_AT] += c[POSIX_BYTES_WRITTEN];
  PART(sum, META)[CALLS] += other;
  PART(sum, META)[POSIX_OTHER_AT] += other;
  for (int bin = 0; bin < 10; bin++) {
    sum->counters[LAYERS_READ_SIZE_POSIX_READ_0_100 + bin] += c[POSIX_SIZE_READ_0_100 + bin];
    sum->counters[LAYERS_WRITE_SIZE_POSIX_WRITE_0_100 + bin] += c[POSIX_SIZE_WRITE_0_100 + bin];
  }
  sum->fcounters[LAYERS_F_READ_TIME] += f[POSIX_F_READ_TIME];
  sum->fcounters[LAYERS_F_READ_POSIX_TIME] += f[POSIX_F_READ_TIME];
  sum->fcounters[LAYERS_F_WRITE_TIME] += f[POSIX_F_WRITE_TIME];
  sum->fcounters[LAYERS_F_WRITE_POSIX_TIME] += f[POSIX_F_WRITE_TIME];
  sum->fcounters[LAYERS_F_META_TIME] += f[POSIX_F_META_TIME];
  sum->fcounters[LAYERS_F_META_POSIX_TIME] += f[POSIX_F_META_TIME];
}

static void take_stdio(struct darshan_layers_record *sum, const struct darshan_stdio_record *from) {
  const int64_t *c = from->counters;
  const double *f = from->fcounters;
  int64_t other = c[STDIO_OPENS] + c[STDIO_SEEKS] + c[STDIO_FLUSHES];
  PART(sum, READ)[CALLS] += c[STDIO_READS];
  PART(sum, READ)[STDIO_CALLS_AT] += c[STDIO_READS];
  PART(sum, READ)[STDIO_READ_AT] += c[STDIO_BYTES_READ];
  PART(sum, WRITE)[CALLS] += c[STDIO_WRITES];
  PART(sum, WRITE)[STDIO_CALLS_AT] += c[STDIO_WRITES];
  PART(sum, WRITE)[STDIO_WRITTEN_AT] += c[STDIO_BYTES_WRITTEN];
  PART(sum, META)[CALLS] += other;
  PART(sum, META)[STDIO_CALLS_AT] += other;
  sum->fcounters[LAYERS_F_READ_TIME] += f[STDIO_F_READ_TIME];
  sum->fcounters[LAYERS_F_READ_STDIO_TIME] += f[STDIO_F_READ_TIME];
  sum->fcounters[LAYERS_F_WRITE_TIME] += f[STDIO_F_WRITE_TIME];
  sum->fcounters[LAYERS_F_WRITE_STDIO_TIME] += f[STDIO_F_WRITE_TIME];
  sum->fcounters[LAYERS_F_META_TIME] += f[STDIO_F_META_TIME];
  sum->fcounters[LAYERS_F_META_STDIO_TIME] += f[STDIO_F_META_TIME];
}

/* Adds the counters of the first `posix` POSIX records and the first `stdio` STDIO records to the
 * sum, and marks these records as watched. Each record is read under its lock. So an event is
 * either included here, or finds the record watched and notifies this module. Later records are
 * watched from their start. */
static void take_all(struct darshan_layers_record *sum, uint32_t posix, uint32_t stdio) {
  const struct record_store *store = &darshan_store;
  for (uint32_t i = 1; i <= posix; i++) {
    struct posix_aux *aux = segments_at(&posix_state.aux, i);
    if (!spin_lock(SPIN_RECORD, &aux->lock)) continue;
    if (!(aux->watched & WATCHED_BY_LAYERS)) take_posix(sum, store_record(store, STORE_POSIX, i));
    aux->watched |= WATCHED_BY_LAYERS;
    spin_unlock(&aux->lock);
  }
  for (uint32_t i = 1; i <= stdio; i++) {
    struct stdio_aux *aux = segments_at(&stdio_state.aux, i);
    if (!spin_lock(SPIN_RECORD, &aux->lock)) continue;
    if (!(aux->watched & WATCHED_BY_LAYERS)) take_stdio(sum, store_record(store, STORE_STDIO, i));
    aux->watched |= WATCHED_BY_LAYERS;
    spin_unlock(&aux->lock);
  }
}

/* Adds the counters and times that take_posix and take_stdio may have set. */
static void add_all(struct darshan_layers_record *record, const struct darshan_layers_record *sum) {
  for (int i = LAYERS_OPEN_CALLS; i < LAYERS_BYTES_ASKED_READ; i++)
    record->counters[i] += sum->counters[i];
  for (int i = 0; i < LAYERS_F_CHUNK_CACHE_PREEMPTION; i++)
    record->fcounters[i] += sum->fcounters[i];
}

void layers_activate(void) {
  struct record_store *store = &darshan_store;
  uint32_t posix, stdio;
  struct darshan_layers_record *sum;
  apmpi_watch(APMPI_WATCH_CALLS);
  if (!runtime_enter()) return;
  sum = scratch_take(&darshan_scratch, sizeof(*sum)); /* too large for a small stack */
  if (!store_lock(store)) { /* the next call of an upper layer tries again */
    runtime_leave();
    return;
  }
  int first = !layers_state.active;
  __atomic_store_n(&layers_state.active, 1, __ATOMIC_RELAXED);
  posix = store_fill(store, STORE_POSIX).count;
  stdio = store_fill(store, STORE_STDIO).count;
  store_unlock(store);
  if (first && sum) take_all(sum, posix, stdio);
  runtime_leave();
  struct layer_state *application = first && sum ? layers_application() : NULL;
  struct darshan_layers_record *record = application ? layer_lock(application) : NULL;
  if (!record) return;
  add_all(record, sum);
  layer_unlock(application);
}
