/* The width of a terminal, and whether to use colour. See terminal.h. */
#define _GNU_SOURCE
#include "terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
