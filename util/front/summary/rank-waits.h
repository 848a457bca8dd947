/* Time in which ranks of MPI jobs waited for other ranks (module MPIWAIT). */
#ifndef DARSHAN_FRONT_RANK_WAITS_H
#define DARSHAN_FRONT_RANK_WAITS_H

#include "darshan-read.h"

/* Returns the seconds of all ranks in a log. A log with damage has those before it. */
double rank_waits_of(darshan_log *log);

#endif
