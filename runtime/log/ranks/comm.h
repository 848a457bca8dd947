/* A communicator as the reduction sees it: messages between ranks, whoever
 * carries them.  comm-mpi.c does it in an MPI job; tests and darshan-merge keep
 * the messages in memory. */
#ifndef DARSHAN_COMM_H
#define DARSHAN_COMM_H

#include <stddef.h>

struct rank_comm {
  int rank, size;
  void *context; /* of whoever carries the messages */
  /* Both block and return 0 or -1.  Messages between two ranks arrive in the
   * order in which they were sent. */
  int (*send)(struct rank_comm *comm, int to, const void *bytes, size_t n);
  /* The message is allocated with private_memory: the receiver gives it
   * back with sys_munmap(bytes, n), nothing if n is 0. */
  int (*receive)(struct rank_comm *comm, int from, void **bytes, size_t *n);
};

#endif
