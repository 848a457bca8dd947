/* What the command says: one line on stderr. */
#ifndef DARSHAN_CONVERT_MESSAGE_H
#define DARSHAN_CONVERT_MESSAGE_H

/* Returns -1, so that who fails can say why and return in one. */
int convert_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
