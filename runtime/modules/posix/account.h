/* For the POSIX module's own files: what an event adds to a locked record, and which modules are
 * notified when the record is unlocked. */
#ifndef DARSHAN_POSIX_ACCOUNT_H
#define DARSHAN_POSIX_ACCOUNT_H

#include "../dxt/dxt.h"
#include "../heatmap/heatmap.h"
#include "../layers/layers.h"
#include "modules/posix/records.h"
#include "posix.h"

/* Unlock a record, then notify the layers module. It locks records of its own, so no lock is held
 * then. */
static inline void posix_unlock_other(struct posix_file *file, uint64_t t1, uint64_t t2) {
  uint32_t watched = file->aux->watched;
  posix_unlock(file);
  if (UNLIKELY(watched)) layers_other_slow(t2 - t1);
}
static inline void posix_unlock_transfer(struct posix_file *file, int writes, int64_t bytes,
                                         int64_t offset, uint64_t t1, uint64_t t2) {
  struct posix_aux *aux = file->aux;
  const int64_t *counters = file->record->counters;
  heatmap_add(HEATMAP_POSIX, &aux->span, aux->booked, &counters[POSIX_BYTES_READ],
              &counters[POSIX_BYTES_WRITTEN], writes, bytes, t1, t2);
  if (UNLIKELY(aux->traced)) dxt_append(DXT_POSIX, aux->traced, writes, bytes, offset, t1, t2);
  uint32_t watched = aux->watched;
  posix_unlock(file);
  if (UNLIKELY(watched))
    layers_transfer_slow(posix_file_number(file), writes, bytes, offset, t2 - t1);
}

/* Parts of records. The caller holds the record's lock. */
static inline void posix_add_time(struct posix_file *file, int fcounter, enum posix_operation kind,
                                  struct clock_span at) {
  file->record->fcounters[fcounter] += record_time(&file->last_end[kind], at);
}
static inline void posix_add_meta_time(struct posix_file *file, uint64_t t1, uint64_t t2) {
  posix_add_time(file, POSIX_F_META_TIME, POSIX_NOTHING_YET, ticks_span(t1, t2));
}
static inline void posix_note_start(struct posix_file *file, int fcounter, double start) {
  record_note_start(&file->record->fcounters[fcounter], start);
}

#endif
