/* The width of a terminal, and whether to use colour. */
#ifndef DARSHAN_FRONT_TERMINAL_H
#define DARSHAN_FRONT_TERMINAL_H

enum { TERMINAL_WIDTH = 80, TERMINAL_LEAST = 60, TERMINAL_MOST = 240 };

/* Returns the columns for a table: COLUMNS if it is a number, else the width of the terminal behind
 * the descriptor, else 80; at least TERMINAL_LEAST and at most TERMINAL_MOST. */
int terminal_width(int fd);

/* Returns 1 if the descriptor is a terminal, and NO_COLOR is unset or empty. */
int terminal_colour(int fd);

#endif
