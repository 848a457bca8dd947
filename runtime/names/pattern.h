/* Patterns of settings: POSIX extended regular expressions over bytes, as libc's regcomp accepts
 * them in the C locale with REG_EXTENDED | REG_NOSUB, without back references. The runtime does not
 * use regcomp, because it takes a lock, 12 KiB of stack, and memory by malloc, and a preloaded
 * library may not be ready for malloc when settings are read. */
#ifndef DARSHAN_PATTERN_H
#define DARSHAN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PATTERN_NODES = 448
}; /* largest number of nodes of a pattern; a byte of its text takes one */

struct pattern {
  struct pattern_node *nodes; /* NULL: not compiled */
  size_t memory;              /* size of nodes, in bytes */
  unsigned count, start;      /* number of nodes, and index of the first */
  uint8_t first[32];          /* a bit for each byte with which a match may begin */
  bool empty;                 /* a match may be empty */
};

/* Compiles the text into *pattern, whose memory pattern_release frees. Returns 0, or -1 if text
 * is not a regular expression, is too large (PATTERN_NODES), or an allocation failed. */
int pattern_compile(struct pattern *pattern, const char *text);
void pattern_release(struct pattern *pattern);

/* Returns true if there is a match anywhere in the text, otherwise false. Several threads may call
 * it at once. */
bool pattern_found(const struct pattern *pattern, const char *text);

#endif
