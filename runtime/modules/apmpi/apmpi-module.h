/* The APMPI module: what MPI's communication is called for, how often, and how long it takes.
 * One record for the whole process. */
#ifndef DARSHAN_APMPI_MODULE_H
#define DARSHAN_APMPI_MODULE_H

#include "../../door/door.h"
#include "../../mpi/library.h"
#include "../layers/layers.h"
#include "apmpi-state.h"

/* Those of counted.def. */
enum apmpi_counter {
  APMPI_NONE = -1,
#define APMPI_CALL(name, sized, sync) APMPI_##name,
#include "counted.def"
  APMPI_CALLS
};

/* A call under way. */
struct apmpi_call {
  int counted, meets;
  int inside;                   /* of a call of an upper layer */
  uint64_t met_from, met_until; /* ticks, while ranks waited for one another */
  struct layer_between layer;
};

/* Does the outermost call count that has this frame? Not one inside of MPI-IO, nor what
 * beginning and ending a job calls. */
int apmpi_counts(const char *frame);

/* 0: nobody wants to know of this call. */
int apmpi_begin(struct apmpi_call *call, enum apmpi_counter counter, int waits, const char *frame);
/* Before a collective: a barrier of its ranks, if that is asked for. */
void apmpi_meet(struct apmpi_call *call, mpi_handle comm);
void apmpi_end(const struct apmpi_call *call, enum apmpi_counter counter, int result, int64_t bytes,
               uint64_t t1, uint64_t t2);
/* A call that succeeded. */
void apmpi_count(enum apmpi_counter counter, int64_t bytes, uint64_t t1, uint64_t t2);

int apmpi_prepare(void);
void apmpi_forked(void);
void apmpi_ending(void);

/* write.c: into the log */
struct log_content;
void apmpi_add_part(struct log_content *content);
/* Seconds in communication and of waiting for others; 0: there is no record. */
int apmpi_times(double times[2]);
/* Their variances over all ranks that have some; is_first: of those. */
void apmpi_agree(const double variances[2], int is_first);

/* bytes.c: what a call was to move, by its arguments; asked after it has succeeded.  What
 * MPI does not look at is not looked at here. */
int64_t apmpi_sized(int64_t count, mpi_handle type);
/* Nothing goes to, or comes from, the null process. */
int64_t apmpi_with(int peer, int64_t count, mpi_handle type);
/* A part of a collective: of the group that the root is not in, between two groups. */
int64_t apmpi_rooted(int root, int64_t count, mpi_handle type);
int apmpi_in_place(const void *buffer);
int apmpi_rank(mpi_handle comm);
int apmpi_peers(mpi_handle comm); /* with whom data is exchanged; the own group, or the other */
int apmpi_group(mpi_handle comm);
/* Whether all of its processes have agreed in MPI_Init: those of this world, no others that
 * were spawned or came by a port.  All of them find the same. */
int apmpi_all_agreed(mpi_handle comm);
int64_t apmpi_sum_of_int(const int *counts, int n);
int64_t apmpi_sum_of_int64_t(const int64_t *counts, int n);
int64_t apmpi_types_of_int(const int *counts, const void *types, int n);
int64_t apmpi_types_of_int64_t(const int64_t *counts, const void *types, int n);

#endif
