/* State of the APMPI module that is not part of its record. */
#ifndef DARSHAN_APMPI_STATE_H
#define DARSHAN_APMPI_STATE_H

#include <stdint.h>

struct apmpi_state {
  int watched; /* 1: calls are counted, or an upper layer was called */
  int on;      /* 1: calls are counted */
  int lock;    /* of the record */
  uint32_t number;
  int without_head; /* 1: the head is in another rank's part of the log */
  double variances[2];
};

extern struct apmpi_state apmpi_state __attribute__((visibility("hidden")));

/* Makes communication within a call of an upper layer count for that call, too, from now on. */
static inline void apmpi_watch(void) {
  __atomic_store_n(&apmpi_state.watched, 1, __ATOMIC_RELAXED);
}

#endif
