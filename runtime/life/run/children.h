/* The journals of forked descendants, in memory that they share with this process. When this
 * process ends normally, it writes the logs of descendants that were killed (multiprocessing.Pool
 * kills its workers). */
#ifndef DARSHAN_CHILDREN_H
#define DARSHAN_CHILDREN_H

#include <stdint.h>
#include <sys/types.h>

enum { CHILDREN = 256, CHILD_PATH_ROOM = 480 };

struct child { /* one forked process that records */
  int32_t pid; /* 0: free; negative: being filled in or adopted */
  ino_t names; /* the PID namespace's inode; 0: unknown */
  dev_t dev;
  ino_t ino;
  char path[CHILD_PATH_ROOM];
};

/* Called before a fork. Maps the shared memory if it is not mapped yet. Does nothing in a run,
 * whose merger reads the journals. */
void children_prepare(void);
/* Enters this process's journal into the table, if a slot is free and the path fits. Called in a
 * forked child when it has a journal. */
void children_add_self(void);
/* Removes this process's journal from the table. Called when the process's log is written, or a
 * message has named the journal. */
void children_remove_self(void);
/* Writes the logs of children that were killed.  A child in another PID namespace may still run;
 * one line on stderr names its journal. */
void children_adopt(void);

#endif
