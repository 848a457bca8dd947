/* Will a program that is about to start be watched, as this one is?  If not, it will
 * tell its run nothing. */
#ifndef DARSHAN_WATCHED_H
#define DARSHAN_WATCHED_H

#include "../format/run.h"

struct file_look {
  enum run_unwatched why;
  int refuses; /* its loader is for another C library, word size or processor: it would end the
                * program because of this library (musl), or complain of it on stderr */
};

/* By the file: of the loader of this C library, without raised rights.  What cannot be
 * looked at is taken for such a program. */
struct file_look file_look(const char *path);

#endif
