/* Prints messages, and prepares text for a terminal. Names of files and programs are untrusted. */
#ifndef DARSHAN_FRONT_MESSAGE_H
#define DARSHAN_FRONT_MESSAGE_H

#include <stddef.h>

/* Copies text in a form that cannot control the terminal or break the line: replaces characters
 * that the locale cannot print by \xNN. The result has at most `columns` columns. Longer text loses
 * its end, or its start if keep_end is 1 ("...end"). Returns the number of columns. room: size of
 * out in bytes; 4 per column are sufficient. */
size_t say_printable(char *out, size_t room, const char *text, size_t columns, int keep_end);

/* Prints one line on stderr, "darshan: " and the formatted text. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { SAY_ROOM = 1024 };
/* Returns a printable path for a message, shortened if it is very long. Uses four buffers in
 * turn. */
const char *say_path(const char *path);

enum { TERMINAL_WIDTH = 80, TERMINAL_LEAST = 60, TERMINAL_MOST = 240 };

/* Returns the columns for a table: COLUMNS if it is a number, else the width of the terminal behind
 * the descriptor, else 80; at least TERMINAL_LEAST and at most TERMINAL_MOST. */
int terminal_width(int fd);

/* Returns 1 if the descriptor is a terminal, and NO_COLOR is unset or empty. Otherwise returns 0.
 * */
int terminal_colour(int fd);

#endif
