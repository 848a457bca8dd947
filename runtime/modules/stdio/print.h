/* How much a function of libc printed by itself into a stream of the program. */
#ifndef DARSHAN_STDIO_PRINT_H
#define DARSHAN_STDIO_PRINT_H

#include "scan.h"

enum stdio_print_way {
  PRINT_THROUGH,   /* through the stream */
  PRINT_BESIDE,    /* or through another one of the same descriptor */
  PRINT_AT_THE_END /* after a seek to the end of the file */
};

/* A stream before such a call. */
struct stdio_print {
  struct stdio_stream *stream; /* NULL: not followed, or no file */
  int64_t booked;              /* what other calls had written, by then */
  uint64_t start;              /* ticks */
  struct stdio_scan scan;
};

/* 0: nothing of it is to be counted. */
int stdio_print_begin(FILE *file, enum stdio_print_way way, struct stdio_print *print);
void stdio_printed(struct stdio_print *print, uint64_t t1, uint64_t t2);
/* The call may end the process: then that is when it is counted. */
void stdio_print_may_leave(const struct stdio_print *print, int which);
void stdio_print_stays(void);
void stdio_print_left(void);
struct stdio_digits {
  char text[12];
};
struct stdio_digits stdio_number(unsigned value);
/* A message before which nobody can measure, since the process dies of it. */
void stdio_print_last_words(FILE *file, const char *const *words, int n);

#endif
