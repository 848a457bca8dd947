/* Replaces thread ids in traces by numbers: pthread_self is an address, which reveals the memory
 * layout of a process. */
#ifndef DARSHAN_CONVERT_THREADS_H
#define DARSHAN_CONVERT_THREADS_H

#include "darshan-read.h"

#include "../parser/id-table.h"

struct threads {
  struct id_table ranks;   /* rank -> number of its threads so far */
  struct id_table numbers; /* rank and thread -> number */
};

void threads_open(struct threads *threads);
void threads_close(struct threads *threads);
/* Replaces the thread ids of a DXT record in its newest layout by 1, 2, ... per rank, the same in
 * all records. 0 (not known) stays. Returns 0, or -1 after a message. */
int threads_number(struct threads *threads, void *record);

#endif
