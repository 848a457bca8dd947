/* Finds the bounds of a stack by /proc/self/maps (stack_span in registers.h). */
#include "registers.h"

#include <string.h>
#include <sys/auxv.h>

#include "../intercept/sys/sys.h"

enum { ROOM = 8192 }; /* more than the longest line, which ends with a path */

static uintptr_t hexadecimal(const char **at) {
  uintptr_t value = 0;
  for (;; (*at)++) {
    char c = **at;
    if (c >= '0' && c <= '9')
      value = value << 4 | (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | (uintptr_t)(c - 'a' + 10);
    else
      return value;
  }
}

/* Parses a line "from-to rwxp offset device inode name". Stores the bounds of the mapping, and in
 * *is_main whether it is the stack of the first thread. Returns 1 if the mapping is readable and
 * contains the address, else 0. */
static int look(const char *line, uintptr_t address, struct span *span, int *is_main) {
  const char *at = line;
  span->start = hexadecimal(&at);
  if (*at++ != '-') return 0;
  span->end = hexadecimal(&at);
  uintptr_t random = (uintptr_t)getauxval(
      AT_RANDOM); /* address of the bytes that the kernel puts on the first thread's stack */
  *is_main = random >= span->start && random < span->end;
  return *at == ' ' && at[1] == 'r' && address >= span->start && address < span->end;
}

/* Parses the complete lines of text until a line contains the address; then sets *found to 1. Moves
 * the rest, which is the begin of a line, to the start of text and returns its length. Drops a rest
 * that fills the buffer and returns 0. */
static size_t look_at_lines(char *text, size_t length, uintptr_t address, struct span *span,
                            int *is_main, int *found) {
  char *line = text, *end;
  while (!*found && (end = memchr(line, '\n', length - (size_t)(line - text)))) {
    *end = '\0';
    *found = look(line, address, span, is_main);
    line = end + 1;
  }
  length -= (size_t)(line - text);
  memmove(text, line, length);
  return length < ROOM ? length : 0;
}

int stack_span(uintptr_t address, struct span *span, int *is_main) {
  char text[ROOM];
  size_t kept = 0;
  int found = 0, fd = sys_open("/proc/self/maps", O_RDONLY, 0);
  if (fd < 0) return -1;
  while (!found) {
    ssize_t n = sys_read(fd, text + kept, ROOM - kept);
    if (n <= 0) break;
    kept = look_at_lines(text, kept + (size_t)n, address, span, is_main, &found);
  }
  sys_close(fd);
  return found ? 0 : -1;
}
