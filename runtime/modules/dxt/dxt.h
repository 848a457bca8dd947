/* DXT: a segment for every transfer, off unless asked for.  Segments are kept
 * per counter record and become the DXT part of the log at the end; a process
 * that dies takes them along. */
#ifndef DARSHAN_DXT_H
#define DARSHAN_DXT_H

#include "../../door/door.h"
#include "dxt-state.h"

int dxt_prepare(void);
void dxt_forked(void);

/* With the record's lock held.  number: of the counter record of the same
 * module; offset -1: unknown; t1, t2: ticks. */
void dxt_append(enum dxt_module module, uint32_t number, int writes, int64_t bytes, int64_t offset,
                uint64_t t1, uint64_t t2);

static inline int dxt_on(enum dxt_module module) {
  return dxt_state.recorders[module].on != 0;
}

/* After each counted transfer of the MPI-IO module. */
static inline void dxt_mpiio(uint32_t number, int writes, int64_t bytes, int64_t offset,
                             uint64_t t1, uint64_t t2) {
  if (UNLIKELY(dxt_on(DXT_MPIIO))) dxt_append(DXT_MPIIO, number, writes, bytes, offset, t1, t2);
}

/* Adds the traces of this process to a log. */
struct log_content;
void dxt_add_parts(struct log_content *content);

#endif
