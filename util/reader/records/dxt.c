/* Reads DXT records. Segments of old versions get a thread id of 0, and segments of DXT_MPIIO of
 * version 1, which lack the offset, an offset of -1. */
#include "../bytes.h"
#include "../reader.h"

#include <string.h>

/* Returns true if segments have the thread id, their last field. Only the newest version has this
 * field. */
static bool has_thread_id(const struct darshan_records *records) {
  return records->version == records->module->version;
}

static bool has_no_offsets(const struct darshan_records *records) {
  return records->module->id == DARSHAN_MOD_DXT_MPIIO && records->version == 1;
}

static void swap_head(struct darshan_dxt_head *head) {
  darshan_swap_words(head, offsetof(struct darshan_dxt_head, hostname) / 8);
  darshan_swap_words(&head->write_count, 2);
}

/* Converts a trace whose segments lack the thread id. raw: head in host byte order and `segments`
 * segments, writes first. Returns DARSHAN_TAKEN_RECORD with the copy in *record and its bytes in
 * *size; DARSHAN_TAKEN_ERROR if out of memory. */
static enum darshan_taken widen_segments(struct darshan_records *records, const void *raw,
                                         uint64_t segments, const void **record, size_t *size,
                                         struct darshan_error *error) {
  const size_t old_size = offsetof(struct darshan_dxt_segment, pthread_id);
  *size = sizeof(struct darshan_dxt_head) + segments * sizeof(struct darshan_dxt_segment);
  void *out = darshan_records_room(records, *size / 8, error);
  if (!out) return DARSHAN_TAKEN_ERROR;
  memcpy(out, raw, sizeof(struct darshan_dxt_head));
  const char *from = (const char *)raw + sizeof(struct darshan_dxt_head);
  struct darshan_dxt_segment *to = (void *)((struct darshan_dxt_head *)out + 1);
  for (uint64_t i = 0; i < segments; i++, from += old_size, to++) {
    memcpy(to, from, old_size);
    to->pthread_id = 0;
    if (has_no_offsets(records)) to->offset = -1;
  }
  *record = out;
  return DARSHAN_TAKEN_RECORD;
}

enum darshan_taken darshan_next_dxt(struct darshan_records *records, const void **record,
                                    size_t *size, struct darshan_error *error) {
  struct darshan_dxt_head head;
  enum darshan_taken taken = darshan_records_need(records, sizeof(head), error);
  if (taken != DARSHAN_TAKEN_RECORD) return taken;
  memcpy(&head, records->buffer + records->begin, sizeof(head));
  if (records->swapped) swap_head(&head);
  const int64_t most = (int64_t)(DARSHAN_RECORD_MAX / sizeof(struct darshan_dxt_segment));
  if (head.write_count < 0 || head.read_count < 0 || head.write_count > most ||
      head.read_count > most - head.write_count)
    return darshan_fail(error, "corrupt data: a record claims %lld writes and %lld reads",
                        (long long)head.write_count, (long long)head.read_count);
  uint64_t segments = (uint64_t)head.write_count + (uint64_t)head.read_count;
  size_t segment_size = has_thread_id(records) ? sizeof(struct darshan_dxt_segment)
                                               : offsetof(struct darshan_dxt_segment, pthread_id);
  uint64_t raw_size = sizeof(head) + segments * segment_size;
  taken = darshan_records_need(records, raw_size, error);
  if (taken != DARSHAN_TAKEN_RECORD) return taken;
  unsigned char *raw = records->buffer + records->begin;
  records->begin += raw_size;
  memcpy(raw, &head, sizeof(head));
  if (records->swapped) darshan_swap_words(raw + sizeof(head), (raw_size - sizeof(head)) / 8);
  if (!has_thread_id(records)) return widen_segments(records, raw, segments, record, size, error);
  *record = raw;
  *size = raw_size;
  return DARSHAN_TAKEN_RECORD;
}
