/* The HDF5 library that a caller uses, found by intercept/loader/library.h. */
#ifndef DARSHAN_H5_LIBRARY_H
#define DARSHAN_H5_LIBRARY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../intercept/loader/library.h"

struct h5_token { /* H5O_token_t, passed by value */
  unsigned char bytes[16];
};

#define CALL(name, type, params, args, operation, find, event) H5FN_##name,
enum {
#include "calls.def"
  H5_FUNCTIONS
};
#undef CALL

/* An HDF5 library of the process. */
struct h5_library {
  struct library common;
  int narrow_ids;                /* 1: ids are ints (HDF5 before 1.10), not 64-bit integers */
  void *functions[H5_FUNCTIONS]; /* NULL: not looked up yet */
#define QUERY(name, type, params) type(*name) params; /* NULL: the library does not have it */
#include "queries.def"
#undef QUERY
};

extern struct libraries h5_libraries __attribute__((visibility("hidden")));

/* Returns the real function `name`, with this number (H5FN_...), of the HDF5 library that the code
 * at the address `caller` uses, and stores the library in *library; NULL if it is unknown. If it is
 * unknown or lacks the function, returns the next one in global scope, or one that fails with
 * ENOSYS. */
void *h5_function_slow(int number, const char *name, const void *caller,
                       struct h5_library **library);
/* Like h5_function_slow, which it calls only if this caller or function is unknown. Inline, because
 * every wrapper calls it. */
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
