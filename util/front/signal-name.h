/* What a signal is called. */
#ifndef DARSHAN_SIGNAL_NAME_H
#define DARSHAN_SIGNAL_NAME_H

/* Its name without "SIG"; NULL if it has none. */
const char *signal_name(long number);

#endif
