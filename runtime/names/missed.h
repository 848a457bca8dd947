/* The last names that a process looked for and did not find: what a program that fails may have
 * failed for.  Names of program files, for which interpreters and loaders search, are none. */
#ifndef DARSHAN_MISSED_H
#define DARSHAN_MISSED_H

#include <stddef.h>

enum { MISSED_NAMES = 4, MISSED_ROOM = 256 }; /* longer names are left out */

/* Notes a name.  May be called by a signal handler. */
void missed_note(const char *name, size_t length);
/* A child of a fork has looked for nothing. */
void missed_forget(void);
/* The last name (0), the one before (1) ...; returns its length, 0: there is none. */
size_t missed_name(unsigned back, char out[MISSED_ROOM]);

#endif
