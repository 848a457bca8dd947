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

/* Value of stdio_print.booked for a stream that had no record before the call, so that no other
 * calls on it are subtracted. */
enum { PRINT_UNBOOKED = -1 };

/* State of a stream before a call that prints. */
struct stdio_print {
  struct stdio_stream *stream; /* NULL: not recorded, or not a file */
  int64_t booked;              /* STDIO_BYTES_WRITTEN of the file's record, or PRINT_UNBOOKED;
                                  what it grows by was counted by other calls */
  uint64_t start;              /* begin of the call, in ticks */
  struct stdio_scan scan;
};

/* Stores the state of a stream before a call that prints. Returns 1; the caller passes *print to
 * stdio_printed after the call, which counts the bytes by which the stream grew. Returns 0 if the
 * call must not be counted, because the stream is not recorded or no file; print->stream is then
 * NULL. */
int stdio_print_begin(FILE *file, enum stdio_print_way way, struct stdio_print *print);
void stdio_printed(struct stdio_print *print, uint64_t t1, uint64_t t2);
/* Like stdio_print_begin, for a call that seldom prints, such as getopt: a stream without a record
 * gets a record only if the call has printed. The caller passes *print to stdio_may_have_printed,
 * with `printed` 1 if it has. */
int stdio_may_print_begin(FILE *file, struct stdio_print *print);
void stdio_may_have_printed(struct stdio_print *print, int printed, uint64_t t1, uint64_t t2);
/* Stores, for this thread, the state of a call that prints and may end the process; the call is
 * then counted at exit (stdio_print_left). which: 0 or 1, because a call prints into up to two
 * streams. stdio_print_stays drops both states after the call has returned. */
void stdio_print_may_leave(const struct stdio_print *print, int which);
void stdio_print_stays(void);
void stdio_print_left(void);
struct stdio_digits {
  char text[12];
};
struct stdio_digits stdio_number(unsigned value);
/* Counts a message, as one write, by its text before it is printed, because the process ends in the
 * call. words: the n strings of the message; NULL: an empty one. Does nothing if the stream is no
 * recorded file. */
void stdio_print_last_words(FILE *file, const char *const *words, int n);

#endif
