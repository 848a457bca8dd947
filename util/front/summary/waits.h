/* Time that processes waited: in epochs of PyTorch's DataLoader (module TRAINING), and for other
 * ranks of MPI jobs (module MPIWAIT). */
#ifndef DARSHAN_FRONT_WAITS_H
#define DARSHAN_FRONT_WAITS_H

#include "darshan-read.h"

struct epochs { /* summed over all loaders of some logs */
  double number, batches;
  double whole;   /* seconds, from the begin of each epoch to its end */
  double wait;    /* seconds of these in calls of the DataLoader */
  double begin;   /* seconds of the wait, up to the first batch of each epoch */
  double longest; /* seconds of the longest wait for another batch */
};

/* Adds the epochs of a log. A log with damage adds the records before it. */
void epochs_add(struct epochs *sum, darshan_log *log);

/* Returns the seconds for which all ranks in a log waited for others. A log with damage has those
 * before it. */
double rank_waits_of(darshan_log *log);

#endif
