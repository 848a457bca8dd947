/* Detects libraries that are statically linked into a program, where no wrapper is called. */
#ifndef DARSHAN_FRONT_STATIC_LIBRARIES_H
#define DARSHAN_FRONT_STATIC_LIBRARIES_H

#include <stddef.h>

enum { INSIDE_ROOM = 64 };

/* Writes the names of known libraries that are linked statically into a dynamic program: "HDF5 and
 * MPI". Returns 1 if there are any, 0 if there are none or the file is unreadable. Ignores a
 * program that is linked with the runtime, because its calls reach the wrappers. */
int inside_program(char out[INSIDE_ROOM], const char *path);

#endif
