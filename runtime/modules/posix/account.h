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

/* Counts a call for its call site (the stack that made it), if the application made it and not a
 * library whose calls are recorded. kind: SITE_NOTHING counts nothing. t1, t2: ticks before and
 * after the call. Called only if sites_on is set, outside of updates, for calls on files without a
 * record. */
void posix_tell_site(enum site_kind kind, uint64_t t1, uint64_t t2);

/* Unlock the record of a file, notify the modules that watch it (posix_aux.watched), and end the
 * update. The record is unlocked first, because these modules lock records of their own.
 * posix_tell_other_and_leave: for a call that moved no bytes. posix_tell_transfer_and_leave: for a
 * read (writes is 0) or write (1) of `bytes` bytes; offset: -1 if unknown. t1, t2: ticks before and
 * after the call. */
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
/* Like posix_unlock_other, for a read (writes is 0) or write (1) of `bytes` bytes, which it first
 * adds to the heat map and, if DXT traces the record, to the trace. offset: -1 if unknown. */
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

/* A file that was read to this size or farther is looked at for holes when it is closed: reads of
 * holes of smaller files cost little. posix_may_have_holes returns 1 for such a file, if the
 * process has not looked at it yet, so that all other closes query nothing. */
enum { POSIX_SPARSE_SIZE = 16 << 20 };
static inline int posix_may_have_holes(const struct posix_file *file) {
  return file->record && !file->holes_known &&
         file->record->counters[POSIX_MAX_BYTE_READ] >= POSIX_SPARSE_SIZE - 1;
}

/* posix_add_time adds the duration of an operation to an fcounter of the record, without its
 * overlap with earlier operations of its kind; posix_add_meta_time does this for a metadata
 * operation; posix_note_start stores the start, in seconds, if it is the earliest one. kind: whose
 * last end the operation is compared with, POSIX_NOTHING_YET for metadata. The caller holds the
 * record's lock. */
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
