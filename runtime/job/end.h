/* What start (runtime.c) and end (end.c) of recording know of each other. */
#ifndef DARSHAN_END_H
#define DARSHAN_END_H

#include "runtime.h"

/* The phase, to change it. */
static inline uint32_t *runtime_phase_word(void) {
  return (uint32_t *)(uintptr_t)darshan_hot.phase_page;
}

/* Fills in the job's record; the mount table is what costs most to read, and
 * serves only to place names. */
void runtime_describe_job(int with_mounts);

/* In a forked child: the parent's records are not ours. */
void runtime_become_child(void);

/* Stops recording; the phase before, RUNTIME_OFF if there is nothing to write. */
uint32_t runtime_stop_recording(void);

/* What an exec that fails gives back. */
struct exec_state {
  uint32_t phase_before;
  int thread; /* who is about to exec, and in which frame */
  const char *frame;
  int log_written; /* log_state.path is a finished log */
};
extern struct exec_state exec_state __attribute__((visibility("hidden")));

#endif
