/* DXT: records a segment for every transfer; off by default. Segments are stored per counter record
 * in memory and are written to the log at exit. If the process is killed, they are lost. */
#ifndef DARSHAN_DXT_H
#define DARSHAN_DXT_H

#include "../../door/door.h"
#include "dxt-state.h"

int dxt_prepare(void);
void dxt_forked(void);

/* Adds a segment to the trace of a counter record, unless the record is not traced or the memory is
 * full; the module is then marked as incomplete. number: of the counter record. writes: 1 for a
 * write, 0 for a read. offset: in the file, -1 if unknown. t1, t2: begin and end in ticks. The
 * module must be on. The caller holds the record's lock. */
void dxt_append(enum dxt_module module, uint32_t number, int writes, int64_t bytes, int64_t offset,
                uint64_t t1, uint64_t t2);

static inline int dxt_on(enum dxt_module module) {
  return dxt_state.recorders[module].on != 0;
}

/* dxt_append for MPI-IO, if its transfers are traced. Called after each transfer that the MPI-IO
 * module counts, with the record's lock held. */
static inline void dxt_mpiio(uint32_t number, int writes, int64_t bytes, int64_t offset,
                             uint64_t t1, uint64_t t2) {
  if (UNLIKELY(dxt_on(DXT_MPIIO))) dxt_append(DXT_MPIIO, number, writes, bytes, offset, t1, t2);
}

struct log_content;
/* Adds the traces of this process to a log, if DXT is on: those of files that meet the triggers. */
void dxt_add_parts(struct log_content *content);

#endif
