/* The HDF5 library that a caller uses: intercept/library.h finds it. */
#ifndef DARSHAN_H5_LIBRARY_H
#define DARSHAN_H5_LIBRARY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../intercept/library.h"

struct h5_token { /* H5O_token_t, passed by value */
  unsigned char bytes[16];
};

#define CALL(name, type, params, args, operation, find, event) H5FN_##name,
enum {
#include "calls.def"
  H5_FUNCTIONS
};
#undef CALL

struct h5_library {
  struct library common;
  int narrow_ids;                /* ids are ints: before 1.10 */
  void *functions[H5_FUNCTIONS]; /* NULL: not looked up yet */
#define QUERY(name, type, params) type(*name) params;
#include "queries.def"
#undef QUERY
};

/* The real function of this number for the caller; library: NULL if it has no
 * HDF5 library that can be asked (the function then still forwards). */
void *h5_function(int number, const char *name, const void *caller, struct h5_library **library);

#endif
