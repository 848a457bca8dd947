/* Patterns of settings: POSIX extended regular expressions over bytes, as libc's regcomp takes
 * them in the C locale with REG_EXTENDED | REG_NOSUB.  Only back references are missing.
 * Ours, because libc's takes a lock, 12 KiB of stack, and memory by malloc, which a preloaded
 * library may not be ready for when settings are read. */
#ifndef DARSHAN_PATTERN_H
#define DARSHAN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATTERN_NODES = 448 }; /* a byte of a pattern takes one */

struct pattern {
  struct pattern_node *nodes; /* NULL: not compiled */
  size_t memory;              /* bytes that nodes take */
  unsigned count, start;
  uint8_t first[32]; /* a bit for each byte that a match may begin with */
  bool empty;        /* a match may have no byte */
};

/* 0; -1: not a regular expression, too large (PATTERN_NODES), or there is no memory. */
int pattern_compile(struct pattern *pattern, const char *text);
void pattern_release(struct pattern *pattern);

/* Is there a match anywhere in the text?  May be called by several threads at once. */
bool pattern_found(const struct pattern *pattern, const char *text);

#endif
