/* Libraries that lie inside of a program, where no wrapper is reached. */
#ifndef DARSHAN_FRONT_INSIDE_H
#define DARSHAN_FRONT_INSIDE_H

#include <stddef.h>

enum { INSIDE_ROOM = 64 };

/* Which of the libraries that the runtime knows are linked into this program, which is
 * dynamic otherwise: "HDF5 and MPI".  0: none, or it cannot be told; 1: there are some.  A
 * program that is linked with the runtime has none: its calls go through stubs. */
int inside_program(char out[INSIDE_ROOM], const char *path);

#endif
