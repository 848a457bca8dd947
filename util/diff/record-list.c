/* Reads and sorts all records of a module (record-list.h). */
#include "record-list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int record_list_order(const struct record_place *left, const struct record_place *right) {
  if (left->id != right->id) return left->id < right->id ? -1 : 1;
  if (left->rank != right->rank) return left->rank < right->rank ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

static int compare(const void *left, const void *right) {
  return record_list_order(left, right);
}

/* Numbers the records that have the same id and rank from 0. These numbers replace the records'
 * positions in the log. */
static void number_anew(struct record_list *list) {
  size_t first = 0;
  for (size_t i = 0; i < list->count; i++) {
    struct record_place *place = &list->places[i];
    const struct record_place *before = &list->places[first];
    if (place->id != before->id || place->rank != before->rank) first = i;
    place->number = i - first;
  }
}

/* Makes an array hold at least `needed` elements of `size` bytes. *room: its capacity. Returns 0,
 * or -1 if out of memory or above DARSHAN_BLOCK_MAX bytes. */
static int grow(void **memory, size_t *room, size_t needed, size_t size) {
  if (needed <= *room) return 0;
  size_t more = 2 * needed;
  void *grown = more <= DARSHAN_BLOCK_MAX / size ? realloc(*memory, more * size) : NULL;
  if (!grown) return -1;
  *memory = grown;
  *room = more;
  return 0;
}

int record_list_read(struct record_list *list, darshan_log *log, int module,
                     struct darshan_error *error) {
  size_t used = 0, room = 0, places = 0, size;
  const void *record;
  void *bytes = NULL, *table = NULL;
  int more;
  *list = (struct record_list){.bytes = NULL};
  darshan_records *records = darshan_records_open(log, module, error);
  if (!records) return -1;
  while ((more = darshan_records_next(records, &record, &size, error)) > 0) {
    if (grow(&bytes, &room, used + size, 1) < 0 ||
        grow(&table, &places, list->count + 1, sizeof(*list->places)) < 0) {
      snprintf(error->text, sizeof(error->text), "too many records for the memory");
      more = -1;
      break;
    }
    const struct darshan_base_record *base = record;
    memcpy((char *)bytes + used, record, size);
    ((struct record_place *)table)[list->count] =
        (struct record_place){base->id, base->rank, list->count, used, size};
    list->count++;
    used += size;
  }
  darshan_records_close(records);
  list->bytes = bytes;
  list->places = table;
  if (list->count) qsort(list->places, list->count, sizeof(*list->places), compare);
  number_anew(list);
  return more;
}

void record_list_free(struct record_list *list) {
  free(list->bytes);
  free(list->places);
  *list = (struct record_list){.bytes = NULL};
}
