/* The module TRAINING_TIME: when a process of a training waited for data and made batches. Each
 * kind of time has a record with the layout of a heat map, with milliseconds in place of bytes. */
#ifndef DARSHAN_TRAINING_TIME_H
#define DARSHAN_TRAINING_TIME_H

#include <stdint.h>

/* The kinds of time. Each kind has two series of bins: the whole time, and a part of it. */
enum training_time {
  TIME_OF_EPOCHS,  /* whole: epochs; part: the wait for data */
  TIME_OF_BATCHES, /* whole: making batches; part: calls on files */
  /* whole: running or ready to run while making batches, outside of calls on files; part: ready,
   * but without a processor */
  TIME_ON_PROCESSORS,
  TRAINING_TIMES
};

void training_time_forked(void);

/* Called at the end of a job, so that the bins of all ranks have the same width:
 * training_time_agree doubles the width of this rank's bins until they cover `seconds`, the latest
 * end of all ranks. training_time_last returns 0, because this module has no times that end later
 * than those of other modules. */
double training_time_last(void);
void training_time_agree(double seconds);

/* Returns the nanoseconds of a number of ticks of the runtime's clock. */
int64_t training_nanoseconds(uint64_t ticks);

/* Makes the record of a kind, if there is none and TRAINING_TIME is on. worker: number of this
 * process as a worker of a DataLoader, which is in the record's name; negative: this process is not
 * a worker. The caller holds no lock. */
void training_time_begin(enum training_time kind, int64_t worker);

/* Adds `whole` nanoseconds of a kind, spread evenly over the time from t1 to t2 (ticks), to the
 * bins of the whole time, and `part` nanoseconds, at most `whole`, to those of the part. If the
 * kind has no record yet, they are stored until it has one. The caller holds training_lock. */
void training_time_add(enum training_time kind, uint64_t t1, uint64_t t2, int64_t whole,
                       int64_t part);

#endif
