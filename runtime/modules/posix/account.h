/* For files of the POSIX module: adds an event to a locked record, and notifies other modules after
 * the record is unlocked. */
#ifndef DARSHAN_POSIX_ACCOUNT_H
#define DARSHAN_POSIX_ACCOUNT_H

#include "../dxt/dxt.h"
#include "../heatmap/heatmap.h"
#include "../layers/layers.h"
#include "../sites/sites.h"
#include "modules/posix/records.h"
#include "posix.h"

/* Counts a call for its call site, if the application made it and not a library whose calls are
 * recorded. Called only if sites_on is set, outside of updates, for calls on files without a
 * record. */
void posix_tell_site(enum site_kind kind, uint64_t t1, uint64_t t2);

/* Unlock the record of a file, notify the modules that watch it (posix_aux.watched), and end the
 * update. The record is unlocked first, because these modules lock records of their own. */
void posix_tell_other_and_leave(struct posix_file *file, enum site_kind kind, uint64_t t1,
                                uint64_t t2);
void posix_tell_transfer_and_leave(struct posix_file *file, int writes, int64_t bytes,
                                   int64_t offset, uint64_t t1, uint64_t t2);

/* Unlocks the record and ends the update, like posix_tell_other_and_leave, but without a function
 * call if no module watches the record. */
static inline void posix_unlock_other(struct posix_file *file, enum site_kind kind, uint64_t t1,
                                      uint64_t t2) {
  if (LIKELY(!file->aux->watched))
    posix_unlock(file);
  else
    posix_tell_other_and_leave(file, kind, t1, t2);
}
/* The same for a read or write, which it also adds to the heat map and, if DXT traces the record,
 * to the trace. offset: -1 if unknown. */
static inline void posix_unlock_transfer(struct posix_file *file, int writes, int64_t bytes,
                                         int64_t offset, uint64_t t1, uint64_t t2) {
  struct posix_aux *aux = file->aux;
  const int64_t *counters = file->record->counters;
  heatmap_add(HEATMAP_POSIX, &aux->span, aux->booked, &counters[POSIX_BYTES_READ],
              &counters[POSIX_BYTES_WRITTEN], writes, bytes, t1, t2);
  if (UNLIKELY(aux->traced)) dxt_append(DXT_POSIX, aux->traced, writes, bytes, offset, t1, t2);
  if (LIKELY(!aux->watched))
    posix_unlock(file);
  else
    posix_tell_transfer_and_leave(file, writes, bytes, offset, t1, t2);
}

/* posix_add_time adds the time of an operation to an fcounter of the record; posix_add_meta_time
 * adds that of a metadata operation; posix_note_start stores the earliest start. The caller holds
 * the record's lock. */
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
