/* Prints lines, cells and lists on stderr (lines.h). */
#include "lines.h"

#include <stdio.h>
#include <string.h>

void end_line(struct screen *screen) {
  fputc('\n', stderr);
  screen->lines++;
}

void put_cell(int width, const char *text) {
  fprintf(stderr, " %*s", width + (strstr(text, "\u00b5") ? 1 : 0), text);
}

void put_cell_beside(const char *name, int columns, const char *number) {
  int rest = columns - (int)strlen(name) - 1;
  fprintf(stderr, "%s %*s", name, rest > 0 ? rest : 0, number);
}

void heading(struct screen *screen, const char *text) {
  end_line(screen);
  fprintf(stderr, "%s%s%s", screen->bold, text, screen->plain);
  end_line(screen);
}

void wide_heading(struct screen *screen, const char *first, int width, const char *others) {
  char text[4 * COLUMNS];
  snprintf(text, sizeof(text), "%-*s%s", width, first, others);
  heading(screen, text);
}

int first_width(const struct screen *screen, int usual, int least) {
  int width = usual + screen->columns - TERMINAL_WIDTH;
  return width < least ? least : width;
}

int pack(struct packed *packed, const char *item) {
  enum { INDENT = 2, MOST_LINES = 2 };
  int width = (int)strlen(item), first = packed->column < 0;
  int columns = packed->screen->columns,
      room = columns - (packed->lines + 1 < MOST_LINES ? 1 : MORE);
  if (first) packed->column = -packed->column;
  if (first ? packed->column + width > columns : packed->column + 2 + width > room) {
    if (++packed->lines >= MOST_LINES || (!first && INDENT + width > columns - MORE)) return 0;
    if (!first && packed->column < columns) fputc(',', stderr);
    end_line(packed->screen);
    packed->column = fprintf(stderr, "%*s", INDENT, "");
    first = 1;
  }
  packed->column += fprintf(stderr, "%s%s", first ? "" : ", ", item);
  return 1;
}

struct packed begin_packed(struct screen *screen, const char *word) {
  return (struct packed){screen, -fprintf(stderr, "%s", word), 0};
}

void end_packed(struct packed *packed, size_t left) {
  int columns = packed->screen->columns;
  int wraps = left && packed->column + MORE > columns;
  if (wraps) {
    if (packed->column < columns) fputc(',', stderr);
    end_line(packed->screen);
  }
  if (left) fprintf(stderr, "%s and %zu more", wraps ? " " : ",", left);
  end_line(packed->screen);
}
