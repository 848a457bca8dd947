/* Problems of this process, such as settings that are ignored. The runtime prints at most one line
 * about them, because stderr belongs to the application. */
#ifndef DARSHAN_MESSAGES_H
#define DARSHAN_MESSAGES_H

#include <stddef.h>

struct darshan_messages {
  unsigned count;   /* problems so far; 0: `first` is not set */
  const char *file; /* the configuration file that is being read */
  unsigned line;    /* line number in that file; 0: no file is being read */
  char first[440];  /* the first problem, a line without newline */
};

/* Counts a problem with a setting and, if it is the first problem, stores it as "subject problem:
 * detail". detail may be NULL; it is untrusted data, so control bytes in it are replaced. For a
 * setting from a configuration file, the file and the line number replace the detail, because the
 * user who names a file may not be allowed to read it. */
void darshan_message_add(struct darshan_messages *messages, const char *subject,
                         const char *problem, const char *detail, size_t detail_length);

/* Counts a problem and, if it is the first one, stores its message: the strings, up to NULL,
 * joined. Replaces control bytes. Shortens every string but the last to 160 bytes, so that a long
 * path leaves space for the strings after it, and truncates the last string. */
void darshan_message_join(struct darshan_messages *messages, const char *const *strings);
#define DARSHAN_MESSAGE(messages, ...)                                                             \
  darshan_message_join((messages), (const char *const[]){__VA_ARGS__, NULL})

/* Returns the text of an errno number, or "unknown error" if error-text.def does not list it.
 * Async-signal-safe. */
const char *darshan_error_text(int error);

/* Stores the line to print, newline included. Returns its length, or 0 if there is no problem. A
 * buffer of 512 bytes holds every line. */
size_t darshan_messages_line(const struct darshan_messages *messages, char *out, size_t room);

/* The problems of this process. */
extern struct darshan_messages darshan_problems __attribute__((visibility("hidden")));

#endif
