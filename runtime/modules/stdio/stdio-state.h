/* What the STDIO module keeps besides its records. */
#ifndef DARSHAN_STDIO_STATE_H
#define DARSHAN_STDIO_STATE_H

#include <stdint.h>
#include <stdio.h>

#include "../../memory/segments.h"
#include "../heatmap/heatmap-state.h"

struct darshan_stdio_record;

struct stdio_aux { /* belongs to a record; in a line of its own, as in posix-state.h */
  int lock;
  uint32_t ext;       /* number of its POSIX_EXT record, 0: none yet */
  uint32_t watched;   /* events are told to the layers module */
  uint32_t below;     /* number of its STDIO_EXT record, 0: none */
  double last_end[3]; /* metadata, read, write */
  struct heatmap_span span;
  int64_t booked[2];
} __attribute__((aligned(64)));

/* Belongs to an open stream. */
struct stdio_stream {
  FILE *file;                          /* NULL: free */
  struct darshan_stdio_record *record; /* NULL: none yet */
  struct stdio_aux *aux;
  int64_t offset; /* below 0: adrift, as that of a posix_file */
  uint64_t id;
  const char *name;
  uint32_t name_length;
  uint32_t next_free;
  struct stdio_stream *same_fd; /* another stream of this descriptor, NULL: none */
  uint32_t number;              /* of this stream */
  uint8_t standard;             /* 1: stdin, stdout or stderr, open from the start */
  uint8_t known;                /* 1: record and aux are those of what it stands for now */
  uint8_t changed;              /* its descriptor was given something else (streams.c); 0: no */
  uint8_t encoding;             /* of wide characters, enum stdio_encoding; 0: not known yet */
  const void *owner;            /* the only thread that used it so far; NULL: none */
  uint32_t odd;                 /* bytes pushed back, STDIO_MARKED, STDIO_LENT; mostly 0 */
  uint32_t shared;              /* 1: more than one did */
  const char *read_mark;        /* where the last counted read ended */
  const char *read_end;         /* ... and the end of the buffer then */
  const char *write_mark;       /* where the last counted write ended */
  const char *write_base;
  uint32_t numberless; /* 1: its descriptor was closed by number, which means another file now */
  uint16_t born;       /* 1: its descriptor is what the process was born with */
  uint16_t appends;    /* ... and writes to the end, wherever that is */
} __attribute__((aligned(64)));

enum { /* stdio_stream.odd */
       STDIO_PUSHED_BACK = 0xffffff,
       STDIO_MARKED = 1 << 24, /* a marker of ours counts refills of its FILE */
       STDIO_LENT = 1 << 25,   /* its FILE's unknown offset counts for us */
       STDIO_SCANNING = STDIO_MARKED | STDIO_LENT
};

enum { STDIO_STREAMS = 1 << 14, STDIO_COOKIES = 256 }; /* open at a time */

struct stdio_state {
  struct segments streams; /* stdio_stream [1..] */
  struct segments aux;     /* stdio_aux, by record number */
  uint32_t used_streams, free_stream;
  uint64_t overflow_streams; /* that had to share the overflow record */
  int lock;
  FILE *cookies[STDIO_COOKIES]; /* streams with functions of the program; NULL: free */
};

extern struct stdio_state stdio_state __attribute__((visibility("hidden")));

#endif
