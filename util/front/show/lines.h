/* Lines, cells and lists of the summary of `darshan stat`, printed on stderr. */
#ifndef DARSHAN_FRONT_LINES_H
#define DARSHAN_FRONT_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "../message.h"
#include "values.h"

enum {
  COLUMNS = TERMINAL_MOST, /* of the widest line */
  LINES =
      17, /* without the table of datasets; a screen has 24 lines, and findings need at least 7 */
  NUMBER = QUANTITY_ROOM, /* bytes of a formatted number */
  NAME_COLUMNS = 24,      /* of a program's name */
  ITEM = 8 * COLUMNS,     /* bytes of an item of a list */
  MORE = sizeof(", and 99999 more")
};

struct screen {
  int lines;                /* number of lines printed so far */
  int columns;              /* width of the terminal */
  const char *bold, *plain; /* escape sequences; "" without colours */
};

/* Prints a newline and counts the line. */
void end_line(struct screen *screen);

/* Returns true if no further line fits above the findings. */
static inline int is_full(const struct screen *screen) {
  return screen->lines >= LINES;
}

/* Prints a blank and a right-aligned cell of this width. A micro sign has two bytes but one
 * column. */
void put_cell(int width, const char *text);
/* Prints a name and a number in `columns` columns: the name at the start, the number at the end. */
void put_cell_beside(const char *name, int columns, const char *number);

/* Prints an empty line and a heading in bold. */
void heading(struct screen *screen, const char *text);
/* Prints the heading of a table: `first` in the first column, which has this width, then `others`,
 * the headings of the other columns with their blanks. */
void wide_heading(struct screen *screen, const char *first, int width, const char *others);
/* Returns the width of the first column: `usual` on a line of 80 columns, more or less on other
 * lines, but at least `least`. */
int first_width(const struct screen *screen, int usual, int least);

/* The state of a list of comma-separated items over at most two lines. */
struct packed {
  struct screen *screen;
  int column, lines; /* columns used in this line, negative before the first item; full lines */
};
/* Begins a list: prints `word`, such as "programs: ". */
struct packed begin_packed(struct screen *screen, const char *word);
/* Adds an item. Returns 1, or 0 if there is no space left. */
int pack(struct packed *packed, const char *item);
/* Ends the list and its line. left: number of items that had no space; above 0, "and N more" is
 * printed. */
void end_packed(struct packed *packed, size_t left);

#endif
