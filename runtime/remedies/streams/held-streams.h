/* Streams of regular files with a larger buffer of the runtime, for the remedies stdio-buffer and
 * flush-delay. Their unwritten bytes are written before the program or another process can inspect
 * the file: before calls that end the process, start another program, or use files by their names
 * or descriptors, and when a signal ends the process. */
#ifndef DARSHAN_HELD_STREAMS_H
#define DARSHAN_HELD_STREAMS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* A stream of the program that has, or once had, a buffer of the runtime. */
struct held {
  FILE *file;      /* never changes; NULL: a free element */
  void *buffer;    /* of the runtime; stays allocated for the next stream at this address */
  int is_open;     /* 1: the stream is open and has the buffer */
  int is_let_go;   /* 1: the stream is open and has the program's buffer again */
  int only_writes; /* 1: opened by "w" or "a" without "+" */
  dev_t device;    /* device and inode identify the file */
  ino_t inode;
  int mode;         /* mode of setvbuf that the program requested; restored when the remedy ends */
  char *own;        /* buffer that the program chose; NULL: libc's */
  size_t size;      /* of the program's buffer, in bytes */
  uint64_t flushed; /* CLOCK_MONOTONIC at the last flush that was carried out, in nanoseconds */
};

/* Returns the stream's element if the stream has a buffer of the runtime, else NULL. */
struct held *held_stream(FILE *file);

/* Flushes all streams that have a buffer of the runtime, except those that another thread has
 * locked. They keep the buffer. Preserves errno. */
void held_streams_write(void);

/* Flushes all streams and restores the buffers that the program chose. From then on no stream gets
 * a buffer of the runtime. */
void held_streams_stop(void);

/* Writes the unwritten bytes of the streams with only_writes to their descriptors, without changing
 * the streams, when a signal ends the process. Errors are ignored. Async-signal-safe. */
void held_streams_save(void);

/* Returns 1 if the program imports a function that reports or discards the contents of a stream's
 * buffer, so that no stream may get a buffer of the runtime; else 0. */
int stream_state_is_asked(void);

/* Installs handlers of the signals that would end the process, at its first call. A handler writes
 * the delayed bytes (held_streams_save, join_writes_save) and then lets the signal end the process.
 * Also makes quick_exit write the delayed bytes. */
void fatal_signals_watch(void);

#endif
