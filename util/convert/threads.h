/* Threads of traces as numbers: pthread_self is an address, which tells where a process had
 * its memory. */
#ifndef DARSHAN_CONVERT_THREADS_H
#define DARSHAN_CONVERT_THREADS_H

#include "darshan-read.h"

#include "../parser/id-table.h"

struct threads {
  struct id_table ranks;   /* of each rank: how many threads it has so far */
  struct id_table numbers; /* of each thread of a rank: its number */
};

void threads_open(struct threads *threads);
void threads_close(struct threads *threads);
/* Gives the threads of a record of DXT, in its newest layout, the numbers 1, 2, ... of their
 * process, the same in all records.  0 stays 0: unknown.  0, or -1 after a line. */
int threads_number(struct threads *threads, void *record);

#endif
