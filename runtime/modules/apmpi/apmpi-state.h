/* What the APMPI module keeps besides its record. */
#ifndef DARSHAN_APMPI_STATE_H
#define DARSHAN_APMPI_STATE_H

#include <stdint.h>

struct apmpi_state {
  int watched; /* calls are looked at: they are counted, or an upper layer was called once */
  int on;      /* they are counted */
  int lock;    /* of the record */
  uint32_t number;
  int without_head; /* another rank's record has it in the log */
  double variances[2];
};

extern struct apmpi_state apmpi_state __attribute__((visibility("hidden")));

/* From now on communication inside a call of an upper layer is that call's, too. */
static inline void apmpi_watch(void) {
  __atomic_store_n(&apmpi_state.watched, 1, __ATOMIC_RELAXED);
}

#endif
