/* Makes the HEATMAP part of a log from the bins in memory. */
#include "heatmap.h"

#include <string.h>

#include "../../door/door.h"

/* Returns the number of bins that the run needed: ceil(end / width), at most HEATMAP_BINS. end: of
 * recording, in seconds. width: of a bin, in seconds. */
static int64_t bins_needed(double end, double width) {
  double bins = end / width;
  if (!(bins < HEATMAP_BINS)) return HEATMAP_BINS;
  int64_t whole = bins > 0 ? (int64_t)bins : 0;
  return whole + (bins > (double)whole);
}

static int has_traffic(const struct heatmap_record *record) {
  for (int i = 0; i < HEATMAP_BINS; i++)
    if (record->written[i] || record->read[i]) return 1;
  return 0;
}

/* Writes the first `kept` bins, and adds the bytes of later bins to the last one: a transfer that
 * ended just before recording did may be later than that end by the clock's resolution. */
static void put_bins(char *out, const int64_t *bins, int64_t kept) {
  int64_t more = 0;
  for (int64_t i = kept; i < HEATMAP_BINS; i++)
    more += bins[i];
  memcpy(out, bins, (size_t)kept * sizeof(*bins));
  if (more == 0 || kept == 0) return;
  more += bins[kept - 1];
  memcpy(out + (size_t)(kept - 1) * sizeof(*bins), &more, sizeof(more));
}

/* Writes the record of a layer to `out` in the log's layout: the head, then the bins of bytes
 * written and read up to `end` seconds. Makes the bins wider first, if they do not cover that time.
 * Returns the number of bytes, at most sizeof(struct heatmap_record). */
static size_t put_record(char *out, struct heatmap_record *record, double end) {
  heatmap_reach(record, end);
  struct darshan_heatmap_head head = record->head;
  head.nbins = bins_needed(end, head.bin_width_seconds);
  size_t bins = (size_t)head.nbins * sizeof(int64_t);
  memcpy(out, &head, sizeof(head));
  put_bins(out + sizeof(head), record->written, head.nbins);
  put_bins(out + sizeof(head) + bins, record->read, head.nbins);
  return sizeof(head) + 2 * bins;
}

void heatmap_add_part(struct log_content *content) {
  uint32_t count = store_fill(&darshan_store, STORE_HEATMAP).count;
  if (count == 0) return;
  char *out = runtime_module_memory(count * sizeof(struct heatmap_record));
  if (!out) return;
  size_t length = 0;
  for (uint32_t i = 1; i <= count; i++) {
    struct heatmap_record *record = store_record(&darshan_store, STORE_HEATMAP, i);
    if (has_traffic(record)) length += put_record(out + length, record, heatmap_state.end);
  }
  log_add_part(content, DARSHAN_MOD_HEATMAP, DARSHAN_VERSION_HEATMAP, out, length, 0, 0);
}
