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

extern struct libraries h5_libraries __attribute__((visibility("hidden")));

/* The real function of this number for the caller; library: NULL if it has no
 * HDF5 library that can be asked (the function then still forwards). */
void *h5_function_slow(int number, const char *name, const void *caller,
                       struct h5_library **library);
/* In every wrapper: a call of a function costs as much as what is looked up. */
static inline void *h5_function(int number, const char *name, const void *caller,
                                struct h5_library **library) {
  const struct library_site *site = library_site(&h5_libraries, caller);
  if (__builtin_expect(__atomic_load_n(&site->address, __ATOMIC_ACQUIRE) == caller, 1)) {
    *library = (struct h5_library *)(void *)site->library;
    void *function = __atomic_load_n(&(*library)->functions[number], __ATOMIC_ACQUIRE);
    if (__builtin_expect(function != NULL, 1)) return function;
  }
  return h5_function_slow(number, name, caller, library);
}

#endif
