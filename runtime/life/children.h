/* The journals of this process and its forked descendants, in memory that they
 * share: whoever of them ends normally writes the logs of those that were
 * killed (as multiprocessing.Pool does with its workers). */
#ifndef DARSHAN_CHILDREN_H
#define DARSHAN_CHILDREN_H

#include <stdint.h>
#include <sys/types.h>

enum { CHILDREN = 256, CHILD_PATH_ROOM = 480 };

struct child { /* one forked process that records */
  int32_t pid; /* 0: free; negative: being adopted */
  ino_t names; /* the namespace of this number; 0: not known */
  dev_t dev;
  ino_t ino;
  char path[CHILD_PATH_ROOM];
};

/* Before a fork: the shared memory, if there is none yet. */
void children_prepare(void);
/* This process is a forked child and has a journal now. */
void children_add_self(void);
/* Its log is written, or its image about to be replaced. */
void children_remove_self(void);
/* Writes the logs of children that are gone and could not; of those that may live, in
 * another namespace of process ids, one line names the journal. */
void children_adopt(void);

#endif
