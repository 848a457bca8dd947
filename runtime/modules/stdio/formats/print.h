/* Measures the bytes that a function of libc, such as perror, prints into a stream of the
 * application. */
#ifndef DARSHAN_STDIO_PRINT_H
#define DARSHAN_STDIO_PRINT_H

#include "scan.h"

enum stdio_print_way {
  PRINT_THROUGH,   /* the call prints through the stream alone */
  PRINT_BESIDE,    /* it may print through another stream of the same descriptor */
  PRINT_AT_THE_END /* it prints after a seek to the end of the file */
};

/* Value of stdio_print.booked for a stream that had no record before the call. */
enum { PRINT_UNBOOKED = -1 };

/* State of a stream before a call that prints. */
struct stdio_print {
  struct stdio_stream *stream; /* NULL: not recorded, or not a file */
  int64_t booked;              /* STDIO_BYTES_WRITTEN of the file's record, or PRINT_UNBOOKED */
  uint64_t start;              /* begin of the call, in ticks */
  struct stdio_scan scan;
};

/* Stores the state of a stream before a call that prints. Returns 1, or 0 if the call must not be
 * counted. */
int stdio_print_begin(FILE *file, enum stdio_print_way way, struct stdio_print *print);
void stdio_printed(struct stdio_print *print, uint64_t t1, uint64_t t2);
/* Begins a call that seldom prints. In contrast to stdio_print_begin, a stream without a record
 * gets a record only if the call has printed. Returns 1, or 0 if the call must not be counted. */
int stdio_may_print_begin(FILE *file, struct stdio_print *print);
void stdio_may_have_printed(struct stdio_print *print, int printed, uint64_t t1, uint64_t t2);
/* Stores the state of a call that may end the process; the call is then counted at exit. which: 0
 * or 1, because a call prints into up to two streams. stdio_print_stays drops both states after the
 * call has returned. */
void stdio_print_may_leave(const struct stdio_print *print, int which);
void stdio_print_stays(void);
void stdio_print_left(void);
struct stdio_digits {
  char text[12];
};
struct stdio_digits stdio_number(unsigned value);
/* Counts a message by its text before it is printed, because the process ends in the call. words:
 * the n strings of the message. */
void stdio_print_last_words(FILE *file, const char *const *words, int n);

#endif
