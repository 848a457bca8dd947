/* Whether a program that is about to start will be instrumented.  If not, it leaves no records in
 * its run. */
#ifndef DARSHAN_INSTRUMENTABLE_H
#define DARSHAN_INSTRUMENTABLE_H

#include "../../format/run.h"

struct file_look {
  enum run_unwatched why;
  int refuses; /* its loader is for another C library, word size or processor: it would end the
                * program because of this library (musl), or print a warning about it */
};

/* Returns whether a program will be instrumented, by its file: it must need this C library's loader
 * and have no raised rights.  A file that cannot be read is classified as instrumentable. */
struct file_look file_look(const char *path);

#endif
