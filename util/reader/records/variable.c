/* Reads records whose length depends on their content: LUSTRE, HEATMAP, MDHIM, APMPI. */
#include "../bytes.h"
#include "../reader.h"
#include "apmpi.h"
#include "records.h"

#include <string.h>

/* Number of elements in the longest list of a record; the limit prevents that sizes overflow. */
#define ITEMS_MAX ((int64_t)(DARSHAN_RECORD_MAX / 8))

static int64_t host_word(const struct darshan_records *records, size_t byte) {
  int64_t word;
  memcpy(&word, records->buffer + records->begin + byte, sizeof(word));
  return records->swapped ? (int64_t)__builtin_bswap64((uint64_t)word) : word;
}

static int bad_count(const char *what, int64_t count, struct darshan_error *error) {
  return darshan_fail(error, "corrupt data: a record claims %lld %s", (long long)count, what);
}

/* Makes a whole record of `size` raw bytes available and moves behind it. Returns the record in
 * records->buffer. Returns NULL with *taken: DARSHAN_TAKEN_END if the region ends before, or
 * DARSHAN_TAKEN_ERROR with an error. */
static unsigned char *take(struct darshan_records *records, uint64_t size,
                           enum darshan_taken *taken, struct darshan_error *error) {
  *taken = darshan_records_need(records, size, error);
  if (*taken != DARSHAN_TAKEN_RECORD) return NULL;
  unsigned char *raw = records->buffer + records->begin;
  records->begin += size;
  return raw;
}

/* Reads the next LUSTRE record of version 1, which has one layout without components. Converts it
 * to the newest layout. Returns the same values as darshan_next_lustre. */
static enum darshan_taken next_lustre_v1(struct darshan_records *records, const void **record,
                                         size_t *size, struct darshan_error *error) {
  enum { ID, RANK, OSTS, MDTS, STRIPE_OFFSET, STRIPE_SIZE, STRIPE_WIDTH, HEAD_WORDS };
  enum darshan_taken taken = darshan_records_need(records, HEAD_WORDS * 8, error);
  if (taken != DARSHAN_TAKEN_RECORD) return taken;
  int64_t width = host_word(records, STRIPE_WIDTH * 8);
  if (width < 0 || width > ITEMS_MAX) return bad_count("stripes", width, error);
  unsigned char *raw = take(records, HEAD_WORDS * 8 + 8 * (uint64_t)width, &taken, error);
  if (!raw) return taken;
  if (records->swapped) darshan_swap_words(raw, HEAD_WORDS + (size_t)width);
  struct darshan_lustre_head head = {.num_comps = 1, .num_stripes = width};
  struct darshan_lustre_component component = {.counters = {0}};
  memcpy(&head.base, raw, sizeof(head.base));
  for (int i = 0; i < LUSTRE_COMP_NUM_COUNTERS; i++)
    component.counters[i] = -1;
  memcpy(&component.counters[LUSTRE_COMP_STRIPE_SIZE], raw + STRIPE_SIZE * 8, 8);
  component.counters[LUSTRE_COMP_STRIPE_COUNT] = width;
  component.counters[LUSTRE_COMP_EXT_START] = 0;
  *size = sizeof(head) + sizeof(component) + 8 * (size_t)width;
  unsigned char *out = (unsigned char *)darshan_records_room(records, *size / 8, error);
  if (!out) return DARSHAN_TAKEN_ERROR;
  memcpy(out, &head, sizeof(head));
  memcpy(out + sizeof(head), &component, sizeof(component));
  memcpy(out + sizeof(head) + sizeof(component), raw + HEAD_WORDS * 8, 8 * (size_t)width);
  *record = out;
  return DARSHAN_TAKEN_RECORD;
}

static void swap_lustre(unsigned char *raw, size_t comps, size_t stripes) {
  darshan_swap_words(raw, sizeof(struct darshan_lustre_head) / 8);
  raw += sizeof(struct darshan_lustre_head);
  for (size_t i = 0; i < comps; i++, raw += sizeof(struct darshan_lustre_component))
    darshan_swap_words(raw, LUSTRE_COMP_NUM_COUNTERS);
  darshan_swap_words(raw, stripes);
}

/* Drops the unused components of a record: the first component without a stripe size and all later
 * ones. Moves the server ids behind the remaining components. Sets *size to the record's new size
 * in bytes. Returns 0; -1 with an error if a count is invalid. */
static int trim_lustre(unsigned char *raw, size_t *size, struct darshan_error *error) {
  struct darshan_lustre_head *head = (void *)raw;
  struct darshan_lustre_component *comps = (void *)(head + 1);
  int64_t used = 0, stripes = 0;
  for (; used < head->num_comps; used++) {
    const int64_t *counters = comps[used].counters;
    if (counters[LUSTRE_COMP_STRIPE_SIZE] == -1) break;
    int64_t count = counters[LUSTRE_COMP_STRIPE_COUNT];
    if (count < 0 || count > head->num_stripes - stripes)
      return bad_count("stripes in a component", count, error);
    stripes += count;
  }
  memmove(comps + used, comps + head->num_comps, (size_t)stripes * 8);
  head->num_comps = used;
  head->num_stripes = stripes;
  *size = sizeof(*head) + (size_t)used * sizeof(*comps) + (size_t)stripes * 8;
  return 0;
}

enum darshan_taken darshan_next_lustre(struct darshan_records *records, const void **record,
                                       size_t *size, struct darshan_error *error) {
  if (records->version == 1) return next_lustre_v1(records, record, size, error);
  const size_t head = sizeof(struct darshan_lustre_head);
  enum darshan_taken taken = darshan_records_need(records, head, error);
  if (taken != DARSHAN_TAKEN_RECORD) return taken;
  int64_t comps = host_word(records, offsetof(struct darshan_lustre_head, num_comps));
  int64_t stripes = host_word(records, offsetof(struct darshan_lustre_head, num_stripes));
  if (comps == 0) stripes = 0; /* a record without components has no list of server ids */
  if (comps < 0 || comps > ITEMS_MAX) return bad_count("components", comps, error);
  if (stripes < 0 || stripes > ITEMS_MAX) return bad_count("stripes", stripes, error);
  uint64_t tail = (uint64_t)comps * sizeof(struct darshan_lustre_component);
  unsigned char *raw = take(records, head + tail + 8 * (uint64_t)stripes, &taken, error);
  if (!raw) return taken;
  if (records->swapped) swap_lustre(raw, (size_t)comps, (size_t)stripes);
  if (trim_lustre(raw, size, error) != 0) return DARSHAN_TAKEN_ERROR;
  *record = raw;
  return DARSHAN_TAKEN_RECORD;
}

/* Stores the heat map at `raw` in *record. If its number of bins differs from the log's first
 * record, stores a copy with that number: in logs of 3.4.0 to 3.4.3, ranks may differ by one bin.
 * Returns DARSHAN_TAKEN_RECORD, or DARSHAN_TAKEN_ERROR if out of memory. */
static enum darshan_taken repair_heatmap(struct darshan_records *records, unsigned char *raw,
                                         const void **record, size_t *size,
                                         struct darshan_error *error) {
  struct darshan_heatmap_head head;
  memcpy(&head, raw, sizeof(head));
  int64_t bins = head.nbins, wanted = records->first_bins;
  *record = raw;
  *size = sizeof(head) + 16 * (size_t)bins;
  bool differs = bins - wanted == 1 || bins - wanted == -1;
  if (!differs || head.bin_width_seconds != records->first_width) return DARSHAN_TAKEN_RECORD;
  *size = sizeof(head) + 16 * (size_t)wanted;
  unsigned char *out = (unsigned char *)darshan_records_room(records, *size / 8, error);
  if (!out) return DARSHAN_TAKEN_ERROR;
  size_t kept = 8 * (size_t)(bins < wanted ? bins : wanted);
  memset(out, 0, *size);
  head.nbins = wanted;
  memcpy(out, &head, sizeof(head));
  memcpy(out + sizeof(head), raw + sizeof(head), kept);
  memcpy(out + sizeof(head) + 8 * (size_t)wanted, raw + sizeof(head) + 8 * (size_t)bins, kept);
  *record = out;
  return DARSHAN_TAKEN_RECORD;
}

enum darshan_taken darshan_next_heatmap(struct darshan_records *records, const void **record,
                                        size_t *size, struct darshan_error *error) {
  const size_t head_size = sizeof(struct darshan_heatmap_head);
  enum darshan_taken taken = darshan_records_need(records, head_size, error);
  if (taken != DARSHAN_TAKEN_RECORD) return taken;
  int64_t bins = host_word(records, offsetof(struct darshan_heatmap_head, nbins));
  if (bins < 0 || bins > ITEMS_MAX) return bad_count("bins", bins, error);
  unsigned char *raw = take(records, head_size + 16 * (uint64_t)bins, &taken, error);
  if (!raw) return taken;
  if (records->swapped) darshan_swap_words(raw, head_size / 8 + 2 * (size_t)bins);
  if (records->first_bins < 0) {
    records->first_bins = bins;
    memcpy(&records->first_width, raw + offsetof(struct darshan_heatmap_head, bin_width_seconds),
           sizeof(records->first_width));
  }
  return repair_heatmap(records, raw, record, size, error);
}

enum darshan_taken darshan_next_mdhim(struct darshan_records *records, const void **record,
                                      size_t *size, struct darshan_error *error) {
  const size_t head = sizeof(struct darshan_mdhim_head);
  enum darshan_taken taken = darshan_records_need(records, head, error);
  if (taken != DARSHAN_TAKEN_RECORD) return taken;
  int64_t servers =
      host_word(records, offsetof(struct darshan_mdhim_head, counters) + 8 * MDHIM_SERVERS);
  if (servers < 0 || servers > ITEMS_MAX) return bad_count("servers", servers, error);
  *size = head + 8 * (servers > 1 ? (size_t)servers : 1);
  unsigned char *raw = take(records, *size, &taken, error);
  if (!raw) return taken;
  if (records->swapped) darshan_swap_words(raw, *size / 8);
  *record = raw;
  return DARSHAN_TAKEN_RECORD;
}

static void swap_apmpi(unsigned char *raw, size_t size) {
  const size_t sync = offsetof(struct darshan_apmpi_head, sync);
  if (size != sizeof(struct darshan_apmpi_head)) { /* a name follows the numbers */
    darshan_swap_words(raw, offsetof(struct darshan_apmpi_record, processor) / 8);
    return;
  }
  darshan_swap_words(raw, sync / 8);
  darshan_swap_halves(raw + sync, 2);
  darshan_swap_words(raw + sync + 8, 2);
}

enum darshan_taken darshan_next_apmpi(struct darshan_records *records, const void **record,
                                      size_t *size, struct darshan_error *error) {
  const size_t head = sizeof(struct darshan_apmpi_head);
  enum darshan_taken taken = darshan_records_need(records, head, error);
  if (taken != DARSHAN_TAKEN_RECORD) return taken;
  bool is_head = host_word(records, offsetof(struct darshan_apmpi_head, magic)) == APMPI_MAGIC;
  *size = is_head ? head : sizeof(struct darshan_apmpi_record);
  unsigned char *raw = take(records, *size, &taken, error);
  if (!raw) return taken;
  if (records->swapped) swap_apmpi(raw, *size);
  *record = raw;
  return DARSHAN_TAKEN_RECORD;
}

const char *darshan_apmpi_call(int index, int *sized) {
  static const struct {
    const char *name;
    int sized;
  } calls[] = {
#define APMPI_CALL(name, sized, sync) {#name, sized},
#include "modules/apmpi/counted.def"
  };
  if (index < 0 || (size_t)index >= sizeof(calls) / sizeof(calls[0])) return NULL;
  *sized = calls[index].sized;
  return calls[index].name;
}
