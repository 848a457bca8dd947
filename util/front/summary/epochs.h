/* Epochs of PyTorch's DataLoader in some logs, summed over all loaders (module TRAINING). */
#ifndef DARSHAN_FRONT_EPOCHS_H
#define DARSHAN_FRONT_EPOCHS_H

#include "darshan-read.h"

struct epochs {
  double number, batches;
  double whole;   /* seconds, from the begin of each epoch to its end */
  double wait;    /* seconds of these in calls of the DataLoader */
  double begin;   /* seconds of the wait, up to the first batch of each epoch */
  double longest; /* seconds of the longest wait for another batch */
};

/* Adds the epochs of a log. A log with damage adds the records before it. */
void epochs_add(struct epochs *sum, darshan_log *log);

#endif
