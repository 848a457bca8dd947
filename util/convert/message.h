/* Messages of the command: one line on stderr. */
#ifndef DARSHAN_CONVERT_MESSAGE_H
#define DARSHAN_CONVERT_MESSAGE_H

/* Prints a line with the name of the command on stderr. Returns -1, so that the caller can return
 * the result. */
int convert_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
