/* How the modules change a record: entered and locked, with times that leave out
 * what overlaps. */
#ifndef DARSHAN_UPDATE_H
#define DARSHAN_UPDATE_H

#include "../intercept/spin.h"
#include "runtime.h"

/* 0: the event is not to be counted; record_unlock otherwise. */
static inline int record_lock(int *lock) {
  if (!runtime_enter()) return 0;
  if (LIKELY(spin_lock(SPIN_RECORD, lock))) return 1;
  runtime_leave();
  return 0;
}
static inline void record_unlock(int *lock) {
  spin_unlock(lock);
  runtime_leave();
}

/* Before a record of this module may have to be made by a thread that already has
 * another's lock: room in the journal's file, without which it would be in memory. */
static inline void record_make_room(enum store_module module) {
  if (LIKELY(darshan_guard == 0 && runtime_phase() == RUNTIME_RECORDING))
    store_make_room(&darshan_store, module);
}

static inline void record_note_start(double *first, double start) {
  if (*first == 0 || start < *first) *first = start;
}
/* Time without what overlaps calls before it.  None is left where a call of
 * another thread ended later and was counted first. */
static inline double record_time(double *last, struct clock_span at) {
  double from = at.start > *last ? at.start : *last;
  if (at.end <= from) return 0;
  *last = at.end;
  return at.end - from;
}

#endif
