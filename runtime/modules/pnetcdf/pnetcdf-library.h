/* The PnetCDF library that a caller uses, found by intercept/loader/library.h. Each wrapped
 * function has a number: first those of calls.def, then those of transfers.def. */
#ifndef DARSHAN_PN_LIBRARY_H
#define DARSHAN_PN_LIBRARY_H

#include <stdint.h>

#include "../../intercept/loader/library.h"

#define CALL(name, params, args, operation, find, event) PNFN_##name,
#define TRANSFER(api, form, type, mode, arguments) PNFN_##api##_##form##type##mode,
enum {
#include "calls.def"
  PN_FIRST_TRANSFER,
  PN_BEFORE_TRANSFERS = PN_FIRST_TRANSFER - 1,
#include "transfers.def"
  PN_FUNCTIONS
};
#undef CALL
#undef TRANSFER

/* A PnetCDF library of the process. */
struct pn_library {
  struct library common;
  void *functions[PN_FUNCTIONS]; /* NULL: not looked up yet */
#define QUERY(name, params) int(*name) params;
#include "queries.def"
#undef QUERY
};

/* Returns the library that the code at the address `caller` uses; NULL if the runtime finds
 * none. */
struct pn_library *pn_library_of(const void *caller);
/* Returns the real function `name`, with this number (PNFN_...); never NULL. If lib is NULL or
 * lacks the function, returns the next one in global scope, or one that fails with ENOSYS. */
void *pn_function(struct pn_library *lib, int number, const char *name);

#endif
