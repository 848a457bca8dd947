/* The APMPI module: numbers, bytes and times of MPI communication calls. One record per process. */
#ifndef DARSHAN_APMPI_MODULE_H
#define DARSHAN_APMPI_MODULE_H

#include "../../door/door.h"
#include "../../mpi/library.h"
#include "../layers/layers.h"
#include "../mpiwait/mpiwait.h"

/* State of the module that is not part of its record. */
struct apmpi_state {
  int watched;      /* why calls are timed: a set of enum apmpi_watch; 0: wrappers only forward */
  int on;           /* 1: calls are counted */
  int lock;         /* protects the record */
  uint32_t number;  /* number of the record; 0: no record yet */
  int without_head; /* 1: the part of another rank in the log has the head */
  double variances[2];
};

extern struct apmpi_state apmpi_state __attribute__((visibility("hidden")));

enum apmpi_watch {
  APMPI_WATCH_CALLS = 1, /* calls must be counted, or a call of an upper layer was made */
  APMPI_WATCH_WAITS = 2  /* waits for other ranks must be measured */
};

/* Makes the wrappers of MPI communication time calls for this reason, too, from now on. */
static inline void apmpi_watch(enum apmpi_watch reason) {
  __atomic_fetch_or(&apmpi_state.watched, reason, __ATOMIC_RELAXED);
}
/* Returns 1 if calls are timed for any of the reasons, a set of enum apmpi_watch, otherwise 0. */
static inline int apmpi_is_watched(int reasons) {
  return (__atomic_load_n(&apmpi_state.watched, __ATOMIC_RELAXED) & reasons) != 0;
}

/* The MPI functions that have counters (counted.def). */
enum apmpi_counter {
  APMPI_NONE = -1,
#define APMPI_CALL(name, sized, sync) APMPI_##name,
#include "counted.def"
  APMPI_CALLS
};

/* Whether a call waits for other ranks before it returns. */
enum apmpi_manner {
  APMPI_BEGINS, /* returns without waiting */
  APMPI_ASKS,   /* takes time to communicate, but waits for no rank */
  APMPI_WAITS   /* waits for other ranks */
};

/* An MPI call in progress. */
struct apmpi_call {
  int counted; /* 1: the call is counted at its end */
  int meets;   /* 1: apmpi_meet may run a barrier before it (DARSHAN_APMPI_COLL_SYNC) */
  int waits;   /* 1: the call counts as waiting for other ranks */
  int inside;  /* 1: it was made within a call of an upper layer */
  uint64_t met_from, met_until; /* begin and end of that barrier, in ticks */
  struct layer_between layer;
};

/* Returns 1 if APMPI is on and counts the MPI call whose wrapper has this stack frame. Otherwise
 * returns 0: calls within MPI-IO, MPI_Init or MPI_Finalize, before MPI_Init and after MPI_Finalize
 * are not counted. */
int apmpi_counts(const char *frame);

/* Returns 1 if the MPI call whose wrapper has this stack frame is counted as waiting for other
 * ranks, also if APMPI is off. Returns 0 if MPIWAIT is off, if the call was made within a call of
 * an upper layer such as HDF5 (LAYERS), and for calls that apmpi_counts leaves out by their place.
 */
int apmpi_counts_as_waiting(const char *frame);

/* Begins an MPI communication call whose wrapper has this stack frame. counter: its counter;
 * APMPI_NONE: it has none. Returns 1; the wrapper then calls apmpi_end. Returns 0 if the wrapper
 * must only forward. */
int apmpi_begin(struct apmpi_call *call, enum apmpi_counter counter, enum apmpi_manner manner,
                const char *frame);
/* apmpi_meet runs a barrier of all ranks of comm before a collective, if DARSHAN_APMPI_COLL_SYNC is
 * set in all ranks of the job and apmpi_all_agreed returns 1 for comm, and stores its begin and end
 * in *call. apmpi_end counts the call if it succeeded (result is 0), with `bytes` bytes, and its
 * waiting time with that of the barrier. whom: the ranks that it waited for. t1, t2: ticks before
 * and after the call. */
void apmpi_meet(struct apmpi_call *call, mpi_handle comm);
void apmpi_end(const struct apmpi_call *call, enum apmpi_counter counter, enum mpiwait_whom whom,
               int result, int64_t bytes, uint64_t t1, uint64_t t2);
/* Counts a successful call that moved `bytes` bytes and lasted from t1 to t2 (ticks) in the APMPI
 * record, which is made if necessary. counter: not APMPI_NONE. */
void apmpi_count(enum apmpi_counter counter, int64_t bytes, uint64_t t1, uint64_t t2);

int apmpi_prepare(void);
void apmpi_forked(void);
void apmpi_ending(void);

/* Functions of write.c, which writes the log. */

struct log_content;
void apmpi_add_part(struct log_content *content);
/* Stores two times of this rank, in seconds: in communication calls, and in the barriers before
 * collectives (apmpi_meet). Returns 1, or 0 if there is no record. */
int apmpi_times(double times[2]);
/* Stores the variances, over all ranks with a record, of the times that apmpi_times returns.
 * is_first: 1 if this is the first of these ranks. Only its part of the log begins with the head,
 * which has the variances. */
void apmpi_agree(const double variances[2], int is_first);

/* Functions of bytes.c, by which a wrapper computes the bytes of a call from its arguments after it
 * succeeded. Arguments that MPI ignores are not read. apmpi_sized returns the bytes of `count`
 * elements of a datatype; 0 if MPI cannot be queried. */
int64_t apmpi_sized(int64_t count, mpi_handle type);
/* Returns the bytes of a message to or from the rank `peer`; 0 if it is MPI_PROC_NULL. */
int64_t apmpi_with(int peer, int64_t count, mpi_handle type);
/* Returns the bytes of this rank's part of a collective with a root: `count` elements of a
 * datatype. Returns 0 if root is negative, as in the root's group of an intercommunicator
 * (MPI_ROOT, MPI_PROC_NULL), where the other arguments mean nothing. */
int64_t apmpi_rooted(int root, int64_t count, mpi_handle type);
int apmpi_in_place(const void *buffer);
int apmpi_rank(mpi_handle comm);
int apmpi_peers(mpi_handle comm); /* number of ranks in the remote group of an intercommunicator,
                                     else in the group */
int apmpi_group(mpi_handle comm);
/* Returns 1 if all processes of comm are in MPI_COMM_WORLD, so that they took part in the agreement
 * of MPI_Init. Returns 0 if some were spawned or connected later, for an intercommunicator, or if
 * MPI lacks a function. All processes get the same result. */
int apmpi_all_agreed(mpi_handle comm);
int64_t apmpi_sum_of_int(const int *counts, int n);
int64_t apmpi_sum_of_int64_t(const int64_t *counts, int n);
int64_t apmpi_types_of_int(const int *counts, const void *types, int n);
int64_t apmpi_types_of_int64_t(const int64_t *counts, const void *types, int n);

#endif
