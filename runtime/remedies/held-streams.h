/* Streams of regular files that have a buffer of ours, for the remedies stdio-buffer and
 * flush-delay. What they hold back is written before anybody else can look at the file: before
 * calls that end the process, start another program, or look at files by their names or
 * descriptors, and when a signal ends the process. */
#ifndef DARSHAN_HELD_STREAMS_H
#define DARSHAN_HELD_STREAMS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct held {
  FILE *file;
  void *buffer;
  int is_open;     /* and has the buffer */
  int is_let_go;   /* and still open */
  int only_writes; /* opened by "w" or "a" */
  dev_t device;
  ino_t inode;
  int mode;         /* of setvbuf, as the program wants it: what the stream gets if it is let go */
  char *own;        /* the program's buffer; NULL: libc's */
  size_t size;      /* of the program's buffer */
  uint64_t flushed; /* nanoseconds: when a flush of the program was last obeyed */
};

/* Returns the stream's element if it has a buffer of ours; else NULL. */
struct held *held_stream(FILE *file);

/* Writes what the streams hold back. */
void held_streams_write(void);

/* The same in a signal handler: writes to the descriptors, and leaves the streams as they are. */
void held_streams_save(void);

/* From the first held stream on, signals that end the process call held_streams_save before. */
void fatal_signals_watch(void);

#endif
