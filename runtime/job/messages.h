/* What the runtime has to tell the user.  Problems are collected here and
 * printed as one line at most: the output belongs to the application. */
#ifndef DARSHAN_MESSAGES_H
#define DARSHAN_MESSAGES_H

#include <stddef.h>

struct darshan_messages {
  unsigned count;  /* problems so far; 0: there is no first */
  unsigned line;   /* of the file that is being read, 0: none */
  char first[440]; /* the first of them, one line without newline */
};

/* Notes a problem as "subject: problem: detail".  detail may be NULL; it is
 * data of a stranger, so control bytes in it are replaced.  Of a file only the
 * number of the line is said: who names a file need not be its owner. */
void darshan_message_add(struct darshan_messages *messages, const char *subject,
                         const char *problem, const char *detail, size_t detail_length);

/* The line to print, newline included; returns its length, 0 if there is
 * nothing to say.  A room of 512 bytes holds every line. */
size_t darshan_messages_line(const struct darshan_messages *messages, char *out, size_t room);

/* Those of this process. */
extern struct darshan_messages darshan_problems __attribute__((visibility("hidden")));

#endif
