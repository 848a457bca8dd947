/* The functions by which the study reads its only variable; there is a file with them for each
 * library. On failure they end the program with a message. */
#ifndef CHUNK_CACHE_VARIABLE_H
#define CHUNK_CACHE_VARIABLE_H

#include <stddef.h>

/* Opens the file and its variable with a chunk cache of this many bytes; 0: the library's
 * default. */
void variable_open(const char *path, size_t cache_bytes);

/* Returns the length of the variable in time steps. */
size_t variable_steps(void);

/* Returns the actual size of the chunk cache in bytes. */
size_t variable_cache(void);

/* Reads a box into `values`, which has room for all of it. start, count: in time, lat and lon. */
void variable_read(const size_t start[3], const size_t count[3], float *values);

/* Closes the variable and its file. */
void variable_close(void);

#endif
