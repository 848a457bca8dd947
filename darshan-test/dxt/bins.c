/* Runs the runtime's heat map without an application, with transfers at any time of a run of any
 * length, so that tests see how bins are combined. Reads lines "RECORD WRITES BYTES START END"
 * (times in nanoseconds) in order of their end, then "end SECONDS". Prints the width of a bin in
 * seconds, and then for each bin the bytes written, and the bytes read. */
#include "modules/heatmap/heatmap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/compose.h"
#include "modules/posix/posix-state.h"
#include "records.h"
#include "records/store-room.h"

enum { RECORDS = 64 };

struct darshan_hot darshan_hot;
struct posix_state posix_state;

/* Does nothing: the records here have no journal file. */
void store_return(struct record_store *store, int fd) {
  (void)store;
  (void)fd;
}

/* Stand-ins for functions of the engine that the heat map calls: all modules are on, memory
 * suffices, and the clock is never recalibrated. */
void runtime_refit(void) {}
int module_is_on(int module_id) {
  return module_id >= 0;
}
void runtime_lost_part(void) {
  exit(1);
}
void *runtime_module_memory(size_t size) {
  return calloc(1, size);
}

/* The records by their number, from 1. */
static struct darshan_posix_record *records[RECORDS + 1];

/* The shapes of the two modules in use; start() fills in those of the others. */
static struct store_shape shapes[STORE_MODULES] = {
    [STORE_POSIX] = {DARSHAN_MOD_POSIX, DARSHAN_VERSION_POSIX, sizeof(struct darshan_posix_record),
                     STORE_OF_FILES},
    [STORE_HEATMAP] = {DARSHAN_MOD_HEATMAP, DARSHAN_VERSION_HEATMAP, sizeof(struct heatmap_record),
                       STORE_OF_LAYERS}};

/* Starts the runtime's clock without the processor's counter, so that ticks are nanoseconds, and
 * makes the records. */
static void start(void) {
  struct store_limits limits = {.name_bytes = 1 << 20, .module_bytes = 4 << 20};
  darshan_hot.clock.lines[0] = (struct clock_line){0, 0.0, 1e-9};
  darshan_hot.clock.refit_at = UINT64_MAX;
  for (int i = 0; i < STORE_MODULES; i++) {
    if (!shapes[i].record_size) shapes[i].record_size = sizeof(struct darshan_base_record);
    limits.records[i] = RECORDS;
  }
  if (store_prepare(&darshan_store, shapes, &limits) < 0 || store_begin(&darshan_store) < 0)
    exit(1);
  heatmap_prepare();
  segments_prepare(&posix_state.aux, sizeof(struct posix_aux), JOURNAL_PAGE);
  store_beside(&darshan_store, STORE_POSIX, &posix_state.aux);
  for (uint32_t i = 1; i <= RECORDS; i++) {
    struct store_entry *entry = store_enter(&darshan_store, i * 7919, "name", 4);
    if (!entry || store_new_record(&darshan_store, STORE_POSIX, entry) != i) exit(1);
    records[i] = store_record(&darshan_store, STORE_POSIX, i);
  }
}

/* Counts a transfer, and adds it to the heat map. t1, t2: nanoseconds. */
static void transfer(int record, int writes, int64_t bytes, uint64_t t1, uint64_t t2) {
  int64_t *counters = records[record]->counters;
  struct posix_aux *aux = segments_at(&posix_state.aux, (uint32_t)record);
  counters[writes ? POSIX_BYTES_WRITTEN : POSIX_BYTES_READ] += bytes;
  heatmap_add(HEATMAP_POSIX, &aux->span, aux->booked, &counters[POSIX_BYTES_READ],
              &counters[POSIX_BYTES_WRITTEN], writes, bytes, t1, t2);
}

/* Prints the heat map of a run that ends after `end` seconds. */
static void print(double end) {
  struct log_content content = {.num_parts = 0};
  heatmap_ended();
  heatmap_settle(&(struct heatmap_source){
      .layer = HEATMAP_POSIX,
      .module = STORE_POSIX,
      .locks = &posix_state.aux,
      .spans = &posix_state.aux,
      .span = offsetof(struct posix_aux, span),
      .booked = offsetof(struct posix_aux, booked),
      .read = POSIX_BYTES_READ,
      .written = POSIX_BYTES_WRITTEN,
  });
  heatmap_set_end(end);
  heatmap_add_part(&content);
  if (content.num_parts == 0) return;
  const struct darshan_heatmap_head *head = (const void *)content.parts[0].records;
  const int64_t *bins = (const void *)(head + 1);
  if (content.parts[0].length != sizeof(*head) + 16 * (size_t)head->nbins) exit(1);
  printf("%.17g", head->bin_width_seconds);
  for (int64_t i = 0; i < 2 * head->nbins; i++)
    printf("%c%" PRId64, i % head->nbins ? ' ' : '\n', bins[i]);
  printf("\n");
}

int main(void) {
  int record, writes;
  int64_t bytes;
  uint64_t t1, t2;
  double end;
  start();
  while (scanf("%d %d %" SCNd64 " %" SCNu64 " %" SCNu64, &record, &writes, &bytes, &t1, &t2) == 5)
    if (record >= 1 && record <= RECORDS) transfer(record, writes, bytes, t1, t2);
  if (scanf("end %lf", &end) == 1) print(end);
  return 0;
}
