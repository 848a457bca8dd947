/* How the modules of libraries (HDF5, PnetCDF) change a record: entered and
 * locked, with times that leave out what overlaps. */
#ifndef DARSHAN_UPDATE_H
#define DARSHAN_UPDATE_H

#include "../intercept/spin.h"
#include "../job/runtime.h"

/* 0: the event is not to be counted; record_unlock otherwise. */
static inline int record_lock(int *lock) {
  if (!runtime_enter()) return 0;
  spin_lock(lock);
  return 1;
}
static inline void record_unlock(int *lock) {
  spin_unlock(lock);
  runtime_leave();
}

static inline void record_note_start(double *first, double start) {
  if (*first == 0 || start < *first) *first = start;
}
/* Time without what overlaps the call before it. */
static inline double record_time(double *last, double start, double end) {
  double passed = end - (start > *last ? start : *last);
  if (end > *last) *last = end;
  return passed;
}

#endif
