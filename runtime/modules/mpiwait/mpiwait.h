/* The MPIWAIT module: time in which this rank waited for other ranks, in MPI calls that the program
 * made. One record per process. */
#ifndef DARSHAN_MPIWAIT_H
#define DARSHAN_MPIWAIT_H

#include "../../door/door.h"

/* The ranks that a call waits for. */
enum mpiwait_whom {
  MPIWAIT_NOBODY,
  MPIWAIT_ALL, /* all ranks of a communicator: collective calls */
  MPIWAIT_SOME /* single ranks: messages, and one-sided communication */
};

/* State of the module that is not part of its record. */
struct mpiwait_state {
  int on;               /* 1: waits are measured */
  int lock;             /* protects the record and the members below */
  uint32_t number;      /* number of the record */
  int bin;              /* the current bin, from `from` to `until` */
  uint64_t from, until; /* begin and end of the current bin, in ticks; 0 before the first wait */
  uint64_t counted;     /* all time before these ticks was counted, or was not a wait */
  double end;           /* end of recording, in seconds */
};

extern struct mpiwait_state mpiwait_state __attribute__((visibility("hidden")));

/* Adds a wait from t1 to t2, in ticks, to the time bins of the record, which is made if necessary.
 * whom: MPIWAIT_ALL or MPIWAIT_SOME. If several threads wait at the same time, the time counts
 * once. */
void mpiwait_count(enum mpiwait_whom whom, uint64_t t1, uint64_t t2);

int mpiwait_prepare(void);
void mpiwait_forked(void);
/* Called before recording ends: makes the record of a rank that never waited, so that in a job of
 * several ranks each has a record. */
void mpiwait_ending(void);
/* Called when recording ends: stores the time. */
void mpiwait_ended(void);
/* mpiwait_last returns 0, because this module has no operations that end later than those of other
 * modules. In a job, mpiwait_agree receives the latest end of all ranks, in seconds from the start.
 * It counts the time until that end as a wait for all ranks (in MPI_Finalize), gives the bins the
 * width that they have on all ranks, and rounds them. */
double mpiwait_last(void);
void mpiwait_agree(double seconds);

#endif
