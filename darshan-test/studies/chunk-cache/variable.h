/* The functions by which read-field.c reads the variable; variable-hdf5.c and variable-netcdf.c
 * define them for each library. */
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

/* Reads a box of the variable into values, which has space for all of it. start, count: position
 * and length in time, lat and lon. Ends the program with a message on failure. */
void variable_read(const size_t start[3], const size_t count[3], float *values);

/* Closes the variable and its file. */
void variable_close(void);

#endif
