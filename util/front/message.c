/* Prints messages, and prepares text for a terminal (message.h). */
#define _GNU_SOURCE
#include "message.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

/* Returns 1 for control characters of the text direction, which print nothing and reorder other
 * text. Otherwise returns 0. */
static int turns_text(wchar_t c) {
  return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

/* Returns 1 for printable ASCII, which is the same in every locale. Otherwise returns 0. */
static int is_plain(char c) {
  return c >= ' ' && c <= '~';
}

/* Loads the user's locale if the text is not plain ASCII. Plain ASCII does not need it, and loading
 * takes 0.1 ms. */
static void locate_for(const char *text) {
  static int located;
  while (is_plain(*text))
    text++;
  if (*text == '\0' || located) return;
  setlocale(LC_CTYPE, "");
  located = 1;
}

/* Converts one character of text: writes its printable form to piece, and its width to *columns.
 * Returns the number of bytes of the character. */
static size_t take(const char *text, char piece[8], size_t *columns) {
  mbstate_t state = {0};
  wchar_t c;
  if (is_plain(*text)) {
    piece[0] = *text;
    piece[1] = '\0';
    *columns = 1;
    return 1;
  }
  size_t n = mbrtowc(&c, text, strlen(text), &state);
  int width = n - 1 < 16 ? wcwidth(c) : -1;
  if (width >= 0 && n < 8 && iswprint((wint_t)c) && !turns_text(c)) {
    memcpy(piece, text, n);
    piece[n] = '\0';
    *columns = (size_t)width;
    return n;
  }
  snprintf(piece, 8, "\\x%02x", (unsigned char)*text);
  *columns = 4;
  return 1;
}

/* Returns the columns of the text in its printable form. */
static size_t width_of(const char *text) {
  size_t sum = 0, columns;
  char piece[8];
  while (*text) {
    text += take(text, piece, &columns);
    sum += columns;
  }
  return sum;
}

size_t say_printable(char *out, size_t room, const char *text, size_t columns, int keep_end) {
  char piece[8];
  size_t used = 0, bytes = 0, width;
  locate_for(text);
  size_t total = width_of(text), allowed = columns;
  if (total > columns && columns >= 3) {
    allowed = columns - 3;
    if (keep_end) {
      for (; total > allowed; total -= width)
        text += take(text, piece, &width);
      used = bytes = (size_t)snprintf(out, room, "...");
      allowed = columns;
    }
  }
  while (*text) {
    size_t step = take(text, piece, &width), n = strlen(piece);
    if (used + width > allowed || bytes + n + 4 > room) break;
    memcpy(out + bytes, piece, n);
    bytes += n;
    used += width;
    text += step;
  }
  out[bytes] = '\0';
  if (*text && columns >= 3) {
    memcpy(out + bytes, "...", 4);
    used += 3;
  }
  return used;
}

void say(const char *format, ...) {
  char line[4 * SAY_ROOM];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof(line), format, list);
  va_end(list);
  fprintf(stderr, "darshan: %s\n", line);
}

const char *say_path(const char *path) {
  static char rooms[4][SAY_ROOM];
  static unsigned next;
  char *room = rooms[next++ % 4];
  say_printable(room, SAY_ROOM, path, SAY_ROOM / 4, 1);
  return room;
}

/* Determines the width of a terminal, and whether it shows colours. */

int terminal_width(int fd) {
  const char *set = getenv("COLUMNS");
  struct winsize size = {0, 0, 0, 0};
  char *end = NULL;
  long width = set ? strtol(set, &end, 10) : 0;
  if (width <= 0 || *end) width = ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  if (width <= 0) return TERMINAL_WIDTH;
  if (width < TERMINAL_LEAST) return TERMINAL_LEAST;
  return width > TERMINAL_MOST ? TERMINAL_MOST : (int)width;
}

int terminal_colour(int fd) {
  const char *refused = getenv("NO_COLOR");
  return isatty(fd) && !(refused && *refused);
}
