/* Names of signals. */
#ifndef DARSHAN_SIGNAL_NAME_H
#define DARSHAN_SIGNAL_NAME_H

/* Returns the name without "SIG", NULL if there is none. */
const char *signal_name(long number);

#endif
