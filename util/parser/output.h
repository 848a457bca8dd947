/* Text on its way to standard output: one large buffer, written in large
 * pieces.  The first write error is kept; output after it is dropped. */
#ifndef DARSHAN_OUTPUT_H
#define DARSHAN_OUTPUT_H

#include <stddef.h>

enum {
  OUTPUT_SIZE = 256 * 1024, /* stays in the second-level cache */
  OUTPUT_SLACK = 64,        /* a copy may run over its end by this much */
  /* The longest piece: a name of 64 KiB, all of it escaped, and a row around it.
   * What lies beyond OUTPUT_SIZE is touched by such names only. */
  OUTPUT_LONGEST = 2 * OUTPUT_SIZE
};

struct output {
  int fd;
  int (*take)(void *context, const char *bytes, size_t n); /* instead of fd, if it is set: */
  void *context;                                           /* 0, or an errno */
  int error;                                               /* errno of the first failed write, 0 */
  char *buffer, *next, *limit;
};

/* Returns 0, or -1 if there is no memory. */
int output_open(struct output *out, int fd);
/* Writes what is left; returns the error, 0 if all is written. */
int output_close(struct output *out);
void output_flush(struct output *out);

/* Copies n bytes. */
void output_bytes(struct output *out, const char *bytes, size_t n);
void output_text(struct output *out, const char *text);
/* Text that the log brings along: control characters are escaped (foreign.h). */
void output_foreign(struct output *out, const char *text);
void output_printf(struct output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* At least n free bytes (n <= OUTPUT_LONGEST) at the returned place, plus slack;
 * the caller moves out->next behind what it wrote. */
static inline char *output_room(struct output *out, size_t n) {
  if (out->limit - out->next < (ptrdiff_t)n) output_flush(out);
  return out->next;
}

#endif
