/* State of the STDIO module that is not part of a record. */
#ifndef DARSHAN_STDIO_STATE_H
#define DARSHAN_STDIO_STATE_H

#include <stdint.h>
#include <stdio.h>

#include "../../memory/segments.h"
#include "../heatmap/heatmap-state.h"

struct darshan_stdio_record;

struct stdio_aux { /* belongs to a record; in its own cache line, as in posix-state.h */
  int lock;
  uint32_t ext;       /* number of its POSIX_EXT record, 0: none yet */
  uint32_t watched;   /* modules that receive the events: WATCHED_BY_ of sites.h */
  uint32_t below;     /* number of its STDIO_EXT record, 0: none */
  double last_end[3]; /* metadata, read, write */
  struct heatmap_span span;
  int64_t booked[2];
} __attribute__((aligned(64)));

/* Calls of one character, reads or writes (quick.h). */
struct stdio_quick {
  uint64_t since;       /* end of the last measured call, in ticks */
  uint16_t left, calls; /* quick calls before the next measured call: still left, and in total */
  uint32_t untimed;     /* calls whose time was not added yet */
  uint32_t ticks;       /* length of a call */
};

/* State of an open stream. */
struct stdio_stream {
  FILE *file;                          /* NULL: free */
  struct darshan_stdio_record *record; /* NULL: none yet */
  struct stdio_aux *aux;
  int64_t offset; /* below 0: unknown, as in a posix_file */
  uint64_t id;
  const char *name;
  uint32_t name_length;
  uint32_t next_free;
  struct stdio_stream *same_fd; /* another stream of this descriptor, NULL: none */
  uint32_t number;              /* of this stream */
  uint8_t standard;             /* 1: stdin, stdout or stderr, open from the start */
  uint8_t known;                /* 1: record and aux are those of its current file */
  uint8_t changed;              /* not 0: its descriptor has another file now (streams.c) */
  uint8_t encoding;             /* of wide characters, enum stdio_encoding; 0: not known yet */
  const void *owner;            /* the thread that used it last; NULL: none */
  uint32_t odd;                 /* bytes pushed back, STDIO_MARKED, STDIO_LENT; mostly 0 */
  uint32_t shared;              /* 1: more than one thread used it */
  const char *read_mark;        /* end of the last counted read */
  const char *read_end;         /* end of the buffer then */
  const char *write_mark;       /* end of the last counted write */
  const char *write_base;
  uint32_t numberless; /* 1: its descriptor was closed below it and may be another file now */
  uint16_t born;       /* 1: its descriptor is the one that the process inherited */
  uint16_t appends;    /* 1: the descriptor has O_APPEND */
  struct stdio_quick quick[2];
} __attribute__((aligned(64)));

enum { /* stdio_stream.odd */
       STDIO_PUSHED_BACK = 0xffffff,
       STDIO_MARKED = 1 << 24, /* a marker of the runtime counts refills of its FILE */
       STDIO_LENT = 1 << 25,   /* its FILE's unknown offset counts for the runtime */
       STDIO_SCANNING = STDIO_MARKED | STDIO_LENT
};

enum { STDIO_STREAMS = 1 << 14 }; /* open at a time */

struct stdio_state {
  struct segments streams; /* stdio_stream [1..] */
  struct segments aux;     /* stdio_aux, by record number */
  uint32_t used_streams, free_stream;
  uint64_t overflow_streams; /* number of streams that joined the overflow record */
  int lock;
};

extern struct stdio_state stdio_state __attribute__((visibility("hidden")));

#endif
