/* Output in one large buffer, which is written in large pieces. After the first write error, all
 * output is dropped.
 *
 * Text of a log is escaped: a name may hold any byte, of which a tab or newline would forge columns
 * and rows, and an escape sequence would control the terminal. */
#ifndef DARSHAN_OUTPUT_H
#define DARSHAN_OUTPUT_H

#include <stddef.h>

enum {
  OUTPUT_SIZE = 256 * 1024, /* fits into the second-level cache */
  OUTPUT_SLACK = 64,        /* bytes that a copy may write after the end of its text */
  /* Bytes of the longest piece: a name of 64 KiB, fully escaped, with its row. Only such names use
   * the memory above OUTPUT_SIZE. */
  OUTPUT_LONGEST = 2 * OUTPUT_SIZE
};

struct output {
  int fd;
  int (*take)(void *context, const char *bytes, size_t n); /* called instead of write(fd) if not */
  void *context;               /* NULL, with this context; returns 0, or an errno if it fails */
  int error;                   /* errno of the first failed write, or 0 */
  char *buffer, *next, *limit; /* limit: the buffer is flushed before text that ends after it */
};

/* Allocates the buffer. fd: descriptor of the output. Returns 0, or -1 if out of memory. */
int output_open(struct output *out, int fd);
/* Writes the rest of the buffer and frees it. Does not close fd. Returns 0, or the errno of the
 * first failed write. */
int output_close(struct output *out);

/* Writes the content of the buffer to fd. An error is stored in out->error. */
void output_flush(struct output *out);

/* Append n bytes, or a string, without escaping. Like output_foreign and output_printf, they store
 * an error in out->error. */
void output_bytes(struct output *out, const char *bytes, size_t n);
void output_text(struct output *out, const char *text);
/* Writes untrusted text with escaped control characters; nothing if it is then longer than
 * OUTPUT_LONGEST. */
void output_foreign(struct output *out, const char *text);
/* Appends formatted text without escaping, at most 2047 bytes of it. */
void output_printf(struct output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the address of at least n free bytes (n <= OUTPUT_LONGEST), plus OUTPUT_SLACK. The caller
 * sets out->next to the end of its text. */
static inline char *output_room(struct output *out, size_t n) {
  if (out->limit - out->next < (ptrdiff_t)n) output_flush(out);
  return out->next;
}

/* Returns the length of the escaped text, without NUL. A control character becomes \t, \n, or \xHH
 * per byte. The control characters include C1 controls, which have two bytes in UTF-8. Other text
 * is not changed. */
size_t foreign_length(const char *text);

/* Writes the escaped text at `to`, without NUL. Returns the end of the escaped text. */
char *foreign_put(char *to, const char *text);

#endif
