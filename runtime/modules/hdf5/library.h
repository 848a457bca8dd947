/* Which HDF5 library a caller uses.  There may be several in one process, most
 * of them loaded where RTLD_NEXT does not look (Python wheels bring their own,
 * renamed), so the search starts from the caller: the object that holds the
 * return address, then that object's own dependencies. */
#ifndef DARSHAN_H5_LIBRARY_H
#define DARSHAN_H5_LIBRARY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
  uint32_t number; /* from 1 */
  int narrow_ids;  /* ids are ints: before 1.10 */
  void *handle;
  void *functions[H5_FUNCTIONS]; /* NULL: not looked up yet */
#define QUERY(name, type, params) type(*name) params;
#include "queries.def"
#undef QUERY
};

/* The real function of this number for the caller; library: NULL if it has no
 * HDF5 library that can be asked (the function then still forwards). */
void *h5_function(int number, const char *name, const void *caller, struct h5_library **library);

#endif
