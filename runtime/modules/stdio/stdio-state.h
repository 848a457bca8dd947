/* State of the STDIO module that is not part of a record. */
#ifndef DARSHAN_STDIO_STATE_H
#define DARSHAN_STDIO_STATE_H

#include <stdint.h>
#include <stdio.h>

#include "../../memory/segments.h"
#include "../heatmap/heatmap-state.h"

struct darshan_stdio_record;

struct stdio_aux { /* one per record; in its own cache line, as in posix-state.h */
  int lock;
  uint32_t ext;             /* number of its POSIX_EXT record, 0: none yet */
  uint32_t watched;         /* modules that are notified of events: WATCHED_BY_ flags of sites.h */
  uint32_t below;           /* number of its STDIO_EXT record, 0: none */
  double last_end[3];       /* ends of the last metadata operation, read and write */
  struct heatmap_span span; /* of the last transfer's bin in the heat map */
  int64_t booked[2];        /* bytes read and written that are in the heat map already */
} __attribute__((aligned(64)));

struct site_quick;

/* State of the quick calls of a stream (quick.h): of its small reads, or of its small writes. */
struct stdio_quick {
  uint64_t since;          /* end of the last measured call, in ticks */
  struct site_quick *site; /* call site of the last quick call, which has the stack of a call of the
                            * thread `owner`; NULL: none */
  uint16_t left;           /* quick calls until the next measured call */
  uint16_t booked;         /* `left`, plus the number of calls whose time was not added yet */
  uint16_t calls;          /* quick calls between two measured calls */
  uint32_t ticks;          /* duration of a call, taken from the last measured one */
};

/* State of an open stream. */
struct stdio_stream {
  FILE *file;                          /* NULL: the slot is free */
  struct darshan_stdio_record *record; /* NULL: no record yet */
  struct stdio_aux *aux;
  int64_t
      offset;  /* position of the next byte in the file; below 0: unknown, as posix_file.adrift */
  uint64_t id; /* record id of the name */
  const char *name;
  uint32_t name_length;
  uint32_t next_free;           /* number of the next free slot, if this one is free; 0: none */
  struct stdio_stream *same_fd; /* another stream of this descriptor; NULL: none */
  uint32_t number;              /* number of this stream */
  uint8_t standard;             /* 1: stdin, stdout or stderr, open from the start */
  uint8_t known;                /* 1: record and aux are those of its current file */
  uint8_t changed;              /* not 0: the descriptor has another file by now (streams.c) */
  uint8_t encoding;             /* that of wide characters, enum stdio_encoding; 0: unknown yet */
  const void *owner;            /* identifies the thread that used it last; NULL: none */
  uint32_t odd;    /* number of bytes pushed back, plus STDIO_MARKED and STDIO_LENT; mostly 0 */
  uint32_t shared; /* 1: more than one thread has used it */
  const char *read_mark;  /* read pointer after the last counted read */
  const char *read_end;   /* end of the read buffer at that time */
  const char *write_mark; /* write pointer after the last counted write */
  const char *write_base; /* begin of the write buffer at that time */
  uint32_t
      numberless; /* 1: its descriptor was closed, and its number may belong to another file now */
  uint16_t born;  /* 1: its descriptor is the one that the process inherited */
  uint16_t appends;            /* 1: the descriptor has O_APPEND */
  struct stdio_quick quick[2]; /* of reads, of writes */
} __attribute__((aligned(64)));

enum {                               /* values of stdio_stream.odd */
       STDIO_PUSHED_BACK = 0xffffff, /* mask of the number of bytes that were pushed back */
       STDIO_MARKED = 1 << 24,       /* a marker of the runtime counts refills of its FILE */
       STDIO_LENT =
           1 << 25, /* its FILE's offset was unknown, and now counts bytes for the runtime */
       STDIO_SCANNING = STDIO_MARKED | STDIO_LENT
};

enum { STDIO_STREAMS = 1 << 14 }; /* streams open at a time */

struct stdio_state {
  struct segments streams; /* stdio_stream, by number, from 1 */
  struct segments aux;     /* stdio_aux, by number of the record */
  uint32_t used_streams, free_stream;
  uint64_t overflow_streams; /* number of streams that use the overflow record */
  int lock;
};

extern struct stdio_state stdio_state __attribute__((visibility("hidden")));

#endif
