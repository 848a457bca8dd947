/* Remedies that `darshan try` applies for one run, below the wrappers: a remedy replaces a real
 * function, so the wrapper above it records what the program does with the remedy. Only
 * libdarshan-try.so has this folder; libdarshan.so is made of the same objects without it. */
#ifndef DARSHAN_REMEDIES_H
#define DARSHAN_REMEDIES_H

#include <stddef.h>
#include <stdint.h>

struct library;

/* Returns the value of a remedy in DARSHAN_TRY ("name=value;name=value"); 0 if the variable does
 * not name it. Only `darshan try` sets the variable. */
uint64_t remedy_value(const char *name);

/* A function of libc that a remedy replaces. */
struct replacement {
  const char *remedy, *name;
  void *instead;
  void **real; /* gets the real function */
};

extern const struct replacement stdio_replacements[]; /* ends with a row without a name */

/* Returns the function to call in place of this one of an HDF5 library. */
void *chunk_cache_function(const struct library *library, const char *name, void *real);

#endif
